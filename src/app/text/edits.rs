//! Words about edits that are made and not applied yet, and about what an edit would do.

texts! {
    /// The texts about edits.
    EditWords {
        in_editor: "In the editor, not applied yet", "Dans l’éditeur, pas encore appliqué";
        tolerate_these: "Tolerate these taints", "Tolérer ces taints";
        tolerate_all: "Tolerate every taint", "Tolérer toute taint";
        passes: "The taint {taint} goes away by itself when the node is ready. Nothing has to be changed.", "La taint {taint} disparaît d’elle-même quand le nœud est prêt. Il n’y a rien à changer.";
        passes_and_lasts: "The taint {taint} goes away by itself when the node is ready. The changes below are about what stays.", "La taint {taint} disparaît d’elle-même quand le nœud est prêt. Les changements ci-dessous portent sur ce qui reste.";
        before_ready: "To have a pod here before that", "Pour avoir un pod ici avant cela";
        once_ready: "Smallest change that puts a pod here once the node is ready", "Plus petit changement pour un pod ici quand le nœud sera prêt";
        wrong_os: "This node runs {os}, and nothing says that the image is made for it. In a real cluster a {wanted} image has nothing to start here: the kubelet reports ErrImagePull (no matching manifest for {os}). Images are not looked up here: it starts unless you choose otherwise. A nodeSelector {selector} keeps the pods off.", "Ce nœud est sous {os}, et rien ne dit que l’image est faite pour lui. Dans un vrai cluster, une image {wanted} n’a rien à démarrer ici : le kubelet signale ErrImagePull (no matching manifest for {os}). Les images ne sont pas cherchées ici : elle démarre, sauf si vous en décidez autrement. Un nodeSelector {selector} écarte les pods.";
        tags: "Tags are not looked up here: choose what happens.", "Les tags ne sont pas vérifiés ici : choisissez ce qui se passe.";
        no_gap: "No node uncovered: maxSurge 1, maxUnavailable 0", "Aucun nœud découvert : maxSurge 1, maxUnavailable 0";
        no_gap_why: "The new pod is ready before the old one goes. maxUnavailable is 0 because Kubernetes takes only one of the two.", "Le nouveau pod est prêt avant que l’ancien parte. maxUnavailable vaut 0, car Kubernetes n’accepte que l’un des deux.";
        worst: "Nodes without the agent at worst: {n}", "Nœuds sans l’agent au pire : {n}";
        unapplied: "Unapplied edits", "Modifications non appliquées";
        unapplied_title: "The cluster goes on with what was applied last: {file} is not applied.", "Le cluster continue avec ce qui a été appliqué en dernier : {file} n’est pas appliqué.";
    }
}

#[cfg(test)]
mod tests {
    use super::EditWords;
    use crate::app::text::pairs::assert_same_facts;

    #[test]
    fn both_languages_use_the_same_facts() {
        assert_same_facts(EditWords::PAIRS);
    }
}
