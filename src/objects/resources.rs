use super::{Quantity, api_struct};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Name of the CPU resource; counted in milliCPU.
pub const CPU: &str = "cpu";
/// Name of the memory resource; counted in bytes.
pub const MEMORY: &str = "memory";
/// Name of the local disk resource; counted in bytes.
pub const EPHEMERAL_STORAGE: &str = "ephemeral-storage";
/// Name of the resource that limits how many pods a node holds.
pub const PODS: &str = "pods";

/// Amounts by resource name.
pub type ResourceList = Rc<BTreeMap<String, Quantity>>;

api_struct! {
    /// What a container (or a whole pod) asks for and may use.
    pub struct ResourceRequirements {
        /// Upper bounds.
        pub limits: ResourceList,
        /// What the scheduler sets aside.
        pub requests: ResourceList,
    }
}
