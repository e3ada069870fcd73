//! How far a DaemonSet has come, and what stands in its way, in plain words.

use super::story::{code, plain, strong};
use super::{Words, count};
use crate::app::phrase::{Part, Phrase};
use crate::insight::standstill::{Fault, Held, Standing, Trouble};

texts! {
    /// The texts about rollouts that stand still.
    StandingWords {
        stuck: "Stuck", "Bloqué";
        your_turn: "Your turn", "À vous";
        in_circles: "In circles", "En boucle";
        up_to_date: "Stuck: {n} of {all} up to date", "Bloqué : {n} sur {all} à jour";
        available: "Stuck: {n} of {all} available", "Bloqué : {n} sur {all} disponibles";
        on_delete: "Your turn: {n} of {all} up to date", "À vous : {n} sur {all} à jour";
        circles: "This goes round in circles", "Cela tourne en rond";
        of_set: "{set}: ", "{set} : ";
        circles_every: "The same again every {time}: {what}", "La même chose toutes les {time} : {what}";
        undo: "Undo", "Annuler";
        why: "Why?", "Pourquoi ?";

        missing: "{node} has no pod.", "{node} n’a aucun pod.";
        unscheduled: "{pod} finds no place on {node}.", "{pod} ne trouve pas de place sur {node}.";
        unscheduled_why: "{pod} finds no place on {node}: {why}.", "{pod} ne trouve pas de place sur {node} : {why}.";
        node_unwell: "{node} is not ready, so nobody knows how {pod} is.", "{node} n’est pas prêt : on ne sait rien de {pod}.";
        leaving: "{pod} was told to go and is still on {node}.", "{pod} doit partir et se trouve encore sur {node}.";
        failed: "{pod} on {node} has failed ({reason}).", "{pod} sur {node} a échoué ({reason}).";
        image: "{node} cannot pull the image {image} ({reason}).", "{node} ne peut télécharger l’image {image} ({reason}).";
        crash: "{container} crashes on {node}: {reason}, exit code {code}, {restarts}.", "{container} plante sur {node} : {reason}, code de sortie {code}, {restarts}.";
        refused: "{container} cannot be started on {node} ({reason}).", "{container} ne peut démarrer sur {node} ({reason}).";
        creating: "{pod} on {node} does not start: its containers are still being created.", "{pod} sur {node} ne démarre pas : ses conteneurs sont encore en création.";
        creating_yet: "{pod} on {node} is starting: its containers are being created.", "{pod} sur {node} démarre : ses conteneurs sont en création.";
        not_ready: "{pod} on {node} runs, but never gets ready.", "{pod} sur {node} tourne, mais n’est jamais prêt.";
        not_ready_yet: "{pod} on {node} runs and is not ready yet.", "{pod} sur {node} tourne et n’est pas encore prêt.";
        too_young: "{pod} on {node} is ready, but not yet for minReadySeconds.", "{pod} sur {node} est prêt, mais pas encore depuis minReadySeconds.";
        retried: "The kubelet tries again, each time after a longer wait.", "Le kubelet réessaie, après une attente chaque fois plus longue.";
        more_one: "There is trouble on {n} more node.", "{n} autre nœud a des ennuis.";
        more_many: "There is trouble on {n} more nodes.", "{n} autres nœuds ont des ennuis.";
        waits_one: "{n} node waits", "{n} nœud attend";
        waits_many: "{n} nodes wait", "{n} nœuds attendent";
        held_unavailable: "{waits}: the budget is used up ({used} of {most} unavailable).", "{waits} : le budget est épuisé ({used} sur {most} indisponible).";
        held_surge: "{waits}: the budget is used up ({used} of {most} surge).", "{waits} : le budget est épuisé ({used} sur {most} en surplus).";
        held_delete: "{waits}: with OnDelete an old pod stays until you delete it.", "{waits} : avec OnDelete, un ancien pod reste jusqu’à ce que vous le supprimiez.";
        held_coming: "{waits}.", "{waits}.";
        restarts_one: "{n} restart", "{n} redémarrage";
        restarts_many: "{n} restarts", "{n} redémarrages";

        running_not_ready: "running, not ready", "tourne, pas prêt";
        starts_again: "started again, crashed before", "relancé après un plantage";

        why_not_ready: "Why is this pod not ready?", "Pourquoi ce pod n’est-il pas prêt ?";
        why_pending: "Why is this pod pending?", "Pourquoi ce pod attend-il ?";
        not_placed: "{set} places no pod here.", "{set} ne place aucun pod ici.";
        why_old: "Why is the old version still on {node}?", "Pourquoi l’ancienne version est-elle encore sur {node} ?";
        old_unavailable: "It waits its turn: the budget is used up ({used} of {most} unavailable), by {nodes}.", "Il attend son tour : le budget est épuisé ({used} sur {most} indisponible), par {nodes}.";
        old_surge: "It waits its turn: the budget is used up ({used} of {most} surge), by {nodes}.", "Il attend son tour : le budget est épuisé ({used} sur {most} en surplus), par {nodes}.";
        old_delete: "It waits for you: with OnDelete an old pod stays until you delete it.", "Il attend votre geste : avec OnDelete, un ancien pod reste jusqu’à ce que vous le supprimiez.";
        old_coming: "It is about to be replaced: the controller has not come to it yet.", "Il va être remplacé : le contrôleur n’est pas encore arrivé à lui.";
        way_out: "The way out", "Comment en sortir";
        why_node: "Look at {node}", "Voir {node}";
        why_node_remark: "its pod uses the budget up", "son pod épuise le budget";
        undo_remark: "back to the revision before, on all nodes", "retour à la révision précédente, sur tous les nœuds";
        delete_old: "Delete the old pod", "Supprimer l’ancien pod";
        delete_remark: "the controller makes a new one here", "le contrôleur en crée un nouveau ici";
        budget_what: "Budget of the rollout", "Budget du déploiement";
        budget_found: "{used} of {most} in use", "{used} sur {most} utilisé";
    }
}

/// Most nodes that are named.
const NAMED: usize = 3;

impl Words {
    /// The texts about rollouts that stand still in this language.
    pub fn standing(&self) -> &'static StandingWords {
        StandingWords::of(self.language())
    }

    /// How often something was started again.
    pub fn restarts(&self, n: i32) -> String {
        let words = self.standing();
        count(self.language(), usize::try_from(n).unwrap_or(0), words.restarts_one, words.restarts_many)
    }

    /// What is wrong on a node. `still`: nothing is on its way that could change it. `why`: what the scheduler objects.
    pub fn fault(&self, fault: &Fault, still: bool, why: Option<Phrase>) -> Phrase {
        let words = self.standing();
        let pod = fault.pod.as_ref().map_or("", |pod| &pod.metadata.name);
        let mut facts: Vec<(&str, Part)> = vec![("node", strong(&fault.node)), ("pod", strong(pod))];
        let template = match &fault.trouble {
            Trouble::Missing => words.missing,
            Trouble::Unscheduled => match why {
                Some(why) => return embed(words.unscheduled_why, &facts, "why", &why),
                None => words.unscheduled,
            },
            Trouble::NodeUnwell => words.node_unwell,
            Trouble::Leaving => words.leaving,
            Trouble::Failed { reason } => {
                facts.push(("reason", code(if reason.is_empty() { "Failed" } else { reason })));
                words.failed
            }
            Trouble::Image { image, reason } => {
                facts.extend([("image", code(image)), ("reason", code(reason))]);
                words.image
            }
            Trouble::Crash { container, exit_code, reason, restarts } => {
                facts.extend([
                    ("container", strong(container)),
                    ("reason", code(if reason.is_empty() { "Error" } else { reason })),
                    ("code", plain(exit_code)),
                    ("restarts", plain(self.restarts(*restarts))),
                ]);
                words.crash
            }
            Trouble::Refused { container, reason } => {
                facts.extend([("container", strong(container)), ("reason", code(reason))]);
                words.refused
            }
            Trouble::Creating if still => words.creating,
            Trouble::Creating => words.creating_yet,
            Trouble::NotReady if still => words.not_ready,
            Trouble::NotReady => words.not_ready_yet,
            Trouble::TooYoung => words.too_young,
        };
        Phrase::fill(template, &facts)
    }

    /// How many other nodes are in trouble.
    pub fn more_faults(&self, n: usize) -> Option<String> {
        let words = self.standing();
        (n > 0).then(|| count(self.language(), n, words.more_one, words.more_many))
    }

    /// How many nodes wait with an old pod, and for what.
    pub fn waiting(&self, standing: &Standing) -> Option<Phrase> {
        let words = self.standing();
        let waits = plain(count(self.language(), standing.waiting.len(), words.waits_one, words.waits_many));
        let (template, facts) = match standing.held {
            _ if standing.waiting.is_empty() => return None,
            Held::OnDelete => (words.held_delete, [("waits", waits), ("used", plain("")), ("most", plain(""))]),
            Held::Coming => (words.held_coming, [("waits", waits), ("used", plain("")), ("most", plain(""))]),
            Held::Unavailable { used, most } => {
                (words.held_unavailable, [("waits", waits), ("used", plain(used)), ("most", plain(most))])
            }
            Held::Surge { used, most } => {
                (words.held_surge, [("waits", waits), ("used", plain(used)), ("most", plain(most))])
            }
        };
        Some(Phrase::fill(template, &facts))
    }

    /// Why an old pod is still there.
    pub fn old_pod(&self, standing: &Standing) -> Phrase {
        let words = self.standing();
        let holders = |surge: bool| {
            let mut names: Vec<&str> =
                standing.faults.iter().filter(|fault| fault.newest || !surge).map(|fault| &*fault.node).collect();
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            strong(format!("{}{more}", names.join(", ")).as_str())
        };
        match standing.held {
            Held::OnDelete => Phrase::plain(words.old_delete),
            Held::Coming => Phrase::plain(words.old_coming),
            Held::Unavailable { used, most } => Phrase::fill(
                words.old_unavailable,
                &[("used", plain(used)), ("most", plain(most)), ("nodes", holders(false))],
            ),
            Held::Surge { used, most } => {
                Phrase::fill(words.old_surge, &[("used", plain(used)), ("most", plain(most)), ("nodes", holders(true))])
            }
        }
    }
}

/// A template with a whole sentence as one of its facts.
pub fn embed(template: &str, facts: &[(&str, Part)], name: &str, inner: &Phrase) -> Phrase {
    let marker = Part::Code("\u{1}".into());
    let mut all = facts.to_vec();
    all.push((name, marker.clone()));
    let filled = Phrase::fill(template, &all).0;
    let parts = filled.into_iter().flat_map(|part| if part == marker { inner.0.clone() } else { vec![part] });
    Phrase(parts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::text::Language;
    use crate::app::text::pairs::assert_same_facts;

    #[test]
    fn both_languages_use_the_same_facts() {
        assert_same_facts(StandingWords::PAIRS);
        assert_eq!(Language::Fr.words().standing().stuck, "Bloqué");
    }

    #[test]
    fn a_sentence_within_a_sentence_keeps_its_styles() {
        let inner = Phrase(vec![Part::Code("cpu".into()), Part::Plain(" is short".into())]);
        let phrase = embed("{pod}: {why}.", &[("pod", Part::Strong("a".into()))], "why", &inner);
        assert_eq!(phrase.to_string(), "a: cpu is short.");
        assert_eq!(phrase.0[2], Part::Code("cpu".into()));
    }
}
