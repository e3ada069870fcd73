use super::{ObjectMeta, api_struct};
use serde_json::Value;
use std::rc::Rc;

api_struct! {
    /// A template that a DaemonSet had, kept so that one can go back to it.
    pub struct ControllerRevision {
        /// Identity, labels, and the DaemonSet as owner.
        pub metadata: ObjectMeta,
        /// A patch that restores the template: `{"spec": {"template": {…, "$patch": "replace"}}}`.
        pub data: Rc<Value>,
        /// Larger is newer.
        pub revision: i64,
    }
}
