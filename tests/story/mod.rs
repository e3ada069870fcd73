//! A session that is told like a story: what several test files tell it with. Each adds what it alone needs.

use daemonset_playground::objects::*;
use daemonset_playground::simulation::*;
use std::collections::BTreeMap;

/// A session that is told like a story: commands, then what must be seen.
pub struct Story {
    pub session: Session,
    pub files: BTreeMap<String, String>,
}

impl Story {
    /// A cluster without nodes.
    pub fn empty() -> Self {
        Self { session: Session::new(Scenario::default()), files: BTreeMap::new() }
    }

    /// Runs a command that must succeed.
    pub fn run(&mut self, line: &str) -> String {
        let run = self.session.run(line, &self.files);
        assert!(run.exit_code.is_none_or(|code| code == 0), "{line}: {}", run.stderr);
        run.stdout.clone()
    }

    /// Runs a command that must fail.
    pub fn refused(&mut self, line: &str) -> String {
        let run = self.session.run(line, &self.files);
        assert_ne!(run.exit_code, Some(0), "{line}: {}", run.stdout);
        run.stderr.clone()
    }

    pub fn daemonset(&self, namespace: &str, name: &str) -> &DaemonSet {
        self.session.world().store().daemon_set(&ObjectKey::new(namespace, name)).expect("it is there")
    }

    /// DESIRED, CURRENT, READY, UP-TO-DATE, AVAILABLE.
    pub fn counters(&self, namespace: &str, name: &str) -> [i32; 5] {
        let status = &self.daemonset(namespace, name).status;
        [
            status.desired_number_scheduled,
            status.current_number_scheduled,
            status.number_ready,
            status.updated_number_scheduled,
            status.number_available,
        ]
    }
}
