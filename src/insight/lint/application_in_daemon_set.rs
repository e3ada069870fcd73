//! An application that has nothing to do with its node: a Deployment runs as many as are needed.

use super::report::{Found, Report};
use super::subject::{POD, Subject, text};
use super::Nature;

/// Last parts of the images of well-known servers.
const APPLICATIONS: [&str; 14] = [
    "nginx", "httpd", "redis", "postgres", "mysql", "mariadb", "mongo", "wordpress", "tomcat", "rabbitmq", "memcached",
    "elasticsearch", "kafka", "grafana",
];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let spec = subject.spec();
    if subject.nature != Nature::Plain || !spec.node_selector.is_empty() || spec.affinity.is_some() {
        return;
    }
    for (index, container) in subject.running().enumerate() {
        let image = text(container.value, "/image");
        let name = image.rsplit('/').next().unwrap_or(image);
        let name = name.split([':', '@']).next().unwrap_or(name);
        if APPLICATIONS.contains(&name) {
            report.add(Found::advice(format!("{POD}.containers[{index}].image")).fact("image", name));
            return;
        }
    }
}
