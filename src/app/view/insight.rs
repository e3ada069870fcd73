use crate::app::insight::{Section, State, Trial, Typed, decimal};
use crate::app::model::Model;
use crate::app::view::group_labels;
use crate::controllers::daemonset::Rules;
use crate::insight::compare::{ChangeEffect, Comparison, effect};
use crate::insight::forecast::{Forecast, RolloutResult, Strategy, forecast};
use crate::insight::lint;
use crate::insight::overhead::{Amount, Overhead, RequestsChange, fleet, overhead, requests_change};
use crate::insight::trial::applied;
use crate::kubelet::Behaviours;
use crate::objects::*;
use std::rc::Rc;

/// Nodes that are assumed where the cluster has none that is eligible.
const SOME_NODES: usize = 100;
/// Longer texts are not applied on a copy with every step.
const LARGEST_TRIED: usize = 256 << 10;

/// What the panel of insight shows.
#[derive(Clone, Debug, PartialEq)]
pub struct InsightView {
    /// The part that is shown.
    pub section: Section,
    /// DaemonSets to ask about, and whether each is in the cluster.
    pub subjects: Vec<(ObjectKey, bool)>,
    /// The one that is asked about.
    pub subject: ObjectKey,
    /// Whether it is in the cluster.
    pub is_applied: bool,
    /// Eligible nodes.
    pub eligible: usize,
    /// The number of nodes that is asked about.
    pub nodes: usize,
    /// What was typed.
    pub typed: Typed,
    /// What stands in the part.
    pub body: InsightBody,
    /// The trial.
    pub trial: TrialView,
}

/// What stands in a part of the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum InsightBody {
    /// What the DaemonSet takes of the cluster.
    Cost(Box<CostView>),
    /// Findings of the shown file, each with the number of its fix.
    Check(Rc<Vec<(lint::Finding, Option<usize>)>>),
    /// Budgets side by side.
    Rollout(RolloutView),
    /// What applying the shown file would do to each of its DaemonSets; or why it cannot be applied.
    Change {
        /// The file speaks of a DaemonSet at all.
        has_set: bool,
        /// Those that would change.
        effects: Result<Vec<ChangeEffect>, String>,
    },
    /// The same as a Deployment.
    Compare,
}

/// What the DaemonSet takes of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct CostView {
    /// As it is.
    pub overhead: Overhead,
    /// What each pod asks for, as typed or as it is.
    pub per_pod: Amount,
    /// That, on so many nodes as were asked about.
    pub total: Amount,
    /// What it costs in a month.
    pub month: f64,
    /// What these requests would do, where they are others than the present ones.
    pub change: Option<RequestsChange>,
    /// Labels to group the nodes by, and the chosen one.
    pub labels: Vec<String>,
    /// The chosen one.
    pub label: Option<String>,
    /// All DaemonSets, where there are several.
    pub fleet: Vec<Overhead>,
}

/// Budgets side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutView {
    /// Under OnDelete nothing rolls by itself.
    pub on_delete: bool,
    /// The budget of the DaemonSet.
    pub current: Option<Strategy>,
    /// What is to be expected.
    pub forecasts: Rc<Vec<Forecast>>,
}

/// How a trial goes.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialView {
    /// Nothing was asked for, or the session has moved on since.
    None,
    /// It runs: new pods, of so many.
    Running(usize, usize),
    /// A rollout's result; `true`: of the shown file.
    RolledOut(RolloutResult, bool),
    /// A comparison's result.
    Compared(Rc<Comparison>),
    /// kubectl refused it.
    Refused(Rc<str>),
}

/// Forecasts, kept as long as what they depend on is the same.
#[derive(Clone, Debug, Default)]
pub struct ForecastCache {
    key: Option<(DaemonSetSpec, Behaviours, usize, Vec<Strategy>)>,
    made: Rc<Vec<Forecast>>,
}

/// The DaemonSets that can be asked about: those of the cluster, then those that the shown file would make.
fn subjects(model: &Model) -> Vec<(ObjectKey, bool)> {
    let store = model.session.world().store();
    let mut keys: Vec<(ObjectKey, bool)> = store.daemon_sets().values().map(|set| (set.metadata.key(), true)).collect();
    for (_, set) in written(model).unwrap_or_default() {
        let key = set.metadata.key();
        if !keys.iter().any(|(known, _)| *known == key) {
            keys.push((key, false));
        }
    }
    keys
}

/// What the shown file would make, where it holds a DaemonSet at all.
fn written(model: &Model) -> Result<Vec<crate::insight::trial::Applied>, String> {
    match model.files.shown() {
        Some(file) if file.text.len() <= LARGEST_TRIED && file.text.contains("DaemonSet") => {
            applied(model.session.world(), &file.text)
        }
        _ => Ok(Vec::new()),
    }
}

/// The DaemonSet that the panel is about: the one that was asked for, that is looked at, or the first.
pub fn subject_key(model: &Model) -> Option<ObjectKey> {
    choose(model, &subjects(model))
}

fn choose(model: &Model, all: &[(ObjectKey, bool)]) -> Option<ObjectKey> {
    let wanted = [model.insight.subject.as_ref(), model.chosen.as_ref()];
    let found = wanted.into_iter().flatten().find(|key| all.iter().any(|(known, _)| known == *key));
    found.or_else(|| all.first().map(|(key, _)| key)).cloned()
}

/// A DaemonSet of the cluster, or as the shown file would make it.
pub fn subject_set(model: &Model, key: &ObjectKey) -> Option<Rc<DaemonSet>> {
    if let Some(set) = model.session.world().store().daemon_set(key) {
        return Some(Rc::clone(set));
    }
    let sets = written(model).ok()?;
    sets.into_iter().map(|(_, set)| set).find(|set| set.metadata.key() == *key)
}

/// Computes the panel; `None`: there is no DaemonSet to speak of.
pub fn insight_view(model: &Model, cache: &mut ForecastCache) -> Option<InsightView> {
    let State { section, typed, .. } = &model.insight;
    let subjects = subjects(model);
    let Some(subject) = choose(model, &subjects) else {
        // A manifest that cannot be applied can still be looked at.
        return (*section == Section::Check && !model.check.lint.is_empty()).then(|| InsightView {
            section: *section,
            subjects,
            subject: ObjectKey::default(),
            is_applied: false,
            eligible: 0,
            nodes: 0,
            typed: typed.clone(),
            body: InsightBody::Check(Rc::clone(&model.check.lint)),
            trial: TrialView::None,
        });
    };
    let set = subject_set(model, &subject)?;
    let world = model.session.world();
    let rules = Rules::of(&set);
    let eligible = world.store().nodes().values().filter(|node| rules.eligibility(node).should_run).count();
    let nodes = typed.nodes.trim().parse().ok().filter(|n: &usize| *n <= 1_000_000);
    let nodes = nodes.unwrap_or(if eligible > 0 { eligible } else { SOME_NODES });
    let body = match section {
        Section::Cost => InsightBody::Cost(Box::new(cost(model, &set, nodes))),
        Section::Check => InsightBody::Check(Rc::clone(&model.check.lint)),
        Section::Rollout => {
            let behaviours = world.behaviours();
            InsightBody::Rollout(rollout(cache, &set, behaviours, nodes, typed.strategy()))
        }
        Section::Change => InsightBody::Change {
            has_set: model.files.shown().is_some_and(|file| file.text.contains("DaemonSet")),
            effects: written(model)
                .map(|sets| sets.iter().map(|(before, after)| effect(world, before.as_deref(), after)).collect()),
        },
        Section::Compare => InsightBody::Compare,
    };
    Some(InsightView {
        section: *section,
        is_applied: subjects.iter().any(|(key, applied)| *key == subject && *applied),
        subjects,
        subject,
        eligible,
        nodes,
        typed: typed.clone(),
        body,
        trial: trial(model),
    })
}

fn cost(model: &Model, set: &DaemonSet, nodes: usize) -> CostView {
    let store = model.session.world().store();
    let State { label, typed, .. } = &model.insight;
    let overhead = overhead(set, store, label.as_deref());
    let quantity = |text: &str| Quantity::parse(text.trim()).ok().filter(|quantity| !quantity.is_negative());
    let per_pod = Amount {
        milli_cpu: quantity(&typed.cpu).map_or(overhead.per_pod.milli_cpu, Quantity::milli_value),
        memory: quantity(&typed.memory).map_or(overhead.per_pod.memory, Quantity::value),
    };
    let kept = model.settings.prices.prices();
    let prices = crate::insight::overhead::Prices {
        cpu_hour: decimal(&typed.cpu_price).unwrap_or(kept.cpu_hour),
        gib_hour: decimal(&typed.gib_price).unwrap_or(kept.gib_hour),
    };
    let total = per_pod.times(nodes);
    let many = store.daemon_sets().size() > 1;
    CostView {
        change: (per_pod != overhead.per_pod).then(|| requests_change(set, store, per_pod)),
        labels: group_labels(&model.views.cards),
        label: label.clone(),
        fleet: if many { fleet(store, None) } else { Vec::new() },
        month: prices.month(total),
        overhead,
        per_pod,
        total,
    }
}

fn rollout(
    cache: &mut ForecastCache,
    set: &DaemonSet,
    behaviours: &Behaviours,
    nodes: usize,
    typed: Option<Strategy>,
) -> RolloutView {
    let current = Strategy::of(set);
    let mut strategies: Vec<Strategy> = Vec::new();
    for strategy in current.iter().cloned().chain(Strategy::usual()).chain(typed) {
        if !strategies.contains(&strategy) {
            strategies.push(strategy);
        }
    }
    let key = (set.spec.clone(), behaviours.clone(), nodes, strategies);
    if cache.key.as_ref() != Some(&key) {
        cache.made = Rc::new(forecast(set, behaviours, nodes, &key.3));
        cache.key = Some(key);
    }
    RolloutView { on_delete: current.is_none(), current, forecasts: Rc::clone(&cache.made) }
}

fn trial(model: &Model) -> TrialView {
    let state = &model.insight;
    let is_stale = state.tried_at != (model.session.position(), model.session.len());
    match &state.trial {
        Trial::Rollout(rollout, _) => {
            let (done, all) = rollout.progress();
            TrialView::Running(done, all)
        }
        Trial::Compare(_) => TrialView::Running(0, 0),
        _ if is_stale => TrialView::None,
        Trial::None => TrialView::None,
        Trial::RolledOut(result, of_file) => TrialView::RolledOut(result.clone(), *of_file),
        Trial::Compared(result) => TrialView::Compared(Rc::clone(result)),
        Trial::Refused(text) => TrialView::Refused(Rc::clone(text)),
    }
}
