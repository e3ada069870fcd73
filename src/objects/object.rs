use super::*;
use serde::{Deserialize, Serialize};

/// A kind that the simulation works with as a typed object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// v1 Namespace.
    Namespace,
    /// v1 Node.
    Node,
    /// v1 Pod.
    Pod,
    /// apps/v1 DaemonSet.
    DaemonSet,
    /// apps/v1 Deployment.
    Deployment,
    /// apps/v1 ReplicaSet.
    ReplicaSet,
    /// apps/v1 ControllerRevision.
    ControllerRevision,
    /// scheduling.k8s.io/v1 PriorityClass.
    PriorityClass,
    /// policy/v1 PodDisruptionBudget.
    PodDisruptionBudget,
    /// node.k8s.io/v1 RuntimeClass.
    RuntimeClass,
    /// v1 Event.
    Event,
}

impl Kind {
    /// All of them, in the order in which references allow them to be created.
    pub const ALL: [Self; 11] = [
        Self::Namespace,
        Self::PriorityClass,
        Self::RuntimeClass,
        Self::Node,
        Self::PodDisruptionBudget,
        Self::DaemonSet,
        Self::ControllerRevision,
        Self::Deployment,
        Self::ReplicaSet,
        Self::Pod,
        Self::Event,
    ];

    /// The kind's name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Namespace => "Namespace",
            Self::Node => "Node",
            Self::Pod => "Pod",
            Self::DaemonSet => "DaemonSet",
            Self::Deployment => "Deployment",
            Self::ReplicaSet => "ReplicaSet",
            Self::ControllerRevision => "ControllerRevision",
            Self::PriorityClass => "PriorityClass",
            Self::PodDisruptionBudget => "PodDisruptionBudget",
            Self::RuntimeClass => "RuntimeClass",
            Self::Event => "Event",
        }
    }

    /// API version as written in manifests.
    pub const fn api_version(self) -> &'static str {
        match self {
            Self::Namespace | Self::Node | Self::Pod | Self::Event => "v1",
            Self::DaemonSet | Self::Deployment | Self::ReplicaSet | Self::ControllerRevision => "apps/v1",
            Self::PriorityClass => "scheduling.k8s.io/v1",
            Self::PodDisruptionBudget => "policy/v1",
            Self::RuntimeClass => "node.k8s.io/v1",
        }
    }

    /// Whether objects of the kind live in a namespace.
    pub const fn is_namespaced(self) -> bool {
        !matches!(self, Self::Namespace | Self::Node | Self::PriorityClass | Self::RuntimeClass)
    }

    /// The kind that a manifest names, if it is one of these.
    pub fn from_manifest(api_version: &str, kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == kind && k.api_version() == api_version)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An object that the simulation does not act on (a ServiceAccount, a ConfigMap), kept whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unstructured {
    /// API version as written.
    pub api_version: String,
    /// Kind as written.
    pub kind: String,
    /// Identity, as in typed objects.
    pub metadata: ObjectMeta,
    /// All members but `apiVersion`, `kind` and `metadata`.
    pub body: serde_json::Map<String, Value>,
}

impl Unstructured {
    /// A member of its `spec`.
    pub fn in_spec(&self, member: &str) -> Option<&Value> {
        self.body.get("spec")?.get(member)
    }
}

/// Any object of the store, shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// v1 Namespace.
    Namespace(Rc<Namespace>),
    /// v1 Node.
    Node(Rc<Node>),
    /// v1 Pod.
    Pod(Rc<Pod>),
    /// apps/v1 DaemonSet.
    DaemonSet(Rc<DaemonSet>),
    /// apps/v1 Deployment.
    Deployment(Rc<Deployment>),
    /// apps/v1 ReplicaSet.
    ReplicaSet(Rc<ReplicaSet>),
    /// apps/v1 ControllerRevision.
    ControllerRevision(Rc<ControllerRevision>),
    /// scheduling.k8s.io/v1 PriorityClass.
    PriorityClass(Rc<PriorityClass>),
    /// policy/v1 PodDisruptionBudget.
    PodDisruptionBudget(Rc<PodDisruptionBudget>),
    /// node.k8s.io/v1 RuntimeClass.
    RuntimeClass(Rc<RuntimeClass>),
    /// v1 Event.
    Event(Rc<Event>),
    /// Any other kind.
    Unstructured(Rc<Unstructured>),
}

macro_rules! for_each_kind {
    ($object:expr, $o:ident => $body:expr) => {
        match $object {
            Object::Namespace($o) => $body,
            Object::Node($o) => $body,
            Object::Pod($o) => $body,
            Object::DaemonSet($o) => $body,
            Object::Deployment($o) => $body,
            Object::ReplicaSet($o) => $body,
            Object::ControllerRevision($o) => $body,
            Object::PriorityClass($o) => $body,
            Object::PodDisruptionBudget($o) => $body,
            Object::RuntimeClass($o) => $body,
            Object::Event($o) => $body,
            Object::Unstructured($o) => $body,
        }
    };
}

impl Object {
    /// Identity of the object.
    pub fn metadata(&self) -> &ObjectMeta {
        for_each_kind!(self, o => &o.metadata)
    }

    /// Identity of the object, to be changed. The object is copied if a snapshot shares it.
    pub fn metadata_mut(&mut self) -> &mut ObjectMeta {
        for_each_kind!(self, o => &mut Rc::make_mut(o).metadata)
    }

    /// Namespace and name.
    pub fn key(&self) -> ObjectKey {
        self.metadata().key()
    }

    /// The typed kind; `None` for [`Object::Unstructured`].
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Namespace(_) => Kind::Namespace,
            Self::Node(_) => Kind::Node,
            Self::Pod(_) => Kind::Pod,
            Self::DaemonSet(_) => Kind::DaemonSet,
            Self::Deployment(_) => Kind::Deployment,
            Self::ReplicaSet(_) => Kind::ReplicaSet,
            Self::ControllerRevision(_) => Kind::ControllerRevision,
            Self::PriorityClass(_) => Kind::PriorityClass,
            Self::PodDisruptionBudget(_) => Kind::PodDisruptionBudget,
            Self::RuntimeClass(_) => Kind::RuntimeClass,
            Self::Event(_) => Kind::Event,
            Self::Unstructured(_) => return None,
        })
    }

    /// Name of the kind as written in manifests.
    pub fn kind_name(&self) -> &str {
        match self {
            Self::Unstructured(object) => &object.kind,
            _ => self.kind().map_or("", Kind::name),
        }
    }

    /// API version as written in manifests.
    pub fn api_version(&self) -> &str {
        match self {
            Self::Unstructured(object) => &object.api_version,
            _ => self.kind().map_or("", Kind::api_version),
        }
    }

    /// The whole object as a JSON tree, with `apiVersion` and `kind`.
    pub fn to_value(&self) -> Value {
        let mut tree = match self {
            Self::Unstructured(object) => {
                let mut body = object.body.clone();
                body.insert("metadata".into(), encode(&object.metadata));
                Value::Object(body)
            }
            Self::Namespace(o) => encode(o),
            Self::Node(o) => encode(o),
            Self::Pod(o) => encode(o),
            Self::DaemonSet(o) => encode(o),
            Self::Deployment(o) => encode(o),
            Self::ReplicaSet(o) => encode(o),
            Self::ControllerRevision(o) => encode(o),
            Self::PriorityClass(o) => encode(o),
            Self::PodDisruptionBudget(o) => encode(o),
            Self::RuntimeClass(o) => encode(o),
            Self::Event(o) => encode(o),
        };
        if let Value::Object(map) = &mut tree {
            map.insert("apiVersion".into(), self.api_version().into());
            map.insert("kind".into(), self.kind_name().into());
            self.write_zeros(map);
        }
        tree
    }

    /// Numbers that Go writes even when they are 0.
    fn write_zeros(&self, map: &mut serde_json::Map<String, Value>) {
        let (parent, fields): (&str, &[&str]) = match self {
            Self::PriorityClass(_) => ("", &["value"]),
            Self::ControllerRevision(_) => ("", &["revision"]),
            Self::PodDisruptionBudget(_) => {
                ("status", &["currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"])
            }
            _ => return,
        };
        let map = match parent {
            "" => map,
            parent => match map.entry(parent).or_insert_with(|| Value::Object(Default::default())) {
                Value::Object(map) => map,
                _ => return,
            },
        };
        for field in fields {
            map.entry(*field).or_insert_with(|| 0.into());
        }
    }

    /// Reads any object; `apiVersion` and `kind` choose the type. No validation, no defaults.
    pub fn from_value(mut tree: Value) -> Result<Self, DecodeError> {
        let mut take = |member: &str| match tree.as_object_mut().and_then(|map| map.remove(member)) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (api_version, kind) = (take("apiVersion"), take("kind"));
        Ok(match Kind::from_manifest(&api_version, &kind) {
            Some(Kind::Namespace) => Self::Namespace(decode(tree)?),
            Some(Kind::Node) => Self::Node(decode(tree)?),
            Some(Kind::Pod) => Self::Pod(decode(tree)?),
            Some(Kind::DaemonSet) => Self::DaemonSet(decode(tree)?),
            Some(Kind::Deployment) => Self::Deployment(decode(tree)?),
            Some(Kind::ReplicaSet) => Self::ReplicaSet(decode(tree)?),
            Some(Kind::ControllerRevision) => Self::ControllerRevision(decode(tree)?),
            Some(Kind::PriorityClass) => Self::PriorityClass(decode(tree)?),
            Some(Kind::PodDisruptionBudget) => Self::PodDisruptionBudget(decode(tree)?),
            Some(Kind::RuntimeClass) => Self::RuntimeClass(decode(tree)?),
            Some(Kind::Event) => Self::Event(decode(tree)?),
            None => {
                let Value::Object(mut body) = tree else {
                    return Err(DecodeError("an object is a mapping".into()));
                };
                let metadata = body.remove("metadata").map(decode).transpose()?.unwrap_or_default();
                Self::Unstructured(Rc::new(Unstructured { api_version, kind, metadata, body }))
            }
        })
    }
}

macro_rules! into_object {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Object {
            fn from(object: $kind) -> Self {
                Self::$kind(Rc::new(object))
            }
        }
        impl From<Rc<$kind>> for Object {
            fn from(object: Rc<$kind>) -> Self {
                Self::$kind(object)
            }
        }
    )*};
}
into_object!(
    Namespace,
    Node,
    Pod,
    DaemonSet,
    Deployment,
    ReplicaSet,
    ControllerRevision,
    PriorityClass,
    PodDisruptionBudget,
    RuntimeClass,
    Event,
    Unstructured
);
