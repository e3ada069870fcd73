//! The fixed texts of the insight panel.

macro_rules! panel_words {
    ($($name:ident $en:literal $fr:literal;)*) => {
        /// All texts of the panel in one language. `{names}` are filled in.
        #[derive(Debug)]
        #[allow(missing_docs, reason = "the English text says what each is")]
        pub struct InsightWords {
            $(pub $name: &'static str,)*
        }

        pub(super) static EN: InsightWords = InsightWords { $($name: $en,)* };
        pub(super) static FR: InsightWords = InsightWords { $($name: $fr,)* };

        /// Name, English and French, for the test of the placeholders.
        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $fr),)*];
    };
}

panel_words! {
    all_sets "All DaemonSets"
        "Tous les DaemonSets";
    apply_first "This runs once the DaemonSet is in the cluster: apply the manifest first."
        "Possible dès que le DaemonSet est dans le cluster : appliquez d’abord le manifeste.";
    asked_none "Each pod asks for nothing, so the scheduler sets nothing aside for the agent. Type what it really needs to see what it costs."
        "Chaque pod ne demande rien : le scheduler ne réserve rien pour l’agent. Saisissez ce dont il a réellement besoin pour voir son coût.";
    at_once "{n} at once, {waves} times"
        "{n} à la fois, {waves} fois";
    budget "Another budget"
        "Autre budget";
    budget_hint "5 or 20%"
        "5 ou 20%";
    change_gains "Nodes that get their first pod: {n}, all at once, since no budget limits that."
        "Nœuds qui reçoivent leur premier pod : {n}, tous à la fois, car aucun budget ne limite cela.";
    change_loses "Nodes that lose their pod: {n}, at once and whatever the budget."
        "Nœuds qui perdent leur pod : {n}, aussitôt et quel que soit le budget.";
    change_manual "Pods of the old template: {n}. They stay until somebody deletes them (OnDelete)."
        "Pods de l’ancien template : {n}. Ils restent jusqu’à ce que quelqu’un les supprime (OnDelete).";
    change_new "{name} is new: DESIRED {after}."
        "{name} est nouveau : DESIRED {after}.";
    change_none "{name}: no pod changes."
        "{name} : aucun pod ne change.";
    change_nothing "The cluster has it as it is here: applying changes nothing, and no pod changes."
        "Le cluster l’a tel quel : appliquer ne change rien, et aucun pod ne change.";
    change_refused "The manifest cannot be applied:"
        "Le manifeste ne peut pas être appliqué :";
    change_replaced "Pods to replace: {n}, {at_once} at a time. The old pod goes first."
        "Pods à remplacer : {n}, {at_once} à la fois. L’ancien pod part d’abord.";
    change_revision "A new revision."
        "Une nouvelle révision.";
    change_same "{name}: DESIRED goes from {before} to {after}."
        "{name} : DESIRED passe de {before} à {after}.";
    change_strands "Nodes that should no longer run the pod: {n}. Theirs stays, misscheduled, until a rollout takes it, and is not replaced."
        "Nœuds qui ne devraient plus exécuter le pod : {n}. Le leur reste, misscheduled, jusqu’à ce qu’un rollout l’enlève, et n’est pas remplacé.";
    change_surged "Pods to replace: {n}, {at_once} at a time. The new pod is there before the old one goes."
        "Pods à remplacer : {n}, {at_once} à la fois. Le nouveau pod est là avant que l’ancien parte.";
    change_title "What applying the shown manifest would do"
        "Ce que ferait l’application du manifeste affiché";
    check_clean "Nothing to say about the shown manifest."
        "Rien à redire au manifeste affiché.";
    check_fine "Looks odd, and is right here ({n})"
        "Surprenant, mais juste ici ({n})";
    check_none "The shown file holds no DaemonSet."
        "Le fichier affiché ne contient pas de DaemonSet.";
    check_title "What is worth a second look in the shown manifest"
        "Ce qui mérite un second regard dans le manifeste affiché";
    compare_covered "nodes covered: {n} of {all}"
        "nœuds couverts : {n} sur {all}";
    compare_crowded "nodes with more than one: {n}"
        "nœuds avec plus d’un : {n}";
    compare_follows "a new node gets its pod by itself"
        "un nouveau nœud reçoit son pod de lui-même";
    compare_ignores "a new node gets no pod"
        "un nouveau nœud ne reçoit pas de pod";
    compare_intro "The same template as a DaemonSet and as a Deployment, run on two copies of this cluster; then one more node joins."
        "Le même template en DaemonSet et en Deployment, exécutés sur deux copies de ce cluster ; puis un nœud de plus arrive.";
    compare_new "new"
        "nouveau";
    compare_pending "pods without a node: {n}"
        "pods sans nœud : {n}";
    compare_play "Run both"
        "Exécuter les deux";
    compare_title "DaemonSet or Deployment"
        "DaemonSet ou Deployment";
    cost_change "On this cluster that is {cpu} and {memory} compared with now."
        "Sur ce cluster, cela fait {cpu} et {memory} par rapport à maintenant.";
    cost_heaviest "It weighs most on {node}: {share} of it."
        "C’est sur {node} qu’il pèse le plus : {share} du nœud.";
    cost_here "In this cluster {eligible} of {nodes} nodes should run it. With a pod on each, it takes {cpu_share} of their CPU and {memory_share} of their memory."
        "Dans ce cluster, {eligible} nœuds sur {nodes} doivent l’exécuter. Avec un pod sur chacun, il prend {cpu_share} de leur CPU et {memory_share} de leur mémoire.";
    cost_month "{money} a month before any workload runs, in the currency of the prices above. Those are examples: put in yours."
        "{money} par mois avant tout autre workload, dans la monnaie des prix ci-dessus. Ce sont des exemples : mettez les vôtres.";
    cost_no_room "No room for it on: {names} ({n})."
        "Pas de place pour lui sur : {names} ({n}).";
    cost_result "{cpu} and {memory}"
        "{cpu} et {memory}";
    cost_title "What it costs"
        "Ce qu’il coûte";
    cpu_per_pod "CPU per pod"
        "CPU par pod";
    cpu_price "Price per CPU and hour"
        "Prix par CPU et heure";
    done "The trial is over."
        "L’essai est terminé.";
    empty "Nothing to analyse yet"
        "Rien à analyser pour l’instant";
    empty_more "Write or open the manifest of a DaemonSet: here you see what it costs, what is risky in it, how long a rollout takes and what a change would do."
        "Écrivez ou ouvrez le manifeste d’un DaemonSet : vous verrez ici son coût, ses risques, la durée d’un rollout et l’effet d’un changement.";
    extra "extra pods"
        "pods en plus";
    fix_it "Fix"
        "Corriger";
    gib_price "Price per Gi and hour"
        "Prix par Gi et heure";
    group "Nodes by"
        "Nœuds par";
    group_none "one group"
        "un seul groupe";
    level_advice "Advice"
        "Conseil";
    level_fine "Fine"
        "Juste";
    level_warning "Warning"
        "Avertissement";
    line_of "line {n}"
        "ligne {n}";
    memory_per_pod "Memory per pod"
        "Mémoire par pod";
    more_names "and {n} more"
        "et {n} de plus";
    never "never ends"
        "ne finit jamais";
    node "Node"
        "Nœud";
    nodes "Nodes"
        "Nœuds";
    not_applied "{name} (not applied)"
        "{name} (pas appliqué)";
    now "now"
        "actuel";
    on_delete "The DaemonSet uses OnDelete: nothing rolls out by itself. The table shows what RollingUpdate would do."
        "Le DaemonSet utilise OnDelete : rien ne se déploie tout seul. Le tableau montre ce que ferait RollingUpdate.";
    on_nodes "On how many nodes?"
        "Sur combien de nœuds ?";
    part_container "container"
        "conteneur";
    part_init "init, counts only where it needs more than the others"
        "init, ne compte que s’il demande plus que les autres";
    part_runtime "runtime class"
        "runtime class";
    part_sidecar "sidecar"
        "sidecar";
    parts "What a pod asks for"
        "Ce que demande un pod";
    per_pod "per pod"
        "par pod";
    play_change "Try the rollout on a copy"
        "Essayer le rollout sur une copie";
    play_rollout "Try it on a copy of this cluster"
        "Essayer sur une copie de ce cluster";
    replicas "Replicas of the Deployment"
        "Réplicas du Deployment";
    result_done "On the copy the rollout took {time} (nodes: {nodes}). Nodes without a ready pod at the worst moment: {uncovered}."
        "Sur la copie, le rollout a pris {time} (nœuds : {nodes}). Nœuds sans pod ready au pire moment : {uncovered}.";
    result_stuck "On the copy the rollout got stuck. Nodes with the new pod: {updated} of {nodes}. Nodes that stay without a ready pod: {uncovered}."
        "Sur la copie, le rollout s’est bloqué. Nœuds avec le nouveau pod : {updated} sur {nodes}. Nœuds qui restent sans pod ready : {uncovered}.";
    rollout_note "On equal, healthy nodes with room; times follow the behaviours of this scenario. A real control plane makes some 20 pods a second at most."
        "Sur des nœuds identiques, sains et avec de la place ; les durées suivent les comportements de ce scénario. Un vrai control plane crée au plus une vingtaine de pods par seconde.";
    rollout_title "How long a rollout takes"
        "Combien de temps prend un rollout";
    running "Running…"
        "En cours…";
    running_progress "Running… {done} of {all} nodes"
        "En cours… {done} nœuds sur {all}";
    section_change "Change"
        "Changement";
    section_check "Check"
        "Contrôle";
    section_compare "Compare"
        "Comparer";
    section_cost "Cost"
        "Coût";
    section_rollout "Rollout"
        "Rollout";
    sections "Parts of the analysis"
        "Parties de l’analyse";
    share "share of nodes"
        "part des nœuds";
    stop "Stop"
        "Arrêter";
    strategy "Budget"
        "Budget";
    surge "as maxSurge"
        "en maxSurge";
    time "time"
        "durée";
    total "total"
        "total";
    uncovered "nodes without"
        "nœuds sans pod";
    unlabelled "no such label"
        "sans ce label";
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::app::phrase::placeholders;

    #[test]
    fn both_languages_tell_the_same_facts() {
        for (name, en, fr) in ALL {
            let sorted = |text| {
                let mut names = placeholders(text);
                names.sort_unstable();
                names
            };
            assert_eq!(sorted(en), sorted(fr), "{name}");
            assert!(!en.is_empty() && !fr.is_empty(), "{name}");
        }
    }
}
