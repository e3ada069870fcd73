//! What a real API server answered to manifests: what is refused, in which words, and what is stored.
use super::expect_eq;
use daemonset_playground::apiserver::admission::{
    self, AdmissionView, NamespaceState, PriorityClassInfo, QuotaState, RuntimeClassInfo, ServiceAccountInfo,
};
use daemonset_playground::apiserver::schema::{self, Resource};
use daemonset_playground::apiserver::{ApiServer, Status, defaulting, strategy, validation};
use daemonset_playground::kubectl::{CommandOutput, Context, Outcome, run};
use daemonset_playground::manifest::{Limits, read};
use daemonset_playground::objects::Time;
use serde_json::{Value, json};

/// One case: `kubectl apply -f -` on an empty cluster, or on one where other manifests were applied before.
pub fn check(case: &Value) -> Result<(), String> {
    let mut api = ApiServer::new(1, Time(1_780_000_000));
    for manifest in case["inputs"]["before"].as_array().into_iter().flatten() {
        let output = apply(&mut api, manifest)?;
        if output.exit_code != 0 {
            return Err(format!("before: {}", output.stderr));
        }
    }
    let manifest = &case["inputs"]["manifest"];
    let expect = &case["expect"];
    let output = apply(&mut api, manifest)?;
    expect_eq("stderr", output.stderr.as_str(), expect["stderr"].as_str().unwrap_or(""))?;
    expect_eq("stdout", output.stdout.as_str(), expect["stdout"].as_str().unwrap_or(""))?;
    expect_eq("exit", i64::from(output.exit_code), expect["exit"].as_i64().unwrap_or(0))?;
    for (key, stored) in expect["stored"].as_object().into_iter().flatten() {
        let (kind, key) = key.split_once(' ').unwrap_or((key, ""));
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let line = format!("kubectl get {kind} {name} -n {namespace} -o json");
        let got: Value = serde_json::from_str(&done(run(&mut api, &Context::default(), &line))?.stdout)
            .map_err(|error| format!("{line}: {error}"))?;
        expect_eq(key, &got["spec"], &stored["spec"])?;
        expect_eq(key, &got["metadata"]["generation"], &stored["generation"])?;
    }
    if case["inputs"].get("before").is_none()
        && let Some(refusals) = refusals(manifest.as_str().unwrap_or(""))
    {
        let statuses = Value::Array(refusals.iter().map(status_json).collect());
        expect_eq("status", &statuses, expect.get("status").unwrap_or(&json!([])))?;
    }
    Ok(())
}

fn apply(api: &mut ApiServer, manifest: &Value) -> Result<CommandOutput, String> {
    let stdin = manifest.as_str().map(str::to_owned);
    done(run(api, &Context { stdin, ..Context::default() }, "kubectl apply -f -"))
}

fn done(outcome: Outcome) -> Result<CommandOutput, String> {
    match outcome {
        Outcome::Done(output) => Ok(output),
        Outcome::Waiting(_) => Err("the command waits".into()),
    }
}

struct EmptyCluster(Vec<String>);

impl AdmissionView for EmptyCluster {
    fn namespace(&self, name: &str) -> Option<NamespaceState> {
        self.0.iter().any(|n| n == name).then_some(NamespaceState::Active)
    }
    fn priority_class(&self, _: &str) -> Option<PriorityClassInfo> {
        None
    }
    fn default_priority_class(&self) -> Option<PriorityClassInfo> {
        None
    }
    fn service_account(&self, _: &str, name: &str) -> Option<ServiceAccountInfo> {
        (name == "default").then(ServiceAccountInfo::default)
    }
    fn runtime_class(&self, _: &str) -> Option<RuntimeClassInfo> {
        None
    }
    fn limit_ranges(&self, _: &str) -> Vec<Value> {
        Vec::new()
    }
    fn resource_quotas(&self, _: &str) -> Vec<QuotaState> {
        Vec::new()
    }
}

/// One object through the API server's create path: its name.
fn create(cluster: &EmptyCluster, resource: &Resource, mut tree: Value) -> Result<String, Status> {
    let errors = schema::check(resource.kind, &mut tree);
    if let Some(message) = schema::decoding_message(&errors) {
        return Err(validation::undecodable(resource, &message));
    }
    if let Some(message) = strategy::conversion_error(resource.kind, &tree) {
        return Err(validation::undecodable(resource, &message));
    }
    defaulting::default(resource.kind, &mut tree);
    admission::mutate(cluster, resource, &mut tree, "abcde")?;
    strategy::prepare_for_create(resource.kind, &mut tree);
    let name = tree["metadata"]["name"].as_str().unwrap_or("").to_owned();
    let errors = validation::validate_create(resource, &tree);
    if !errors.is_empty() {
        return Err(validation::invalid(resource, &name, &errors));
    }
    admission::validate(cluster, resource, &tree)?;
    Ok(name)
}

/// The API server's refusals of objects that are not there yet. `None` where the client itself gives up.
fn refusals(manifest: &str) -> Option<Vec<Status>> {
    let manifest = read(manifest, &Limits::default());
    if manifest.stream().any(|document| document.is_err()) {
        return None;
    }
    let objects: Vec<Value> = manifest.objects().map(|object| object.value.into_owned()).collect();
    if objects.is_empty() {
        return None;
    }
    let namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];
    let mut cluster = EmptyCluster(namespaces.iter().map(|n| (*n).to_owned()).collect());
    let mut refusals = Vec::new();
    for mut tree in objects {
        if schema::client_metadata_error(&tree).is_some() {
            return None;
        }
        let resource = schema::resource_of(tree["apiVersion"].as_str()?, tree["kind"].as_str()?)?;
        let meta = tree.as_object_mut()?.entry("metadata").or_insert(json!({})).as_object_mut()?;
        meta.get("name")?;
        if resource.is_namespaced() {
            meta.entry("namespace").or_insert(json!("default"));
        } else {
            meta.remove("namespace");
        }
        match create(&cluster, resource, tree) {
            Ok(name) if resource.kind == "Namespace" => cluster.0.push(name),
            Ok(_) => {}
            Err(status) => refusals.push(status),
        }
    }
    Some(refusals)
}

fn status_json(status: &Status) -> Value {
    let causes: Vec<Value> =
        status.causes.iter().map(|c| json!({"reason": c.reason, "message": c.message, "field": c.field})).collect();
    json!({"code": status.code, "reason": status.reason, "message": status.message, "causes": causes})
}
