//! PodSecurity: what the labels of a namespace forbid its pods, or warn about.
//!
//! Follows kubernetes staging pod-security-admission (admission, api, policy), v1.36. Nothing is exempt, as by default.
use crate::apiserver::schema::Tree;
use crate::order::{Collect, Order};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const PREFIX: &str = "pod-security.kubernetes.io/";
/// The modes in the order in which their labels are read.
const MODES: [&str; 3] = ["enforce", "audit", "warn"];
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// How much is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Privileged,
    Baseline,
    Restricted,
}

impl Level {
    fn read(text: &str) -> Option<Self> {
        match text {
            "privileged" => Some(Self::Privileged),
            "baseline" => Some(Self::Baseline),
            "restricted" => Some(Self::Restricted),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }
}

/// A level with the Kubernetes version whose checks count: the minor number, `None` for the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Policy {
    level: Level,
    minor: Option<u32>,
}

impl Policy {
    /// Whether a check that came with this minor version counts.
    fn since(self, minor: u32) -> bool {
        self.minor.is_none_or(|own| own >= minor)
    }
}

impl std::fmt::Display for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.minor {
            None => write!(f, "{}:latest", self.level.name()),
            Some(minor) => write!(f, "{}:v1.{minor}", self.level.name()),
        }
    }
}

/// `latest` or `v1.x`; `None` for anything else.
fn read_version(text: &str) -> Option<Option<u32>> {
    if text == "latest" {
        return Some(None);
    }
    let digits = text.strip_prefix("v1.")?;
    let sound = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    sound.then(|| digits.parse().ok().map(Some)).flatten()
}

fn label<'a>(labels: Tree<'a>, mode: &str, suffix: &str) -> Option<&'a str> {
    let value = labels.at(&format!("{PREFIX}{mode}{suffix}"));
    value.exists().then(|| value.text())
}

/// The policy of a mode. What cannot be read counts as restricted where it is enforced and as nothing elsewhere.
fn policy(labels: Tree<'_>, mode: &str) -> Policy {
    let fallback = if mode == "enforce" { Level::Restricted } else { Level::Privileged };
    let level = label(labels, mode, "").map_or(Level::Privileged, |text| Level::read(text).unwrap_or(fallback));
    let minor = label(labels, mode, "-version").and_then(read_version).flatten();
    Policy { level, minor }
}

/// What is warned about: what is enforced, unless there is a label of its own.
fn warned(labels: Tree<'_>) -> Policy {
    let (enforced, own) = (policy(labels, "enforce"), policy(labels, "warn"));
    let readable = label(labels, "enforce", "").and_then(Level::read).is_some();
    if label(labels, "warn", "").is_some() || !readable || enforced.level <= own.level {
        return own;
    }
    let minor = if label(labels, "warn", "-version").is_some() { own.minor } else { enforced.minor };
    Policy { level: enforced.level, minor }
}

/// Labels of a namespace that say nothing readable: label, value, what is wrong.
pub fn unreadable_labels(labels: Tree<'_>) -> Vec<(String, String, &'static str)> {
    let mut found = Vec::new();
    for mode in MODES {
        if let Some(text) = label(labels, mode, "").filter(|text| Level::read(text).is_none()) {
            let detail = "must be one of privileged, baseline, restricted";
            found.push((format!("{PREFIX}{mode}"), text.to_owned(), detail));
        }
        if let Some(text) = label(labels, mode, "-version").filter(|text| read_version(text).is_none()) {
            found.push((format!("{PREFIX}{mode}-version"), text.to_owned(), "must be \"latest\" or \"v1.x\""));
        }
    }
    found
}

/// Whether the namespace has labels that could refuse a pod.
pub fn enforces(labels: Tree<'_>) -> bool {
    policy(labels, "enforce").level != Level::Privileged
}

/// Why the namespace refuses the pod.
pub fn refusal(labels: Tree<'_>, pod: &Value) -> Option<String> {
    let enforced = policy(labels, "enforce");
    let pod = Tree(pod);
    let found = violations(enforced, pod.at("metadata"), pod.at("spec"));
    (!found.is_empty()).then(|| format!("violates PodSecurity \"{enforced}\": {}", in_detail(&found)))
}

/// What the namespace warns about: `kind` is that of a pod or of something with a pod template.
pub fn warning(labels: Tree<'_>, kind: &str, object: &Value) -> Option<String> {
    let warned = warned(labels);
    if warned.level == Level::Privileged {
        return None;
    }
    let object = Tree(object);
    let template = match kind {
        "Pod" => object,
        "PodTemplate" => object.at("template"),
        "CronJob" => object.path(&["spec", "jobTemplate", "spec", "template"]),
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" | "Job" | "ReplicationController" => {
            object.at("spec").at("template")
        }
        _ => return None,
    };
    let found = violations(warned, template.at("metadata"), template.at("spec"));
    (!found.is_empty()).then(|| format!("would violate PodSecurity \"{warned}\": {}", in_detail(&found)))
}

/// What is to be said of the pods that are there when a namespace gets other labels.
pub fn namespace_warnings<'a>(
    name: &str,
    old: Tree<'_>,
    new: Tree<'_>,
    pods: impl Iterator<Item = &'a Value>,
) -> Vec<String> {
    let (before, now) = (policy(old, "enforce"), policy(new, "enforce"));
    if before == now || now.level == Level::Privileged || (before.minor == now.minor && now.level <= before.level) {
        return Vec::new();
    }
    // By what is wrong: the first pod, and how many there are.
    let mut alike: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for pod in pods.map(Tree) {
        let found = violations(now, pod.at("metadata"), pod.at("spec"));
        if found.is_empty() {
            continue;
        }
        let reasons: Vec<&str> = found.iter().map(|v| v.reason.as_str()).collect();
        let pod = pod.at("metadata").str("name");
        let entry = alike.entry(reasons.join(", ")).or_insert_with(|| (pod.to_owned(), 0));
        entry.1 += 1;
        if pod < entry.0.as_str() {
            entry.0 = pod.to_owned();
        }
    }
    let line = |(reasons, (pod, count)): (String, (String, usize))| match count {
        1 => format!("{pod}: {reasons}"),
        2 => format!("{pod} (and 1 other pod): {reasons}"),
        _ => format!("{pod} (and {} other pods): {reasons}", count.saturating_sub(1)),
    };
    let mut lines: Vec<String> = alike.into_iter().map(line).collect();
    lines.order();
    if !lines.is_empty() {
        let head = format!("existing pods in namespace \"{name}\" violate the new PodSecurity enforce level \"{now}\"");
        lines.insert(0, head);
    }
    lines
}

/// One thing that is forbidden.
struct Violation {
    reason: String,
    detail: String,
}

fn in_detail(found: &[Violation]) -> String {
    let each: Vec<String> = found.iter().map(|v| format!("{} ({})", v.reason, v.detail)).collect();
    each.join(", ")
}

fn quoted<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("\"{item}\"")).collect();
    items.join(", ")
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

/// `container "a"`, `containers "a", "b"`.
fn named(containers: &[&str]) -> String {
    let word = plural(containers.len(), "container", "containers");
    format!("{word} {}", quoted(containers.iter().copied()))
}

/// A pod's metadata and spec under a policy.
struct Checked<'a> {
    annotations: Tree<'a>,
    spec: Tree<'a>,
    found: Vec<Violation>,
}

/// Everything that the policy forbids about the pod: the baseline checks by their names, then the restricted ones by
/// theirs, which take the place of the baseline checks that look at the same fields.
fn violations(policy: Policy, metadata: Tree<'_>, spec: Tree<'_>) -> Vec<Violation> {
    let mut checked = Checked { annotations: metadata.at("annotations"), spec, found: Vec::new() };
    if policy.level == Level::Privileged {
        return checked.found;
    }
    let restricted = policy.level == Level::Restricted;
    checked.app_armor();
    if !(restricted && policy.since(22)) {
        checked.added_capabilities();
    }
    checked.host_namespaces();
    if !restricted {
        checked.host_paths();
    }
    checked.host_ports();
    if policy.since(34) {
        checked.probe_hosts();
    }
    checked.privileged();
    checked.proc_mount();
    checked.se_linux(policy);
    if policy.since(19) && !restricted {
        checked.seccomp(false);
    }
    checked.sysctls(policy);
    checked.host_process();
    if !restricted {
        return checked.found;
    }
    // Linux things are not asked of Windows pods.
    let linux = !(policy.since(25) && spec.at("os").str("name") == "windows");
    if policy.since(8) && linux {
        checked.privilege_escalation();
    }
    if policy.since(22) && linux {
        checked.capabilities();
    }
    checked.volume_types();
    checked.run_as_non_root();
    if policy.since(23) {
        checked.run_as_user();
    }
    if policy.since(19) && linux {
        checked.seccomp(true);
    }
    checked.found
}

impl<'a> Checked<'a> {
    fn add(&mut self, reason: impl Into<String>, detail: String) {
        self.found.push(Violation { reason: reason.into(), detail });
    }

    /// All containers, those for initialisation first.
    fn containers(&self) -> impl Iterator<Item = Tree<'a>> + use<'a> {
        let spec = self.spec;
        ["initContainers", "containers", "ephemeralContainers"].into_iter().flat_map(move |list| spec.list(list))
    }

    /// Names of the containers of which this holds.
    fn those(&self, holds: impl Fn(Tree<'a>) -> bool) -> Vec<&'a str> {
        self.containers().filter(|container| holds(*container)).map(|container| container.str("name")).collect()
    }

    /// Who sets something wrong in a security context: the pod, and which containers.
    fn setters(&self, is_wrong: impl Fn(Tree<'a>) -> bool) -> Option<String> {
        let bad = self.those(|container| is_wrong(container.at("securityContext")));
        let pod = is_wrong(self.spec.at("securityContext")).then(|| "pod".to_owned());
        let all: Vec<String> = pod.into_iter().chain((!bad.is_empty()).then(|| named(&bad))).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// The values that pod and containers give a field of the security context, without repetition.
    fn values(&self, value: impl Fn(Tree<'a>) -> Option<&'a str>) -> BTreeSet<&'a str> {
        let pod = [self.spec.at("securityContext")].into_iter();
        pod.chain(self.containers().map(|c| c.at("securityContext"))).filter_map(value).collect()
    }

    fn app_armor(&mut self) {
        let wrong = |context: Tree<'a>| {
            let profile = context.at("appArmorProfile");
            let kind = profile.str("type");
            (profile.exists() && !matches!(kind, "RuntimeDefault" | "Localhost")).then_some(kind)
        };
        let mut values: Vec<String> = self.values(wrong).into_iter().map(str::to_owned).collect();
        let mut setters: Vec<String> = self.setters(|context| wrong(context).is_some()).into_iter().collect();
        let allowed = |text: &str| matches!(text, "" | "runtime/default") || text.starts_with("localhost/");
        let entries =
            self.annotations.entries().filter(|(key, value)| key.starts_with(APP_ARMOR) && !allowed(value.text()));
        let mut annotations: Vec<String> = entries.map(|(key, value)| format!("{key}={:?}", value.text())).collect();
        annotations.order();
        if !annotations.is_empty() {
            setters.push(plural(annotations.len(), "annotation", "annotations").into());
            values.append(&mut annotations);
        }
        if !setters.is_empty() {
            let reason = plural(values.len(), "forbidden AppArmor profile", "forbidden AppArmor profiles");
            let shown = quoted(values.iter().map(String::as_str));
            self.add(reason, format!("{} must not set AppArmor profile type to {shown}", setters.join(" and ")));
        }
    }

    fn host_namespaces(&mut self) {
        let set = ["hostIPC", "hostNetwork", "hostPID"].into_iter().filter(|field| self.spec.flag(field));
        let set: Vec<String> = set.map(|field| format!("{field}=true")).collect();
        if !set.is_empty() {
            self.add("host namespaces", set.join(", "));
        }
    }

    fn host_ports(&mut self) {
        let ports =
            |container: Tree<'a>| container.list("ports").map(|port| port.int("hostPort")).filter(|port| *port != 0);
        let bad = self.those(|container| ports(container).next().is_some());
        // Sorted as texts.
        let numbers: BTreeSet<String> = self.containers().flat_map(ports).map(|port| port.to_string()).collect_set();
        if !bad.is_empty() {
            let verb = plural(bad.len(), "uses", "use");
            let noun = plural(numbers.len(), "hostPort", "hostPorts");
            let numbers: Vec<String> = numbers.into_iter().collect();
            self.add("hostPort", format!("{} {verb} {noun} {}", named(&bad), numbers.join(", ")));
        }
    }

    fn probe_hosts(&mut self) {
        let hosts = |container: Tree<'a>| {
            let lifecycle = container.at("lifecycle");
            let probes = ["livenessProbe", "readinessProbe", "startupProbe"].map(|probe| container.at(probe));
            let handlers = probes.into_iter().chain([lifecycle.at("postStart"), lifecycle.at("preStop")]);
            let of_handler =
                |handler: Tree<'a>| ["httpGet", "tcpSocket"].into_iter().map(move |kind| handler.at(kind).str("host"));
            handlers.flat_map(of_handler).filter(|host| !host.is_empty())
        };
        let mut bad = self.those(|container| hosts(container).next().is_some());
        bad.order();
        let values: BTreeSet<&str> = self.containers().flat_map(hosts).collect_set();
        if !bad.is_empty() {
            let verb = plural(bad.len(), "uses", "use");
            let noun = plural(values.len(), "probe or lifecycle host", "probe or lifecycle hosts");
            self.add("probe or lifecycle host", format!("{} {verb} {noun} {}", named(&bad), quoted(values)));
        }
    }

    fn privileged(&mut self) {
        let bad = self.those(|container| container.at("securityContext").flag("privileged"));
        if !bad.is_empty() {
            self.add("privileged", format!("{} must not set securityContext.privileged=true", named(&bad)));
        }
    }

    fn proc_mount(&mut self) {
        let wrong = |container: Tree<'a>| {
            let mount = container.at("securityContext").at("procMount");
            (mount.exists() && mount.text() != "Default").then(|| mount.text())
        };
        let bad = self.those(|container| wrong(container).is_some());
        let values: BTreeSet<&str> = self.containers().filter_map(wrong).collect_set();
        if !bad.is_empty() {
            let detail = format!("{} must not set securityContext.procMount to {}", named(&bad), quoted(values));
            self.add("procMount", detail);
        }
    }

    fn se_linux(&mut self, policy: Policy) {
        let options = |context: Tree<'a>| context.at("seLinuxOptions");
        let type_allowed = |text: &str| {
            matches!(text, "" | "container_t" | "container_init_t" | "container_kvm_t")
                || text == "container_engine_t" && policy.since(31)
        };
        let set = |context: Tree<'a>, field: &str| !options(context).str(field).is_empty();
        let bad_type = |context: Tree<'a>| Some(options(context).str("type")).filter(|text| !type_allowed(text));
        let wrong = |context: Tree<'a>| bad_type(context).is_some() || set(context, "user") || set(context, "role");
        let Some(setters) = self.setters(wrong) else { return };
        let types = self.values(bad_type);
        let mut data = Vec::new();
        // User and role are only told along with a type, as there.
        if !types.is_empty() {
            data.push(format!("{} {}", plural(types.len(), "type", "types"), quoted(types)));
            for field in ["user", "role"] {
                if !self.values(|context| set(context, field).then_some(field)).is_empty() {
                    data.push(format!("{field} may not be set"));
                }
            }
        }
        let detail = format!("{setters} set forbidden securityContext.seLinuxOptions: {}", data.join("; "));
        self.add("seLinuxOptions", detail);
    }

    fn sysctls(&mut self, policy: Policy) {
        let allowed = |name: &str| match name {
            "kernel.shm_rmid_forced"
            | "net.ipv4.ip_local_port_range"
            | "net.ipv4.tcp_syncookies"
            | "net.ipv4.ping_group_range"
            | "net.ipv4.ip_unprivileged_port_start" => true,
            "net.ipv4.ip_local_reserved_ports" => policy.since(27),
            "net.ipv4.tcp_keepalive_time"
            | "net.ipv4.tcp_fin_timeout"
            | "net.ipv4.tcp_keepalive_intvl"
            | "net.ipv4.tcp_keepalive_probes" => policy.since(29),
            "net.ipv4.tcp_rmem" | "net.ipv4.tcp_wmem" => policy.since(32),
            _ => false,
        };
        let all = self.spec.at("securityContext").list("sysctls").map(|sysctl| sysctl.str("name"));
        let bad: Vec<&str> = all.filter(|name| !allowed(name)).collect();
        if !bad.is_empty() {
            self.add("forbidden sysctls", bad.join(", "));
        }
    }

    fn host_process(&mut self) {
        if let Some(setters) = self.setters(|context| context.at("windowsOptions").flag("hostProcess")) {
            let detail = format!("{setters} must not set securityContext.windowsOptions.hostProcess=true");
            self.add("hostProcess", detail);
        }
    }

    fn added_capabilities(&mut self) {
        const ALLOWED: [&str; 13] = [
            "AUDIT_WRITE",
            "CHOWN",
            "DAC_OVERRIDE",
            "FOWNER",
            "FSETID",
            "KILL",
            "MKNOD",
            "NET_BIND_SERVICE",
            "SETFCAP",
            "SETGID",
            "SETPCAP",
            "SETUID",
            "SYS_CHROOT",
        ];
        if let Some(detail) = self.forbidden_capabilities(&ALLOWED) {
            self.add("non-default capabilities", detail);
        }
    }

    fn forbidden_capabilities(&self, allowed: &[&str]) -> Option<String> {
        let wrong = |container: Tree<'a>| {
            let added = container.path(&["securityContext", "capabilities"]).list("add").map(Tree::text);
            added.filter(|name| !allowed.contains(name)).collect::<Vec<&'a str>>()
        };
        let bad = self.those(|container| !wrong(container).is_empty());
        let values: BTreeSet<&str> = self.containers().flat_map(wrong).collect_set();
        let told =
            || format!("{} must not include {} in securityContext.capabilities.add", named(&bad), quoted(values));
        (!bad.is_empty()).then(told)
    }

    fn host_paths(&mut self) {
        let volumes = self.spec.list("volumes").filter(|volume| volume.has("hostPath"));
        let bad: Vec<&str> = volumes.map(|volume| volume.str("name")).collect();
        if !bad.is_empty() {
            let noun = plural(bad.len(), "volume", "volumes");
            self.add("hostPath volumes", format!("{noun} {}", quoted(bad)));
        }
    }

    fn privilege_escalation(&mut self) {
        let bad = self.those(|c| c.at("securityContext").at("allowPrivilegeEscalation").0.as_bool() != Some(false));
        if !bad.is_empty() {
            let detail = format!("{} must set securityContext.allowPrivilegeEscalation=false", named(&bad));
            self.add("allowPrivilegeEscalation != false", detail);
        }
    }

    fn capabilities(&mut self) {
        let keeps = |container: Tree<'a>| {
            let dropped = container.path(&["securityContext", "capabilities"]).list("drop");
            !dropped.map(Tree::text).any(|name| name == "ALL")
        };
        let bad = self.those(keeps);
        let mut details = Vec::new();
        if !bad.is_empty() {
            details.push(format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", named(&bad)));
        }
        details.extend(self.forbidden_capabilities(&["NET_BIND_SERVICE"]));
        if !details.is_empty() {
            self.add("unrestricted capabilities", details.join("; "));
        }
    }

    fn volume_types(&mut self) {
        const ALLOWED: [&str; 8] = [
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "persistentVolumeClaim",
            "projected",
            "secret",
        ];
        let (mut names, mut types) = (Vec::new(), BTreeSet::new());
        for volume in self.spec.list("volumes") {
            if ALLOWED.iter().any(|source| volume.has(source)) {
                continue;
            }
            names.push(volume.str("name"));
            let source = volume.entries().map(|(source, _)| source.as_str()).find(|source| *source != "name");
            types.insert(source.filter(|source| *source != "image").unwrap_or("unknown"));
        }
        if !names.is_empty() {
            let (noun, verb) = (plural(names.len(), "volume", "volumes"), plural(names.len(), "uses", "use"));
            let kind = plural(types.len(), "restricted volume type", "restricted volume types");
            let detail = format!("{noun} {} {verb} {kind} {}", quoted(names), quoted(types));
            self.add("restricted volume types", detail);
        }
    }

    fn run_as_non_root(&mut self) {
        let choice = |context: Tree<'a>| context.at("runAsNonRoot").0.as_bool();
        if let Some(setters) = self.setters(|context| choice(context) == Some(false)) {
            let detail = format!("{setters} must not set securityContext.runAsNonRoot=false");
            return self.add("runAsNonRoot != true", detail);
        }
        if choice(self.spec.at("securityContext")) == Some(true) {
            return;
        }
        let bad = self.those(|container| choice(container.at("securityContext")).is_none());
        if !bad.is_empty() {
            let detail = format!("pod or {} must set securityContext.runAsNonRoot=true", named(&bad));
            self.add("runAsNonRoot != true", detail);
        }
    }

    fn run_as_user(&mut self) {
        if let Some(setters) = self.setters(|context| context.opt_int("runAsUser") == Some(0)) {
            self.add("runAsUser=0", format!("{setters} must not set runAsUser=0"));
        }
    }

    /// `required`: a profile must be there, too.
    fn seccomp(&mut self, required: bool) {
        let is_allowed = |kind: &str| matches!(kind, "RuntimeDefault" | "Localhost");
        let kind = |context: Tree<'a>| {
            let profile = context.at("seccompProfile");
            profile.exists().then(|| profile.str("type"))
        };
        let wrong = |context: Tree<'a>| kind(context).filter(|kind| !is_allowed(kind));
        if let Some(setters) = self.setters(|context| wrong(context).is_some()) {
            let values = quoted(self.values(wrong));
            let detail = format!("{setters} must not set securityContext.seccompProfile.type to {values}");
            return self.add("seccompProfile", detail);
        }
        if !required || kind(self.spec.at("securityContext")).is_some() {
            return;
        }
        let bad = self.those(|container| kind(container.at("securityContext")).is_none());
        if !bad.is_empty() {
            let detail = format!(
                "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
                named(&bad)
            );
            self.add("seccompProfile", detail);
        }
    }
}

#[cfg(test)]
mod tests;
