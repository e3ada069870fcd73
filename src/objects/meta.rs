use super::{StringMap, Time, api_struct};
use std::rc::Rc;

api_struct! {
    /// What every object has: its identity, labels, owners and life cycle.
    pub struct ObjectMeta {
        /// Unique within kind and namespace.
        pub name: Rc<str>,
        /// Prefix from which the API server makes the name.
        pub generate_name: String,
        /// Empty for cluster-scoped kinds.
        pub namespace: Rc<str>,
        /// Unique for ever; a re-created object has another one.
        pub uid: Rc<str>,
        /// Changes with every write; text in the API, a number here would lose foreign values.
        pub resource_version: String,
        /// Counts changes of the desired state.
        pub generation: i64,
        /// When the object was created.
        pub creation_timestamp: Option<Time>,
        /// When the object is due to be gone; set while it terminates.
        pub deletion_timestamp: Option<Time>,
        /// Seconds that a termination may take.
        pub deletion_grace_period_seconds: Option<i64>,
        /// Labels, which selectors look at.
        pub labels: StringMap,
        /// Annotations, which no selector looks at.
        pub annotations: StringMap,
        /// The objects that own this one; at most one has `controller: true`.
        pub owner_references: Rc<Vec<OwnerReference>>,
        /// Names of those who must act before the object goes.
        pub finalizers: Vec<String>,
    }

    /// One owner of an object.
    pub struct OwnerReference {
        /// API version of the owner.
        pub api_version: String,
        /// Kind of the owner.
        pub kind: String,
        /// Name of the owner.
        pub name: Rc<str>,
        /// Uid of the owner; name alone is not enough, since a name can be used again.
        pub uid: Rc<str>,
        /// Whether this owner manages the object.
        pub controller: Option<bool>,
        /// Whether the owner's foreground deletion waits for this object.
        pub block_owner_deletion: Option<bool>,
    }
}

impl ObjectMeta {
    /// The owner that manages the object.
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.controller == Some(true))
    }

    /// Whether the owner with this uid manages the object.
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        self.controller().is_some_and(|owner| &*owner.uid == uid)
    }

    /// Whether a deletion has been asked for.
    pub fn is_terminating(&self) -> bool {
        self.deletion_timestamp.is_some()
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.get(key).map(String::as_str)
    }

    /// Namespace and name.
    pub fn key(&self) -> ObjectKey {
        ObjectKey { namespace: self.namespace.clone(), name: self.name.clone() }
    }
}

/// Annotation with what `kubectl apply` applied last, on the client's side.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Namespace (empty for cluster-scoped kinds) and name; sorts as the API server lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub struct ObjectKey {
    /// Empty for cluster-scoped kinds.
    pub namespace: Rc<str>,
    /// The object's name.
    pub name: Rc<str>,
}

impl ObjectKey {
    /// A key in a namespace; the namespace is empty for cluster-scoped kinds.
    pub fn new(namespace: impl Into<Rc<str>>, name: impl Into<Rc<str>>) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of a cluster-scoped object.
    pub fn cluster(name: impl Into<Rc<str>>) -> Self {
        Self::new("", name)
    }
}

/// Nearly all keys that are compared share the text of their namespace.
impl Ord for ObjectKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let namespaces = match Rc::ptr_eq(&self.namespace, &other.namespace) {
            true => std::cmp::Ordering::Equal,
            false => self.namespace.cmp(&other.namespace),
        };
        namespaces.then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() { f.write_str(&self.name) } else { write!(f, "{}/{}", self.namespace, self.name) }
    }
}
