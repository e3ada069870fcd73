//! The words of export and import.

use super::{Language, count};
use crate::app::phrase::fill;
use crate::exchange::{DumpError, IgnoredReason, Report};

/// The words of export and import, in one language.
#[derive(Debug)]
pub struct ExchangeWords {
    /// Menu: opens the export.
    pub export: &'static str,
    /// Menu: opens the import.
    pub import: &'static str,
    /// The kinds of export: name, and what it is.
    pub kinds: [(&'static str, &'static str); 3],
    /// Which kind of export.
    pub which: &'static str,
    /// Name of the shown text.
    pub preview: &'static str,
    /// Saves as a file.
    pub download: &'static str,
    /// Puts on the clipboard.
    pub copy: &'static str,
    /// What to do for an import.
    pub how: &'static str,
    /// What is read and where it stays.
    pub private: &'static str,
    /// Label of the field for a pasted text.
    pub paste: &'static str,
    /// Chooses a file.
    pub choose: &'static str,
    /// Opens what was pasted.
    pub open: &'static str,
    /// Ends an import.
    pub cancel: &'static str,
    /// Being read: `{name}`, `{done}`, `{total}`, `{objects}`.
    pub reading: &'static str,
    /// Being put together.
    pub opening: &'static str,
    /// Title of the report.
    pub arrived: &'static str,
    /// Headings of the report.
    pub came: &'static str,
    /// What stayed outside.
    pub ignored: &'static str,
    /// What was made up.
    pub notes: &'static str,
    /// What to try.
    pub attempt: &'static str,
    /// Runs a command.
    pub run: &'static str,
    /// Closes the report.
    pub begin: &'static str,
    /// Nothing stayed outside.
    pub nothing_ignored: &'static str,
    /// Titles of the transcript: page, nodes, commands, end.
    pub titles: [&'static str; 4],
    /// More steps.
    pub more_steps: [&'static str; 2],
    as_of: &'static str,
    ready: &'static str,
    phases: &'static str,
    kept: &'static str,
    secret: &'static str,
    unknown: &'static str,
    unreadable: &'static str,
    noise: &'static str,
    made_up: &'static str,
    no_controller: &'static str,
    let_go: [&'static str; 2],
    mixed: &'static str,
    /// It is too large to be kept in the browser.
    pub not_kept: &'static str,
    /// A file that says nothing: `{name}`.
    pub empty: &'static str,
    attempts: [&'static str; 3],
    errors: [&'static str; 4],
}

static EN: ExchangeWords = ExchangeWords {
    export: "Export for a real cluster…",
    import: "Import a real cluster…",
    kinds: [
        ("Shell script", "The same commands on kind or any other cluster, with its own nodes."),
        ("KWOK cluster", "A real control plane with these nodes, and pods that behave as they do here."),
        ("Transcript", "Commands, what they printed and what the cluster did, in Markdown."),
    ],
    which: "What to export",
    preview: "The text",
    download: "Download",
    copy: "Copy",
    how: "Run this against your cluster and give the page what it prints: choose the file, drop it anywhere on the page, or paste the text.",
    private: "It is read in this page and goes nowhere. Secrets are left out.",
    paste: "Or paste the text here",
    choose: "Choose the file…",
    open: "Import",
    cancel: "Cancel",
    reading: "Reading {name}: {done} of {total} MB, {objects} objects",
    opening: "Putting the cluster together: {done} of {total}",
    arrived: "Your cluster as it stands",
    came: "What came in",
    ignored: "What stayed outside",
    notes: "Good to know",
    attempt: "What to try",
    run: "Run",
    begin: "Look around first",
    nothing_ignored: "Nothing: everything in the dump is here.",
    titles: ["A session in the DaemonSet Playground", "Nodes at the start", "What was done", "DaemonSets at the end"],
    more_steps: ["and {n} more step", "and {n} more steps"],
    as_of: "The clock stands at {time}, the latest moment in the dump; ages count from there.",
    ready: "{ready} of {n} nodes are ready.",
    phases: "Pods: {phases}.",
    kept: "Kept and listed, but nothing acts on them: {kinds}.",
    secret: "{n} × {kind}: secrets are not read.",
    unknown: "{n} × {kind}: the playground does not know this kind.",
    unreadable: "{n} × {kind}: cannot be read: {why}.",
    noise: "Left out as noise: {fields} entries of managedFields, {images} entries of the nodes' image lists.",
    made_up: "Not in the dump and made up from what the pods say: {kinds}. To have the real ones, add replicasets and controllerrevisions to the command.",
    no_controller: "Pods that stay as they are because nothing here makes them anew: {kinds}.",
    let_go: [
        "{n} pod is shown without its owner, which is not in the dump.",
        "{n} pods are shown without their owners, which are not in the dump.",
    ],
    mixed: "More than one template at work, so a rollout is under way or waits: {names}.",
    not_kept: "This cluster is too large for the browser to keep until the next visit. Save the scenario as a file.",
    empty: "There is nothing in {name}. The session goes on as it was.",
    attempts: [
        "Make all pods of {name} anew, at the pace that its strategy allows",
        "Empty {name} for maintenance",
        "Cut the power of {name}",
    ],
    errors: [
        "The text is larger than {n} MB.",
        "There are more than {n} objects.",
        "The text ends in the middle of an object: was it copied as a whole?",
        "This is no output of kubectl get with -o json or -o yaml.",
    ],
};

static FR: ExchangeWords = ExchangeWords {
    export: "Exporter vers un vrai cluster…",
    import: "Importer un vrai cluster…",
    kinds: [
        ("Script shell", "Les mêmes commandes sur kind ou tout autre cluster, avec ses propres nœuds."),
        ("Cluster KWOK", "Un vrai control plane avec ces nœuds, et des pods qui se comportent comme ici."),
        ("Compte rendu", "Les commandes, ce qu’elles ont affiché et ce qu’a fait le cluster, en Markdown."),
    ],
    which: "Que faut-il exporter",
    preview: "Le texte",
    download: "Télécharger",
    copy: "Copier",
    how: "Exécutez ceci sur votre cluster et donnez le résultat à la page : choisissez le fichier, déposez-le n’importe où sur la page, ou collez le texte.",
    private: "Tout est lu dans cette page et n’en sort pas. Les Secrets sont laissés de côté.",
    paste: "Ou collez le texte ici",
    choose: "Choisir le fichier…",
    open: "Importer",
    cancel: "Annuler",
    reading: "Lecture de {name} : {done} Mo sur {total}, {objects} objets",
    opening: "Assemblage du cluster : {done} sur {total}",
    arrived: "Votre cluster tel qu’il est",
    came: "Ce qui est arrivé",
    ignored: "Ce qui est resté dehors",
    notes: "Bon à savoir",
    attempt: "À essayer",
    run: "Exécuter",
    begin: "Regarder d’abord",
    nothing_ignored: "Rien : tout ce que contient le texte est là.",
    titles: [
        "Une session dans le DaemonSet Playground",
        "Les nœuds au début",
        "Ce qui a été fait",
        "Les DaemonSets à la fin",
    ],
    more_steps: ["et {n} autre pas", "et {n} autres pas"],
    as_of: "L’horloge indique {time}, le dernier instant mentionné ; les âges comptent à partir de là.",
    ready: "{ready} nœuds prêts sur {n}.",
    phases: "Pods : {phases}.",
    kept: "Conservés et listés, mais rien n’agit sur eux : {kinds}.",
    secret: "{n} × {kind} : les Secrets ne sont pas lus.",
    unknown: "{n} × {kind} : ce kind est inconnu ici.",
    unreadable: "{n} × {kind} : illisible : {why}.",
    noise: "Laissé de côté comme bruit : {fields} entrées de managedFields, {images} entrées des listes d’images des nœuds.",
    made_up: "Absents du texte et reconstitués d’après les pods : {kinds}. Pour avoir les vrais, ajoutez replicasets et controllerrevisions à la commande.",
    no_controller: "Pods qui restent tels quels, car rien ici ne les recrée : {kinds}.",
    let_go: [
        "{n} pod est montré sans son propriétaire, absent du texte.",
        "{n} pods sont montrés sans leur propriétaire, absent du texte.",
    ],
    mixed: "Plusieurs templates à la fois, donc un rollout est en cours ou en attente : {names}.",
    not_kept: "Ce cluster est trop grand pour que le navigateur le garde jusqu’à la prochaine visite. Enregistrez le scénario dans un fichier.",
    empty: "Il n’y a rien dans {name}. La session continue telle quelle.",
    attempts: [
        "Recréer tous les pods de {name}, au rythme que permet sa stratégie",
        "Vider {name} pour une maintenance",
        "Couper le courant de {name}",
    ],
    errors: [
        "Le texte dépasse {n} Mo.",
        "Il y a plus de {n} objets.",
        "Le texte s’arrête au milieu d’un objet : a-t-il été copié en entier ?",
        "Ce n’est pas une sortie de kubectl get avec -o json ou -o yaml.",
    ],
};

/// The words of a language.
pub fn exchange_words(language: Language) -> &'static ExchangeWords {
    match language {
        Language::En => &EN,
        Language::Fr => &FR,
    }
}

/// `3 × Pod, 1 × Node`
fn list<'c>(counts: impl IntoIterator<Item = (&'c String, &'c usize)>) -> String {
    let parts: Vec<String> = counts.into_iter().map(|(what, n)| format!("{n} × {what}")).collect();
    parts.join(", ")
}

impl ExchangeWords {
    /// Why a text is no dump.
    pub fn error(&self, error: &DumpError) -> String {
        let [large, many, early, no_list] = self.errors;
        match error {
            DumpError::TooLarge(bytes) => fill(large, &[("n", &(bytes >> 20).to_string())]),
            DumpError::TooMany(objects) => fill(many, &[("n", &objects.to_string())]),
            DumpError::EndsEarly => early.into(),
            DumpError::NoList => no_list.into(),
        }
    }

    /// What stayed outside, one line for each kind.
    pub fn ignored_lines(&self, report: &Report) -> Vec<String> {
        let line = |kind: &str, n: &usize, reason: &IgnoredReason| {
            let kind = if kind.is_empty() { "?" } else { kind };
            let facts = [("n", n.to_string()), ("kind", kind.to_owned())];
            let mut facts: Vec<(&str, &str)> = facts.iter().map(|(name, value)| (*name, value.as_str())).collect();
            match reason {
                IgnoredReason::Secret => fill(self.secret, &facts),
                IgnoredReason::UnknownKind => fill(self.unknown, &facts),
                IgnoredReason::Unreadable(why) => {
                    facts.push(("why", why));
                    fill(self.unreadable, &facts)
                }
            }
        };
        report.ignored.iter().map(|(ignored, n)| line(&ignored.kind, n, &ignored.reason)).collect()
    }

    /// What else there is to know.
    pub fn report_notes(&self, language: Language, report: &Report) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(time) = report.taken_at {
            notes.push(fill(self.as_of, &[("time", &time.to_string())]));
        }
        if let Some(nodes) = report.acted_on.get("Node") {
            notes.push(fill(self.ready, &[("ready", &report.ready_nodes.to_string()), ("n", &nodes.to_string())]));
        }
        if !report.phases.is_empty() {
            notes.push(fill(self.phases, &[("phases", &list(&report.phases))]));
        }
        if !report.mixed.is_empty() {
            let names: Vec<String> = report.mixed.iter().take(8).map(ToString::to_string).collect();
            notes.push(fill(self.mixed, &[("names", &names.join(", "))]));
        }
        if !report.kept.is_empty() {
            notes.push(fill(self.kept, &[("kinds", &list(&report.kept))]));
        }
        if !report.without_controller.is_empty() {
            notes.push(fill(self.no_controller, &[("kinds", &list(&report.without_controller))]));
        }
        if report.let_go > 0 {
            let [one, many] = self.let_go;
            notes.push(count(language, report.let_go, one, many));
        }
        if !report.made_up.is_empty() {
            notes.push(fill(self.made_up, &[("kinds", &list(&report.made_up))]));
        }
        if report.managed_fields > 0 || report.images > 0 {
            let (fields, images) = (report.managed_fields.to_string(), report.images.to_string());
            notes.push(fill(self.noise, &[("fields", &fields), ("images", &images)]));
        }
        notes
    }

    /// What to try: restart a DaemonSet, drain a node, cut its power.
    pub fn attempts(&self, set: Option<&str>, node: Option<&str>) -> [Option<String>; 3] {
        let [restart, drain, power] = self.attempts;
        let with = |text: &str, name: Option<&str>| name.map(|name| fill(text, &[("name", name)]));
        [with(restart, set), with(drain, node), with(power, node)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::phrase::placeholders;

    #[test]
    fn both_languages_use_the_same_facts() {
        let texts = |words: &ExchangeWords| {
            let mut all = vec![words.reading, words.opening, words.as_of, words.ready, words.phases, words.kept];
            all.extend([
                words.secret,
                words.unknown,
                words.unreadable,
                words.noise,
                words.made_up,
                words.no_controller,
            ]);
            all.extend(words.let_go.into_iter().chain([words.mixed]).chain(words.attempts).chain(words.errors));
            all.extend(words.more_steps);
            all.push(words.empty);
            all
        };
        for (english, french) in texts(&EN).into_iter().zip(texts(&FR)) {
            let sorted = |text| {
                let mut names = placeholders(text);
                names.sort_unstable();
                names
            };
            assert_eq!(sorted(english), sorted(french), "{english:?} / {french:?}");
        }
    }
}
