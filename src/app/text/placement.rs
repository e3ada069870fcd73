//! Why a pod is pending, and who ended one, in plain words.

use super::Words;
use super::story::{code, join, plain, strong};
use crate::app::phrase::{Phrase, fill};
use crate::app::view::{CheckMark, CheckRow, Stage, readable};
use crate::controllers::pod_gc::PodGcDecision;
use crate::controllers::taint_eviction::TaintEvictionReason;
use crate::insight::fate::{Fate, Why};
use crate::insight::placement::{NodeVerdict, Obstacle, Placement, PlacementEdit, PodCaution};
use crate::objects::*;
use crate::scheduler::plugins::{
    inter_pod_affinity, node_affinity, node_name, node_ports, node_resources_fit, pod_topology_spread, taint_toleration,
};
use crate::scheduler::{Check, FilterReason, PreFilterReason};

texts! {
    /// The texts about places for pods.
    PlacementWords {
        title: "Why it is pending", "Pourquoi il attend";
        unplaced: "Pods without a node", "Pods sans nœud";
        end_title: "Who ended it", "Qui l’a arrêté";
        soon: "Nothing keeps it back: it goes to {node} as soon as the scheduler looks at it.", "Rien ne le retient : il ira sur {node} dès que le scheduler l’examinera.";
        gated: "Scheduling gates keep it out of the queue: {gates}.", "Des scheduling gates le tiennent hors de la file : {gates}.";
        other_scheduler: "It waits for the scheduler {name}, which does not run here.", "Il attend le scheduler {name}, qui ne tourne pas ici.";
        no_nodes: "The cluster has no node.", "Le cluster n’a aucun nœud.";
        conflict: "Its node affinity contradicts itself: no node can match.", "Son affinité de nœud se contredit : aucun nœud ne convient.";
        claim: "The PersistentVolumeClaim {claim} does not exist.", "Le PersistentVolumeClaim {claim} n’existe pas.";
        pinned_to_none: "It is pinned to a node that does not exist: {nodes}.", "Il est lié à un nœud qui n’existe pas : {nodes}.";
        nodes: "No node takes it.", "Aucun nœud ne l’accepte.";
        making_room: "Room is being made on {node}: {victims} must go first.", "De la place se libère sur {node} : {victims} doit d’abord partir.";
        fits: "no filter objects", "aucun filtre ne s’y oppose";
        more_nodes: "{n} more nodes", "{n} autres nœuds";
        more_nodes_found: "not listed", "non listés";
        not_examined: "{n} other nodes", "{n} autres nœuds";
        not_examined_found: "not looked at: the pod is pinned", "non examinés : le pod est lié à un nœud";
        also: "would object, too: {filters}", "s’y opposeraient aussi : {filters}";
        cordoned: "the node is cordoned", "le nœud est isolé (cordon)";
        other_node: "the pod names {node}", "le pod nomme {node}";
        taint: "taint {taint} is not tolerated", "la taint {taint} n’est pas tolérée";
        selector_other: "nodeSelector wants {label}, the node has {found}", "nodeSelector demande {label}, le nœud a {found}";
        selector_missing: "nodeSelector wants {label}, which the node does not have", "nodeSelector demande {label}, que le nœud n’a pas";
        pinned: "the pod is pinned to {nodes}", "le pod est lié à {nodes}";
        no_term: "no term of the required node affinity matches ({n})", "aucun terme de l’affinité de nœud requise ne convient ({n})";
        port: "port {port} is taken by {pod}", "le port {port} est pris par {pod}";
        too_many: "{used} of {most} pods are there already", "déjà {used} pods sur {most}";
        short: "{resource}: {asked} asked for, {free} of {all} free", "{resource} : {asked} demandé, {free} libre sur {all}";
        no_label: "the node has no label {key}", "le nœud n’a pas le label {key}";
        uneven: "{domain} would have {would} pods of the group, the emptiest domain has {least}; maxSkew is {skew}", "{domain} aurait {would} pods du groupe, le domaine le plus vide en a {least} ; maxSkew vaut {skew}";
        affinity: "no pod that it must be with is in {domain}", "aucun pod qu’il doit côtoyer n’est dans {domain}";
        anti_affinity: "a pod that it must not be with is in {domain}", "un pod qu’il doit éviter est dans {domain}";
        existing_anti_affinity: "a pod in {domain} does not want to be with it", "un pod dans {domain} refuse de le côtoyer";
        edit_uncordon: "Uncordon the node", "Rouvrir le nœud (uncordon)";
        edit_resize: "Give the node more", "Agrandir le nœud";
        edit_add_node: "Add a node", "Ajouter un nœud";
        edit_delete: "Delete another pod", "Supprimer un autre pod";
        edit_request: "Ask for less", "Demander moins";
        edit_port: "Take another port", "Prendre un autre port";
        edit_no_port: "Do without the host port", "Renoncer au hostPort";
        edit_affinity: "Drop the rule about other pods", "Retirer la règle sur les autres pods";
        edit_skew: "Allow more difference", "Permettre plus d’écart";
        edit_relax: "Make the spread a preference", "Faire de la répartition une préférence";
        edit_claim: "Create the claim", "Créer le claim";
        edit_gate: "Open the gate", "Ouvrir la gate";
        edit_priority: "Give it a higher priority class", "Lui donner une priorité plus haute";
        edit_scheduler: "Use the default scheduler", "Utiliser le scheduler par défaut";
        caution_replaced: "Its controller makes another one.", "Son contrôleur en recrée un.";
        caution_preempts: "Pods of lower priority may be evicted.", "Des pods moins prioritaires pourront être évincés.";
        caution_less: "Make sure that what runs in it can do with less.", "Vérifiez que son contenu peut s’en contenter.";
        recreate: "The spec of a pod cannot change: delete it, then apply.", "La spec d’un pod ne change pas : supprimez-le, puis appliquez.";
        mount_failed: "{who} on {node} could not mount the volumes of {pod}", "{who} de {node} n’a pas pu monter les volumes de {pod}";
        mount_failed_because: "{volume}: {message}; next attempt in {time}", "{volume} : {message} ; nouvel essai dans {time}";
        config_error: "{who} on {node} could not make a container of {pod}", "{who} de {node} n’a pas pu créer un conteneur de {pod}";
        by_preemption: "The scheduler evicted it in step {step} to make room on {node} for {by} (priority {priority}, this pod has {own}).", "Le scheduler l’a évincé à l’étape {step} pour faire place sur {node} à {by} (priorité {priority}, ce pod a {own}).";
        by_taint: "The taint eviction controller evicted it in step {step}: {node} has the taint {taint}, which it does not tolerate.", "Le contrôleur d’éviction par taint l’a évincé à l’étape {step} : {node} porte la taint {taint}, qu’il ne tolère pas.";
        by_taint_time: "The taint eviction controller evicted it in step {step}: it tolerated the taints of {node} for {time}, and that is over.", "Le contrôleur d’éviction par taint l’a évincé à l’étape {step} : il tolérait les taints de {node} pendant {time}, ce temps est écoulé.";
        by_pressure: "The kubelet evicted it in step {step}: the node was low on {resource} ({available} left, {threshold} must be); it used {usage} and asks for {request}.", "Le kubelet l’a évincé à l’étape {step} : le nœud manquait de {resource} (reste {available}, il faut {threshold}) ; il utilisait {usage} et demande {request}.";
        by_refusal: "The kubelet refused it in step {step}: {message}", "Le kubelet l’a refusé à l’étape {step} : {message}";
        by_gc_node: "Pod garbage collection removed it in step {step}: the node {node} is gone.", "Le ramassage des pods l’a retiré à l’étape {step} : le nœud {node} n’existe plus.";
        by_gc_service: "Pod garbage collection removed it in step {step}: the node {node} is out of service.", "Le ramassage des pods l’a retiré à l’étape {step} : le nœud {node} est hors service.";
        by_gc: "Pod garbage collection removed it in step {step}.", "Le ramassage des pods l’a retiré à l’étape {step}.";
        by_command: "A person did, in step {step}: {line}", "Une personne, à l’étape {step} : {line}";
        by_controller: "{actor} deleted it in step {step}.", "{actor} l’a supprimé à l’étape {step}.";
        by_itself: "Its containers ended in step {step}.", "Ses conteneurs ont fini à l’étape {step}.";
    }
}

impl Words {
    /// The texts about places for pods in this language.
    pub fn placement(&self) -> &'static PlacementWords {
        PlacementWords::of(self.language())
    }

    /// What keeps a pending pod, in a sentence.
    pub fn obstacle(&self, obstacle: &Obstacle) -> Phrase {
        let words = self.placement();
        match obstacle {
            Obstacle::None(node) => Phrase::fill(words.soon, &[("node", strong(node))]),
            Obstacle::Gated(gates) => Phrase::fill(words.gated, &[("gates", code(&gates.join(", ")))]),
            Obstacle::OtherScheduler(name) => Phrase::fill(words.other_scheduler, &[("name", code(name))]),
            Obstacle::NoNodes => Phrase::plain(words.no_nodes),
            Obstacle::Itself(PreFilterReason::NodeAffinityConflict) => Phrase::plain(words.conflict),
            Obstacle::Itself(PreFilterReason::ClaimNotFound { claim }) => {
                Phrase::fill(words.claim, &[("claim", code(claim))])
            }
            Obstacle::PinnedToNoNode(nodes) => {
                Phrase::fill(words.pinned_to_none, &[("nodes", strong(&nodes.join(", ")))])
            }
            Obstacle::Nodes => Phrase::plain(words.nodes),
            Obstacle::MakingRoom { node, victims } => {
                let names: Vec<&str> = victims.iter().map(|victim| &*victim.name).collect();
                Phrase::fill(words.making_room, &[("node", strong(node)), ("victims", strong(&names.join(", ")))])
            }
        }
    }

    /// Node by node, which filter says no and what it found.
    pub fn placement_rows(&self, placement: &Placement) -> Vec<CheckRow> {
        let words = self.placement();
        let mut rows: Vec<CheckRow> = placement.nodes.iter().map(|node| self.node_row(node)).collect();
        let mut rest = |n: usize, what: &str, found: &str| {
            if n > 0 {
                let what = Phrase::plain(fill(what, &[("n", &n.to_string())]));
                let found = Phrase::plain(found);
                rows.push(CheckRow {
                    mark: CheckMark::Skipped,
                    what,
                    found,
                    line: None,
                    nested: false,
                    stage: Stage::Scheduler,
                    field: None,
                });
            }
        };
        rest(placement.more_nodes, words.more_nodes, words.more_nodes_found);
        rest(placement.not_examined, words.not_examined, words.not_examined_found);
        rows
    }

    fn node_row(&self, verdict: &NodeVerdict) -> CheckRow {
        let words = self.placement();
        let mut what = vec![strong(&verdict.node)];
        let mut found: Vec<Phrase> = verdict.reasons.iter().map(|reason| self.filter_reason(reason)).collect();
        if let Some(first) = verdict.reasons.first() {
            what.extend([plain(" "), code(first.plugin().name())]);
            let others = verdict.checks.iter().filter(|c| !c.reasons.is_empty() && c.plugin != first.plugin());
            let others: Vec<&str> = others.map(|check| check.plugin.name()).collect();
            if !others.is_empty() {
                found.push(Phrase::fill(words.also, &[("filters", plain(others.join(", ")))]));
            }
        } else {
            found.push(Phrase::plain(words.fits));
        }
        let mark = if verdict.reasons.is_empty() { CheckMark::Passed } else { CheckMark::Failed };
        CheckRow {
            mark,
            what: Phrase(what),
            found: join(found, "; "),
            line: None,
            nested: false,
            stage: Stage::Scheduler,
            field: None,
        }
    }

    /// Each filter's verdict on one node.
    pub fn filter_rows(&self, checks: &[Check]) -> Vec<CheckRow> {
        let row = |check: &Check| {
            let refused = !check.reasons.is_empty();
            let mut found: Vec<Phrase> = check.reasons.iter().map(|reason| self.filter_reason(reason)).collect();
            if !refused {
                found.push(Phrase::plain(self.placement().fits));
            }
            CheckRow {
                mark: if refused { CheckMark::Failed } else { CheckMark::Passed },
                what: Phrase(vec![code(check.plugin.name())]),
                found: join(found, "; "),
                line: None,
                nested: true,
                stage: Stage::Scheduler,
                field: None,
            }
        };
        checks.iter().map(row).collect()
    }

    /// What a filter found on a node.
    pub fn filter_reason(&self, reason: &FilterReason) -> Phrase {
        let words = self.placement();
        let domain_of = |key: &str, domain: &str| code(&format!("{key}={domain}"));
        match reason {
            FilterReason::NodeUnschedulable(_) => Phrase::plain(words.cordoned),
            FilterReason::NodeName(node_name::Reason::OtherNode { wanted }) => {
                Phrase::fill(words.other_node, &[("node", strong(wanted))])
            }
            FilterReason::TaintToleration(taint_toleration::Reason::Untolerated { taint }) => {
                Phrase::fill(words.taint, &[("taint", code(&taint.to_string()))])
            }
            FilterReason::NodeAffinity(reason) => match reason {
                node_affinity::Reason::NodeSelector { key, wanted, found } => {
                    let label = code(&format!("{key}={wanted}"));
                    match found {
                        Some(found) => Phrase::fill(words.selector_other, &[("label", label), ("found", code(found))]),
                        None => Phrase::fill(words.selector_missing, &[("label", label)]),
                    }
                }
                node_affinity::Reason::PinnedElsewhere { nodes } => {
                    Phrase::fill(words.pinned, &[("nodes", strong(&nodes.join(", ")))])
                }
                node_affinity::Reason::NoTermMatches { terms } => Phrase::fill(words.no_term, &[("n", plain(terms))]),
            },
            FilterReason::NodePorts(node_ports::Reason::PortTaken { port, holder }) => {
                Phrase::fill(words.port, &[("port", code(&port.to_string())), ("pod", strong(&holder.to_string()))])
            }
            FilterReason::NodeResourcesFit(reason) => self.shortage(reason),
            FilterReason::PodTopologySpread(reason) => match reason {
                pod_topology_spread::Reason::MissingLabel { topology_key } => {
                    Phrase::fill(words.no_label, &[("key", code(topology_key))])
                }
                pod_topology_spread::Reason::TooUneven { topology_key, domain, would_be, minimum, max_skew } => {
                    let facts = [
                        ("domain", domain_of(topology_key, domain)),
                        ("would", plain(would_be)),
                        ("least", plain(minimum)),
                        ("skew", plain(max_skew)),
                    ];
                    Phrase::fill(words.uneven, &facts)
                }
            },
            FilterReason::InterPodAffinity(reason) => match reason {
                inter_pod_affinity::Reason::Affinity { topology_key, domain: None } => {
                    Phrase::fill(words.no_label, &[("key", code(topology_key))])
                }
                inter_pod_affinity::Reason::Affinity { topology_key, domain: Some(domain) } => {
                    Phrase::fill(words.affinity, &[("domain", domain_of(topology_key, domain))])
                }
                inter_pod_affinity::Reason::AntiAffinity { topology_key, domain } => {
                    Phrase::fill(words.anti_affinity, &[("domain", domain_of(topology_key, domain))])
                }
                inter_pod_affinity::Reason::ExistingAntiAffinity { topology_key, domain } => {
                    Phrase::fill(words.existing_anti_affinity, &[("domain", domain_of(topology_key, domain))])
                }
            },
        }
    }

    fn shortage(&self, reason: &node_resources_fit::Reason) -> Phrase {
        let words = self.placement();
        match reason {
            node_resources_fit::Reason::TooManyPods { used, allocatable } => {
                Phrase::fill(words.too_many, &[("used", plain(used)), ("most", plain(allocatable))])
            }
            node_resources_fit::Reason::Insufficient { resource, requested, used, allocatable } => {
                let amount = |n: i64| plain(amount(resource, n));
                let free = allocatable.saturating_sub(*used).max(0);
                let facts = [
                    ("resource", code(resource)),
                    ("asked", amount(*requested)),
                    ("free", amount(free)),
                    ("all", amount(*allocatable)),
                ];
                Phrase::fill(words.short, &facts)
            }
        }
    }

    /// An edit for a pending pod in a few words.
    pub fn placement_edit(&self, edit: &PlacementEdit) -> &'static str {
        let words = self.placement();
        match edit {
            PlacementEdit::Node { edit, .. } | PlacementEdit::Spec(edit) => self.edit_name(edit),
            PlacementEdit::Uncordon { .. } => words.edit_uncordon,
            PlacementEdit::ResizeNode { .. } => words.edit_resize,
            PlacementEdit::AddNode { .. } => words.edit_add_node,
            PlacementEdit::DeletePod { .. } => words.edit_delete,
            PlacementEdit::SetRequest { .. } | PlacementEdit::SetPodRequest { .. } => words.edit_request,
            PlacementEdit::SetPort { .. } => words.edit_port,
            PlacementEdit::RemoveHostPort { .. } => words.edit_no_port,
            PlacementEdit::RemovePodAffinity { .. } => words.edit_affinity,
            PlacementEdit::SetMaxSkew { .. } => words.edit_skew,
            PlacementEdit::RelaxSpread { .. } => words.edit_relax,
            PlacementEdit::CreateClaim { .. } => words.edit_claim,
            PlacementEdit::RemoveGate { .. } => words.edit_gate,
            PlacementEdit::SetPriorityClass { .. } => words.edit_priority,
            PlacementEdit::RemoveSchedulerName => words.edit_scheduler,
        }
    }

    /// What a person should know before making an edit.
    pub fn pod_caution(&self, caution: PodCaution) -> &'static str {
        let words = self.placement();
        match caution {
            PodCaution::Of(caution) => self.caution(caution),
            PodCaution::PodComesBack => words.caution_replaced,
            PodCaution::PodsArePreempted => words.caution_preempts,
            PodCaution::AsksForLess => words.caution_less,
        }
    }

    /// Who ended a pod and why.
    pub fn pod_fate(&self, fate: &Fate) -> Phrase {
        let words = self.placement();
        let step = ("step", plain(fate.step));
        match &fate.why {
            Why::Preempted { by, priority, own, node } => Phrase::fill(
                words.by_preemption,
                &[
                    step,
                    ("node", strong(node)),
                    ("by", strong(&by.to_string())),
                    ("priority", plain(priority)),
                    ("own", plain(own)),
                ],
            ),
            Why::Taint { reason: TaintEvictionReason::NotTolerated { taint, node } } => {
                Phrase::fill(words.by_taint, &[step, ("node", strong(node)), ("taint", code(taint))])
            }
            Why::Taint { reason: TaintEvictionReason::TimeOver { node, tolerated_ms } } => {
                let time = plain(self.duration(*tolerated_ms));
                Phrase::fill(words.by_taint_time, &[step, ("node", strong(node)), ("time", time)])
            }
            Why::NodePressure(eviction) => {
                let shown = |quantity: Quantity| plain(readable(quantity, &eviction.resource));
                let facts = [
                    step,
                    ("resource", code(&eviction.resource)),
                    ("available", shown(eviction.available)),
                    ("threshold", shown(eviction.threshold)),
                    ("usage", shown(eviction.usage)),
                    ("request", shown(eviction.request)),
                ];
                Phrase::fill(words.by_pressure, &facts)
            }
            Why::Refused(refusal) => {
                let message = format!("{}. {}", refusal.reason(), refusal.message());
                Phrase::fill(words.by_refusal, &[step, ("message", plain(message.trim_end()))])
            }
            Why::Collected(PodGcDecision::NodeGone { node, .. }) => {
                Phrase::fill(words.by_gc_node, &[step, ("node", strong(node))])
            }
            Why::Collected(PodGcDecision::OutOfService { node, .. }) => {
                Phrase::fill(words.by_gc_service, &[step, ("node", strong(node))])
            }
            Why::Collected(_) => Phrase::fill(words.by_gc, &[step]),
            Why::Command(line) => Phrase::fill(words.by_command, &[step, ("line", code(line))]),
            Why::Ended => Phrase::fill(words.by_itself, &[step]),
            Why::Taint { .. } | Why::Controller => {
                Phrase::fill(words.by_controller, &[step, ("actor", plain(self.actor(fate.by)))])
            }
        }
    }
}

/// An amount in the scheduler's numbers as a person reads it.
fn amount(resource: &str, n: i64) -> String {
    match resource {
        CPU => Quantity::from_milli(n).to_string(),
        MEMORY | EPHEMERAL_STORAGE => readable(Quantity::from_bytes(n), resource),
        _ => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::text::Language;
    use crate::app::text::pairs::assert_same_facts;

    #[test]
    fn both_languages_use_the_same_facts() {
        assert_same_facts(PlacementWords::PAIRS);
        assert_eq!(Language::Fr.words().placement().title, PlacementWords::FRENCH.title);
        assert_eq!(Language::En.words().placement().title, PlacementWords::ENGLISH.title);
    }
}
