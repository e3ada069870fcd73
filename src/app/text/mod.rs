//! The words of the interface, one table for each language. A word that a table lacks does not compile; a fact that a
//! translation forgets fails a test. Kubernetes' own words (kinds, fields, reasons, kubectl's output) are not translated.

mod en;
mod facts;
mod fr;
mod kubelet;
mod manifest;
mod story;
mod verdict;

use serde::{Deserialize, Serialize};

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
}

impl Language {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::En, Self::Fr];

    /// The tag for the `lang` attribute.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
        }
    }

    /// The language's name in itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Fr => "Français",
        }
    }

    /// The language that a browser asks for, such as `fr-CH`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// The language's table.
    pub const fn words(self) -> &'static Words {
        match self {
            Self::En => &en::WORDS,
            Self::Fr => &fr::WORDS,
        }
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// All texts of the interface in one language. `{names}` are filled in.
        #[derive(Debug)]
        pub struct Words {
            $($(#[$doc])* pub $name: &'static str,)*
        }

        impl Words {
            /// All texts with their names.
            pub fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name),)*]
            }
        }
    };
}

words! {
    absent_affinity,
    absent_coming,
    absent_node_name,
    absent_selector_missing,
    absent_selector_other,
    absent_taint,
    actions_of,
    actor_daemon_set,
    actor_deployment,
    actor_garbage,
    actor_kubelet,
    actor_namespace,
    actor_node_lifecycle,
    actor_person,
    actor_pod_gc,
    actor_replica_set,
    actor_scheduler,
    actor_taint_eviction,
    add,
    add_chip_hint,
    add_chip_to,
    add_node,
    add_nodes,
    add_worker,
    age_older,
    age_previous,
    and,
    applied,
    apply,
    back,
    because_of_step,
    began_anew,
    branch,
    branches,
    bring_back,
    by_hand_refused,
    cancel,
    capacity,
    capacity_text,
    change_label,
    change_many,
    change_one,
    change_taint,
    changed,
    chart_floor,
    chart_legend,
    chart_new,
    chart_old,
    chart_pending,
    chart_unavailable,
    check,
    check_affinity,
    check_affinity_found,
    check_kubelet,
    check_later,
    check_name,
    check_name_none,
    check_name_other,
    check_name_same,
    check_none_set,
    check_scheduler,
    check_scheduler_passed,
    check_scheduler_waits,
    check_selector,
    check_selector_found,
    check_selector_missing,
    check_selector_none,
    check_taint,
    check_taint_automatic,
    check_taint_blocks,
    check_taint_evicts,
    check_taint_ignored,
    check_taint_own,
    check_taints_none,
    check_taints_none_found,
    check_term,
    check_value_found,
    check_value_missing,
    checks,
    chip_help,
    chip_wrong,
    chips_of,
    clear,
    close,
    close_file,
    cluster,
    command_ended,
    command_keys,
    command_line,
    command_printed,
    container,
    copied,
    copy_command,
    cordon,
    cordoned,
    counted,
    counter_available,
    counter_current,
    counter_desired,
    counter_lags,
    counter_ready,
    counter_up_to_date,
    counters,
    counts_available,
    counts_current,
    counts_desired,
    counts_ready,
    counts_up_to_date,
    cpu,
    created,
    creates_many,
    creates_one,
    daemon_sets,
    delete_pod,
    delete_set,
    deleted,
    describe,
    details,
    did_anything,
    did_nothing_seen,
    diff,
    differs_makes_revision,
    differs_no_revision,
    drain,
    ds_adopted,
    ds_being_deleted,
    ds_create_many,
    ds_create_one,
    ds_delete_many,
    ds_delete_one,
    ds_failed,
    ds_forgot_revisions,
    ds_recorded,
    ds_released,
    ds_returned,
    ds_selecting_all,
    ds_status,
    ds_status_counts,
    earlier_steps,
    edited,
    edited_makes_revision,
    edited_no_change,
    edited_no_revision,
    editor_hint,
    editor_of,
    error_many,
    error_one,
    events,
    events_empty,
    excluded,
    fact_age,
    fact_aliasing,
    fact_anchor_elsewhere,
    fact_anchor_recursive,
    fact_anchor_unknown,
    fact_binary,
    fact_colon_in_value,
    fact_conditions,
    fact_containers,
    fact_control,
    fact_duplicate,
    fact_ignored,
    fact_image,
    fact_instance,
    fact_invisible,
    fact_ip,
    fact_json_end,
    fact_list_on_key_line,
    fact_map_key,
    fact_merge,
    fact_message,
    fact_misaligned,
    fact_missing_colon,
    fact_namespace,
    fact_node,
    fact_not_a_number,
    fact_owner,
    fact_phase,
    fact_pinned,
    fact_pods,
    fact_qos,
    fact_reserved,
    fact_restarts,
    fact_revision,
    fact_roles,
    fact_separator,
    fact_space_after_colon,
    fact_tab,
    fact_tag,
    fact_template,
    fact_unclosed_bracket,
    fact_unclosed_quote,
    fact_unknown_escape,
    failed,
    file_closed,
    file_name,
    files,
    filter_hint,
    filter_nodes,
    fix,
    fix_add_taint,
    fix_add_toleration,
    fix_affinity,
    fix_all_nodes,
    fix_caution_managed_label,
    fix_caution_managed_taint,
    fix_caution_tolerates_all,
    fix_change_toleration,
    fix_manifest,
    fix_remove_affinity,
    fix_remove_label,
    fix_remove_node_name,
    fix_remove_selector,
    fix_remove_taint,
    fix_remove_toleration,
    fix_run,
    fix_set_label,
    fix_set_selector,
    fix_this_node,
    go_to_step,
    gone,
    group_by,
    held_backoff,
    held_budget,
    held_burst,
    held_duplicates,
    held_failed,
    held_many,
    held_misscheduled,
    held_needed,
    held_new_not_available,
    held_surge,
    held_terminating,
    hide_terminal,
    history,
    how_many,
    image_of,
    keep_off,
    kind_of_node,
    kubelet_admitted,
    kubelet_admitted_later,
    kubelet_admitted_never,
    kubelet_backoff,
    kubelet_backoff_because,
    kubelet_ended,
    kubelet_evicted,
    kubelet_evicted_because,
    kubelet_finished,
    kubelet_found,
    kubelet_mirror,
    kubelet_oom,
    kubelet_oom_because,
    kubelet_pull_backoff,
    kubelet_pull_failed,
    kubelet_ready,
    kubelet_refused,
    kubelet_removed,
    kubelet_removed_killed,
    kubelet_reported,
    kubelet_sandbox,
    kubelet_started,
    kubelet_started_restarts,
    kubelet_stopping,
    kubelet_throttled,
    kubelet_throttled_because,
    kubelet_unthrottled,
    labels_and_taints,
    language,
    later,
    later_steps,
    legend,
    limit_aliases,
    limit_bytes,
    limit_depth,
    limit_documents,
    limit_expansion,
    limit_objects,
    line,
    loop_found,
    makes_revision,
    manifests,
    memory,
    more_problems,
    near_both,
    near_effect,
    near_operator,
    near_value,
    new_file,
    new_session,
    no_new_revision,
    no_nodes,
    no_pod,
    no_set,
    node_many,
    node_not_ready,
    node_one,
    node_unknown,
    nodes,
    none_fits,
    not_counted,
    not_grouped,
    not_kept,
    not_reached,
    nothing_due,
    notice,
    on_delete_waits,
    open_file,
    other_pods_on,
    parts,
    passed,
    pause,
    play,
    pod_of_revision,
    pod_without_revision,
    power_off,
    power_on,
    problems,
    quiet,
    remedy_align,
    remedy_anchor,
    remedy_brackets,
    remedy_budgets,
    remedy_close_quote,
    remedy_colon,
    remedy_did_you_mean,
    remedy_document_next_line,
    remedy_duplicate,
    remedy_labels,
    remedy_less,
    remedy_list_next_line,
    remedy_merge,
    remedy_number,
    remedy_quote,
    remedy_remove_character,
    remedy_render,
    remedy_selector,
    remedy_separate,
    remedy_single_quotes,
    remedy_space_after_colon,
    remedy_spaces,
    remedy_tag,
    remove_label,
    remove_node,
    remove_taint,
    rename_hint,
    restart,
    result,
    review,
    revision,
    role_worker,
    run_title,
    run_to_quiet,
    save_scenario,
    save_script,
    sched_bound,
    sched_bound_of,
    sched_bound_only,
    sched_gated,
    sched_no_nodes,
    sched_skipped,
    sched_unschedulable,
    session,
    session_replaced,
    set,
    set_image,
    show_all,
    show_terminal,
    shown_of,
    skip,
    slider_text,
    smallest_change,
    speed,
    state_available,
    state_evicted,
    state_failed,
    state_failing,
    state_pending,
    state_ready,
    state_starting,
    state_succeeded,
    state_terminating,
    step,
    step_of,
    step_over,
    step_over_title,
    step_title,
    story,
    story_empty,
    story_empty_more,
    template_control_plane,
    template_edge,
    template_gpu,
    template_spot,
    template_virtual,
    template_windows,
    template_worker,
    terminal,
    terminal_empty,
    terminal_first,
    theme,
    theme_auto,
    theme_dark,
    theme_light,
    timeline,
    to_start,
    transport,
    trouble,
    unchanged,
    uncordon,
    undo_rollout,
    verdict_no,
    verdict_of,
    verdict_pod,
    verdict_stay,
    verdict_yes,
    why,
    why_create_missing,
    why_create_missing_one,
    why_create_surge,
    why_create_surge_terminating,
    why_create_surge_unavailable,
    why_delete_budget,
    why_delete_excess,
    why_delete_failed,
    why_delete_gone_node,
    why_delete_not_eligible,
    why_delete_not_eligible_old,
    why_delete_replaced,
    why_delete_succeeded,
    why_delete_unavailable,
    why_no_pod_on,
    will_create,
    without_label,
    you_added_node,
    you_applied,
    you_asked,
    you_cordoned,
    you_deleted,
    you_drained,
    you_labelled,
    you_powered,
    you_ran,
    you_restarted,
    you_set_image,
    you_tainted,
    you_uncordoned,
    you_undid,
    you_waited,
}

/// Two tables are the same when they are the same table.
impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A count with its noun: the singular for 1 (and, in French, for 0). Both texts hold `{n}`.
pub fn count(language: Language, n: usize, one: &str, many: &str) -> String {
    let singular = match language {
        Language::En => n == 1,
        Language::Fr => n <= 1,
    };
    super::phrase::fill(if singular { one } else { many }, &[("n", &n.to_string())])
}

/// A virtual time since the start, for the eye: `0.0 s`, `21.5 s`, `3 min 5 s`, `2 h 10 min`.
pub fn time(language: Language, ms: i64) -> String {
    let ms = ms.max(0);
    let seconds = ms / 1000;
    if seconds < 60 {
        let point = match language {
            Language::En => '.',
            Language::Fr => ',',
        };
        return format!("{seconds}{point}{} s", ms / 100 % 10);
    }
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::phrase::placeholders;

    #[test]
    fn both_languages_use_the_same_facts() {
        for ((name, english), (_, french)) in en::WORDS.all().into_iter().zip(fr::WORDS.all()) {
            let sorted = |text| {
                let mut names = placeholders(text);
                names.sort_unstable();
                names
            };
            assert_eq!(sorted(english), sorted(french), "{name}: {english:?} / {french:?}");
            assert!(!english.is_empty() && !french.is_empty(), "{name}");
        }
    }

    #[test]
    fn counts_take_the_right_number() {
        assert_eq!(count(Language::En, 0, "{n} node", "{n} nodes"), "0 nodes");
        assert_eq!(count(Language::Fr, 0, "{n} nœud", "{n} nœuds"), "0 nœud");
        assert_eq!(count(Language::En, 1, "{n} node", "{n} nodes"), "1 node");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(time(Language::En, 21_540), "21.5 s");
        assert_eq!(time(Language::Fr, 900), "0,9 s");
        assert_eq!(time(Language::En, 185_000), "3 min 5 s");
        assert_eq!(time(Language::En, 7_800_000), "2 h 10 min");
    }

    #[test]
    fn a_browser_language_is_recognised() {
        assert_eq!(Language::from_tag("fr-CH"), Some(Language::Fr));
        assert_eq!(Language::from_tag("EN"), Some(Language::En));
        assert_eq!(Language::from_tag("de"), None);
    }
}
