//! What a command line asks for.

use super::error::{CliError, Result};
use super::flags::{self, Flags};

/// The commands of kubectl, with their subcommands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is named after its kubectl command")]
pub enum Verb {
    Annotate,
    ApiResources,
    ApiVersions,
    Apply,
    ApplyViewLastApplied,
    AuthCanI,
    Autoscale,
    ClusterInfo,
    ConfigCurrentContext,
    ConfigGetClusters,
    ConfigGetContexts,
    ConfigGetUsers,
    ConfigSetContext,
    ConfigUseContext,
    ConfigView,
    Cordon,
    Create,
    CreateConfigMap,
    CreateDeployment,
    CreateNamespace,
    CreatePodDisruptionBudget,
    CreatePriorityClass,
    CreateQuota,
    CreateServiceAccount,
    Delete,
    Describe,
    Diff,
    Drain,
    Edit,
    Events,
    Exec,
    Explain,
    Expose,
    Get,
    Help,
    Label,
    Logs,
    NotOffered,
    Options,
    Patch,
    Replace,
    RolloutHistory,
    RolloutPause,
    RolloutRestart,
    RolloutResume,
    RolloutStatus,
    RolloutUndo,
    Run,
    Scale,
    SetEnv,
    SetImage,
    SetResources,
    SetServiceAccount,
    Taint,
    TopNode,
    TopPod,
    Uncordon,
    Version,
    Wait,
}

impl Verb {
    /// Whether it is a `create KIND`, which makes an object from flags.
    pub(crate) const fn is_generator(self) -> bool {
        use Verb::*;
        matches!(
            self,
            CreateConfigMap
                | CreateDeployment
                | CreateNamespace
                | CreatePodDisruptionBudget
                | CreatePriorityClass
                | CreateQuota
                | CreateServiceAccount
        )
    }
}

/// One parsed kubectl command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Which.
    pub verb: Verb,
    /// Its full name: `kubectl rollout status`.
    pub path: String,
    /// Its flags.
    pub flags: Flags,
    /// What is left.
    pub arguments: Vec<String>,
}

impl Command {
    /// Whether the command may change the cluster.
    pub fn writes(&self) -> bool {
        use Verb::*;
        let changes = matches!(
            self.verb,
            Annotate
                | Apply
                | Autoscale
                | Cordon
                | Create
                | Delete
                | Drain
                | Edit
                | Expose
                | Label
                | Patch
                | Replace
                | RolloutPause
                | RolloutRestart
                | RolloutResume
                | RolloutUndo
                | Run
                | Scale
                | SetEnv
                | SetImage
                | SetResources
                | Taint
                | Uncordon
        );
        (changes || self.verb.is_generator())
            && (!self.flags.has("dry-run") || self.flags.get("dry-run") == Some("none"))
    }

    /// Complaint about the command line, with a pointer to the help.
    pub(crate) fn usage(&self, message: impl Into<String>) -> CliError {
        CliError::Usage { message: message.into(), command: self.path.clone() }
    }

    /// Reads the words after `kubectl`.
    ///
    /// # Errors
    /// In kubectl's words: an unknown command or flag.
    pub fn parse(words: &[String]) -> Result<Self> {
        let (global, words) = leading_flags(words);
        let Some((first, rest)) = words.split_first() else {
            return Ok(Self::help("kubectl", &[]));
        };
        if first == "-h" || first == "--help" {
            return Ok(Self::help("kubectl", &[]));
        }
        if first == "help" {
            return Ok(Self::help("kubectl help", rest));
        }
        let canonical = ALIASES.iter().find(|(alias, _)| alias == first).map_or(first.as_str(), |(_, name)| name);
        if let Some(group) = GROUPS.iter().find(|group| group.name == canonical) {
            return Self::parse_group(group, rest, &global);
        }
        match find(canonical) {
            Some(spec) => Self::parse_flags(spec, rest, &global),
            None if NOT_OFFERED.contains(&canonical) => Ok(Self::not_offered(&format!("kubectl {canonical}"), rest)),
            None if first.starts_with('-') => Err(unknown_leading_flag(words)),
            None => Err(unknown_command(first)),
        }
    }

    /// `rollout`, `set`, `config`…: the next word is the command.
    fn parse_group(group: &Group, rest: &[String], global: &[String]) -> Result<Self> {
        let path = format!("kubectl {}", group.name);
        let (more, rest) = leading_flags(rest);
        let global: Vec<String> = global.iter().cloned().chain(more).collect();
        let name = rest.first().map(String::as_str);
        let spec = name.and_then(|name| {
            let name = GROUP_ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, full)| full);
            find(&format!("{} {name}", group.name))
        });
        let not_offered =
            |name: &&str| NOT_OFFERED_PARTS.iter().any(|(of, names)| *of == group.name && names.contains(name));
        if let Some(name) = name.filter(not_offered) {
            return Ok(Self::not_offered(&format!("{path} {name}"), rest));
        }
        match (spec, group.itself) {
            (Some(spec), _) => Self::parse_flags(spec, rest.get(1..).unwrap_or_default(), &global),
            (None, Some(_)) => match find(group.name) {
                Some(spec) => Self::parse_flags(spec, rest, &global),
                None => Ok(Self::help(&path, &[])),
            },
            (None, None) if name.is_some_and(|name| !name.starts_with('-')) => {
                let message = format!("unknown command {:?}", rest.join(" "));
                Err(CliError::Usage { message, command: path })
            }
            (None, None) => {
                flags::parse(rest, "", &path)?;
                Ok(Self::help(&path, &[]))
            }
        }
    }

    fn parse_flags(spec: &VerbSpec, words: &[String], global: &[String]) -> Result<Self> {
        let path = format!("kubectl {}", spec.name);
        let words: Vec<String> = global.iter().chain(words).cloned().collect();
        // Behind `--` stands another command (exec, run), whose flags are none of ours.
        let asks_help = words.iter().take_while(|word| *word != "--").any(|word| word == "-h" || word == "--help");
        if asks_help {
            return Ok(Self::help(&path, &[]));
        }
        let (flags, arguments) = flags::parse(&words, spec.flags, &path)?;
        Ok(Self { verb: spec.verb, path, flags, arguments })
    }

    /// A program that is not kubectl.
    pub(crate) fn other(name: &str, arguments: &[String]) -> Self {
        Self { verb: Verb::Help, path: name.into(), flags: Flags::default(), arguments: arguments.to_vec() }
    }

    fn not_offered(path: &str, arguments: &[String]) -> Self {
        Self { verb: Verb::NotOffered, path: path.into(), flags: Flags::default(), arguments: arguments.to_vec() }
    }

    fn help(path: &str, arguments: &[String]) -> Self {
        Self { verb: Verb::Help, path: path.into(), flags: Flags::default(), arguments: arguments.to_vec() }
    }
}

/// Flags that stand before the command: `kubectl -n x get pods`.
fn leading_flags(words: &[String]) -> (Vec<String>, &[String]) {
    let mut taken = 0;
    while let Some(word) = words.get(taken) {
        if !word.starts_with('-') || word == "-h" || word == "--help" || word == "-" {
            break;
        }
        let name = word.trim_start_matches('-');
        let takes_value = !word.contains('=')
            && flags::specs("").any(|spec| {
                let long = word.starts_with("--") && spec.name == name;
                let short = !word.starts_with("--") && spec.short.is_some_and(|short| name == short.to_string());
                (long || short) && !matches!(spec.takes, flags::Takes::Bool | flags::Takes::Optional(_))
            });
        let known = flags::specs("").any(|spec| {
            let base = name.split('=').next().unwrap_or(name);
            spec.name == base || spec.short.is_some_and(|short| name.starts_with(short))
        });
        if !known {
            break;
        }
        taken += if takes_value { 2 } else { 1 };
    }
    let taken = taken.min(words.len());
    let (flags, rest) = words.split_at(taken);
    (flags.to_vec(), rest)
}

fn unknown_leading_flag(words: &[String]) -> CliError {
    match flags::parse(words, "", "kubectl") {
        Err(error) => error,
        Ok(_) => CliError::message("unknown command"),
    }
}

/// `error: unknown command "gett" for "kubectl"`, with what may have been meant.
///
/// Follows github.com/spf13/cobra SuggestionsFor: a distance of at most two, or a common beginning.
fn unknown_command(word: &str) -> CliError {
    let mut text = format!("error: unknown command {word:?} for \"kubectl\"\n");
    let lower = word.to_lowercase();
    let meant: Vec<&str> = TOP_LEVEL
        .split_whitespace()
        .filter(|name| {
            let suggested = matches!((*name, lower.as_str()), ("get", "list" | "ps") | ("delete", "rm"));
            suggested || name.starts_with(&lower) || edit_distance(&lower, name) <= 2
        })
        .collect();
    if !meant.is_empty() {
        text.push_str("\nDid you mean this?\n");
        for name in meant {
            text.push_str(&format!("\t{name}\n"));
        }
    }
    CliError::Verbatim(text)
}

/// How many letters must be added, taken away or changed (Levenshtein's distance).
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (j, y) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX - 1);
            left = (diagonal + usize::from(x != *y)).min(above + 1).min(left + 1);
            diagonal = above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// The commands, in the order of kubectl's own help.
pub(crate) const TOP_LEVEL: &str = "create expose run set explain get edit delete rollout scale autoscale certificate \
     cluster-info top cordon uncordon drain taint describe logs attach exec port-forward proxy cp auth debug events diff \
     apply patch replace wait kustomize label annotate completion api-resources api-versions config kuberc plugin version";

/// Other names of commands.
const ALIASES: [(&str, &str); 1] = [("log", "logs")];

/// Other names of subcommands and of what `create` makes.
const GROUP_ALIASES: [(&str, &str); 12] = [
    ("pdb", "poddisruptionbudget"),
    ("resourcequota", "quota"),
    ("ns", "namespace"),
    ("deploy", "deployment"),
    ("cm", "configmap"),
    ("sa", "serviceaccount"),
    ("pc", "priorityclass"),
    ("res", "resources"),
    ("no", "node"),
    ("nodes", "node"),
    ("po", "pod"),
    ("pods", "pod"),
];

/// Commands that need a real cluster, or are of no use here.
const NOT_OFFERED: [&str; 11] = [
    "alpha",
    "attach",
    "certificate",
    "completion",
    "cp",
    "debug",
    "kuberc",
    "kustomize",
    "plugin",
    "port-forward",
    "proxy",
];

/// Subcommands of the same sort, by their command: what `create` makes of kinds that nothing acts on here, what changes
/// users, credentials and Services, what rewrites a kubeconfig that is not there.
const NOT_OFFERED_PARTS: [(&str, &[&str]); 4] = [
    (
        "create",
        &[
            "clusterrole",
            "clusterrolebinding",
            "cj",
            "cronjob",
            "ing",
            "ingress",
            "job",
            "role",
            "rolebinding",
            "secret",
            "service",
            "svc",
            "token",
        ],
    ),
    ("auth", &["reconcile", "whoami"]),
    ("set", &["selector", "subject"]),
    (
        "config",
        &[
            "delete-cluster",
            "delete-context",
            "delete-user",
            "rename-context",
            "set",
            "set-cluster",
            "set-credentials",
            "unset",
        ],
    ),
];

/// The commands that are not offered, as they are typed after `kubectl`; short names of kinds are left out.
pub fn not_offered() -> impl Iterator<Item = String> {
    let parts = |(of, names): &'static (&str, &[&str])| names.iter().map(move |name| format!("{of} {name}"));
    let short = |name: &String| ["create cj", "create ing", "create svc"].contains(&name.as_str());
    let whole = NOT_OFFERED.iter().map(ToString::to_string);
    whole.chain(NOT_OFFERED_PARTS.iter().flat_map(parts)).filter(move |name| !short(name))
}

struct Group {
    name: &'static str,
    /// The command that stands for the group when no subcommand follows.
    itself: Option<Verb>,
}

const GROUPS: [Group; 7] = [
    Group { name: "auth", itself: None },
    Group { name: "rollout", itself: None },
    Group { name: "set", itself: None },
    Group { name: "config", itself: None },
    Group { name: "top", itself: None },
    Group { name: "apply", itself: Some(Verb::Apply) },
    Group { name: "create", itself: Some(Verb::Create) },
];

struct VerbSpec {
    name: &'static str,
    verb: Verb,
    flags: &'static str,
}

fn find(name: &str) -> Option<&'static VerbSpec> {
    VERBS.iter().find(|spec| spec.name == name)
}

/// What the words of an unfinished command line lead to.
pub(crate) enum Reached {
    /// No command yet: one of [`TOP_LEVEL`].
    Start,
    /// A command with subcommands (`rollout`), none of which was named. It may be a command itself (`create -f`).
    Group(&'static str),
    /// A command (`rollout status`), and how many words led to it.
    Command(&'static str, usize),
    /// Nothing that is known.
    Unknown,
}

/// Follows the words after `kubectl` as far as they go.
pub(crate) fn reach(words: &[String]) -> Reached {
    let (_, rest) = leading_flags(words);
    let Some(first) = rest.first() else { return Reached::Start };
    let used = words.len().saturating_sub(rest.len()).saturating_add(1);
    let canonical = ALIASES.iter().find(|(alias, _)| alias == first).map_or(first.as_str(), |(_, name)| name);
    let Some(group) = GROUPS.iter().find(|group| group.name == canonical) else {
        return find(canonical).map_or(Reached::Unknown, |spec| Reached::Command(spec.name, used));
    };
    let next = words.get(used).map(String::as_str);
    let spec = next.and_then(|name| {
        let name = GROUP_ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, full)| full);
        find(&format!("{} {name}", group.name))
    });
    match (spec, group.itself, next) {
        (Some(spec), _, _) => Reached::Command(spec.name, used.saturating_add(1)),
        (None, _, None) => Reached::Group(group.name),
        (None, Some(_), Some(_)) => Reached::Command(group.name, used),
        (None, None, Some(_)) => Reached::Unknown,
    }
}

/// Commands that are offered, without subcommands.
pub(crate) fn offered() -> impl Iterator<Item = &'static str> {
    TOP_LEVEL.split_whitespace().filter(|name| !NOT_OFFERED.contains(name)).chain(["help", "options"])
}

/// The names of all commands that are offered, subcommands included.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|spec| spec.name)
}

/// The flags of a command by its name (`rollout status`).
pub(crate) fn flags_of(name: &str) -> impl Iterator<Item = flags::FlagSpec> {
    flags::specs(find(name).map_or("", |spec| spec.flags))
}

macro_rules! verbs {
    ($($name:literal $verb:ident $($flags:literal)*;)*) => {
        const VERBS: &[VerbSpec] = &[$(VerbSpec { name: $name, verb: Verb::$verb, flags: concat!($($flags, " "),*) }),*];
    };
}

// A macro and not a constant: `concat!` takes literals only.
verbs! {
    "annotate" Annotate
        "record output,o= template= allow-missing-template-keys show-managed-fields filename,f= kustomize,k= recursive,R"
        "dry-run?unchanged field-manager= selector,l= field-selector= all all-namespaces,A overwrite list"
        "resource-version= local";
    "api-resources" ApiResources
        "output,o= no-headers api-group= namespaced verbs= sort-by= cached categories= show-managed-fields";
    "api-versions" ApiVersions "";
    "apply" Apply
        "record filename,f= kustomize,k= recursive,R output,o= template= allow-missing-template-keys show-managed-fields"
        "dry-run?unchanged validate?strict server-side force-conflicts field-manager= overwrite prune prune-allowlist="
        "all selector,l= applyset= force grace-period# cascade?background wait timeout% openapi-patch subresource=";
    "apply view-last-applied" ApplyViewLastApplied "output,o= filename,f= recursive,R kustomize,k= selector,l= all";
    "auth can-i" AuthCanI "list quiet,q all-namespaces,A subresource= no-headers";
    "autoscale" Autoscale
        "record output,o= template= filename,f= kustomize,k= recursive,R dry-run?unchanged field-manager= min# max#"
        "cpu-percent# cpu= memory= name= save-config";
    "cluster-info" ClusterInfo "";
    "config current-context" ConfigCurrentContext "";
    "config get-clusters" ConfigGetClusters "";
    "config get-contexts" ConfigGetContexts "output,o= no-headers";
    "config get-users" ConfigGetUsers "";
    "config set-context" ConfigSetContext "current";
    "config use-context" ConfigUseContext "";
    "config view" ConfigView
        "output,o= minify flatten raw merge?true template= allow-missing-template-keys show-managed-fields";
    "cordon" Cordon "selector,l= dry-run?unchanged";
    "create" Create
        "record filename,f= kustomize,k= recursive,R output,o= template= allow-missing-template-keys show-managed-fields"
        "dry-run?unchanged validate?strict edit raw= save-config selector,l= field-manager= windows-line-endings";
    "create configmap" CreateConfigMap
        "from-literal= from-file= from-env-file= output,o= dry-run?unchanged save-config append-hash field-manager="
        "validate?strict template= show-managed-fields";
    "create deployment" CreateDeployment
        "image= replicas,r# port# output,o= dry-run?unchanged save-config field-manager= validate?strict template="
        "show-managed-fields";
    "create namespace" CreateNamespace
        "output,o= dry-run?unchanged save-config field-manager= validate?strict template= show-managed-fields";
    "create poddisruptionbudget" CreatePodDisruptionBudget
        "min-available= max-unavailable= selector= output,o= dry-run?unchanged save-config field-manager= validate?strict"
        "template= show-managed-fields";
    "create priorityclass" CreatePriorityClass
        "value# global-default description= preemption-policy= output,o= dry-run?unchanged save-config field-manager="
        "validate?strict template= show-managed-fields";
    "create quota" CreateQuota
        "hard= scopes= output,o= dry-run?unchanged save-config field-manager= validate?strict template="
        "show-managed-fields";
    "create serviceaccount" CreateServiceAccount
        "output,o= dry-run?unchanged save-config field-manager= validate?strict template= show-managed-fields";
    "delete" Delete
        "filename,f= kustomize,k= recursive,R output,o= dry-run?unchanged selector,l= field-selector= all"
        "all-namespaces,A ignore-not-found cascade?background now force grace-period# timeout% wait raw= interactive,i";
    "describe" Describe
        "filename,f= kustomize,k= recursive,R selector,l= all-namespaces,A show-events chunk-size#";
    "diff" Diff
        "filename,f= kustomize,k= recursive,R server-side force-conflicts field-manager= selector,l= prune"
        "prune-allowlist= show-managed-fields concurrency#";
    "drain" Drain
        "selector,l= pod-selector= dry-run?unchanged force ignore-daemonsets delete-emptydir-data"
        "grace-period# timeout% disable-eviction skip-wait-for-delete-timeout# chunk-size#";
    "edit" Edit
        "record filename,f= kustomize,k= recursive,R output,o= output-patch windows-line-endings validate?strict field-manager="
        "save-config subresource= show-managed-fields template= allow-missing-template-keys";
    "events" Events "output,o= all-namespaces,A watch,w for= types= no-headers chunk-size# template= show-managed-fields";
    "exec" Exec "container,c= stdin,i tty,t quiet,q filename,f= pod-running-timeout%";
    "explain" Explain "recursive api-version= output=";
    "expose" Expose
        "record port= target-port= name= type= protocol= selector= labels,l= output,o= dry-run?unchanged filename,f= kustomize,k="
        "recursive,R cluster-ip= external-ip= session-affinity= load-balancer-ip= overrides= override-type= save-config"
        "field-manager=";
    "get" Get
        "output,o= watch,w watch-only output-watch-events all-namespaces,A selector,l= field-selector= show-labels"
        "label-columns,L= sort-by= no-headers show-kind ignore-not-found filename,f= kustomize,k= recursive,R"
        "template= allow-missing-template-keys show-managed-fields chunk-size# raw= server-print subresource=";
    "label" Label
        "record output,o= template= allow-missing-template-keys show-managed-fields filename,f= kustomize,k= recursive,R"
        "dry-run?unchanged field-manager= selector,l= field-selector= all all-namespaces,A overwrite list"
        "resource-version= local";
    "logs" Logs
        "follow,f container,c= all-containers previous,p tail# since% since-time= timestamps selector,l= prefix"
        "limit-bytes# ignore-errors all-pods max-log-requests# pod-running-timeout% insecure-skip-tls-verify-backend";
    "options" Options "";
    "patch" Patch
        "record patch,p= patch-file= type= filename,f= kustomize,k= recursive,R output,o= template= allow-missing-template-keys"
        "show-managed-fields dry-run?unchanged field-manager= local subresource=";
    "replace" Replace
        "record filename,f= kustomize,k= recursive,R output,o= template= allow-missing-template-keys show-managed-fields"
        "dry-run?unchanged validate?strict force grace-period# cascade?background timeout% wait raw= save-config"
        "field-manager= subresource=";
    "rollout history" RolloutHistory
        "revision# output,o= template= allow-missing-template-keys show-managed-fields filename,f= kustomize,k="
        "recursive,R selector,l=";
    "rollout pause" RolloutPause
        "output,o= template= allow-missing-template-keys show-managed-fields filename,f= kustomize,k= recursive,R"
        "selector,l= field-manager=";
    "rollout restart" RolloutRestart
        "output,o= template= allow-missing-template-keys show-managed-fields filename,f= kustomize,k= recursive,R"
        "selector,l= field-manager=";
    "rollout resume" RolloutResume
        "output,o= template= allow-missing-template-keys show-managed-fields filename,f= kustomize,k= recursive,R"
        "selector,l= field-manager=";
    "rollout status" RolloutStatus
        "watch,w revision# timeout% filename,f= kustomize,k= recursive,R selector,l=";
    "rollout undo" RolloutUndo
        "to-revision# output,o= template= allow-missing-template-keys show-managed-fields dry-run?unchanged filename,f="
        "kustomize,k= recursive,R selector,l=";
    "run" Run
        "record image= restart= env= labels,l= port= command rm stdin,i tty,t attach quiet,q output,o= dry-run?unchanged"
        "image-pull-policy= overrides= override-type= expose privileged annotations= save-config field-manager="
        "pod-running-timeout% leave-stdin-open cascade?background force grace-period# timeout% wait";
    "scale" Scale
        "record replicas# current-replicas# resource-version= timeout% filename,f= kustomize,k= recursive,R selector,l= all"
        "output,o= template= allow-missing-template-keys show-managed-fields dry-run?unchanged";
    "set env" SetEnv
        "record env,e= containers,c= list resolve all overwrite prefix= from= keys= local selector,l= filename,f= kustomize,k="
        "recursive,R output,o= template= allow-missing-template-keys show-managed-fields dry-run?unchanged"
        "field-manager=";
    "set image" SetImage
        "record all local selector,l= filename,f= kustomize,k= recursive,R output,o= template= allow-missing-template-keys"
        "show-managed-fields dry-run?unchanged field-manager=";
    "set resources" SetResources
        "record limits= requests= containers,c= all local selector,l= filename,f= kustomize,k= recursive,R output,o= template="
        "allow-missing-template-keys show-managed-fields dry-run?unchanged field-manager=";
    "set serviceaccount" SetServiceAccount
        "record all local filename,f= kustomize,k= recursive,R output,o= template= allow-missing-template-keys"
        "show-managed-fields dry-run?unchanged field-manager=";
    "taint" Taint
        "overwrite all selector,l= output,o= template= allow-missing-template-keys show-managed-fields"
        "dry-run?unchanged field-manager= validate?strict";
    "top node" TopNode
        "selector,l= sort-by= no-headers use-protocol-buffers show-capacity show-swap heapster-namespace=";
    "top pod" TopPod
        "selector,l= field-selector= sort-by= containers no-headers all-namespaces,A sum use-protocol-buffers show-swap";
    "uncordon" Uncordon "selector,l= dry-run?unchanged";
    "version" Version "client output,o=";
    "wait" Wait
        "for= timeout% selector,l= field-selector= all all-namespaces,A filename,f= kustomize,k= recursive,R local"
        "output,o= template= allow-missing-template-keys show-managed-fields";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Command::parse(&words)
    }

    #[test]
    fn subcommands_and_leading_flags() {
        let command = parse("-n monitoring rollout status daemonset/x --timeout=3s").unwrap();
        assert_eq!((command.verb, command.path.as_str()), (Verb::RolloutStatus, "kubectl rollout status"));
        assert_eq!(command.flags.get("namespace"), Some("monitoring"));
        assert_eq!(command.arguments, ["daemonset/x"]);
        assert_eq!(parse("create ns x").unwrap().verb, Verb::CreateNamespace);
        assert_eq!(parse("create -f -").unwrap().verb, Verb::Create);
        assert_eq!(parse("apply view-last-applied ds x").unwrap().verb, Verb::ApplyViewLastApplied);
        assert_eq!(parse("get pods -h").unwrap().verb, Verb::Help);
        assert_eq!(parse("").unwrap().verb, Verb::Help);
    }

    #[test]
    fn a_typo_gets_kubectls_suggestion() {
        let text = |line| parse(line).unwrap_err().render().0;
        assert_eq!(
            text("gett pods"),
            "error: unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tset\n\tget\n"
        );
        assert_eq!(text("roll"), "error: unknown command \"roll\" for \"kubectl\"\n\nDid you mean this?\n\trollout\n");
        assert_eq!(text("frobnicate"), "error: unknown command \"frobnicate\" for \"kubectl\"\n");
        assert_eq!(
            text("rollout foo"),
            "error: unknown command \"foo\"\nSee 'kubectl rollout -h' for help and examples\n"
        );
        assert_eq!(
            text("create daemonset x --image=y"),
            "error: unknown flag: --image\nSee 'kubectl create --help' for usage.\n"
        );
    }

    #[test]
    fn dry_runs_write_nothing() {
        assert!(parse("label node a b=c").unwrap().writes());
        assert!(!parse("label node a b=c --dry-run=client").unwrap().writes());
        assert!(!parse("get ds").unwrap().writes());
    }
}
