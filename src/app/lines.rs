//! Two lines of time side by side: what became of the same start, done in two ways.

use crate::app::rollout::Rollout;
use crate::app::view::{Chart, Comparison, LineSummary, Sample};
use crate::objects::ObjectKey;
use crate::simulation::{Session, Step};
use std::rc::Rc;

/// The comparison, kept as long as both lines stay the same.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Last steps of both lines, and the chart of the present one.
    of: Option<(Rc<Step>, Rc<Chart>)>,
    made: Option<Rc<Comparison>>,
}

impl Lines {
    /// Compares the present line, whose chart is given, with a branch.
    pub fn update(
        &mut self,
        session: &Session,
        branch: usize,
        set: Option<&ObjectKey>,
        mine: &Rc<Chart>,
    ) -> Option<Rc<Comparison>> {
        let other = session.branches().get(branch)?;
        let last = Rc::clone(other.steps().last()?);
        let fork = session.fork_of(other);
        if let Some((step, chart)) = &self.of
            && Rc::ptr_eq(step, &last)
            && Rc::ptr_eq(chart, mine)
        {
            return self.made.clone();
        }
        // The other line is looked at in a copy of the session; copies share everything.
        let mut there = session.clone();
        if !there.switch_branch(branch) {
            return None;
        }
        let theirs = Rollout::default().update(&there, set, mine.colour);
        self.of = Some((last, Rc::clone(mine)));
        self.made =
            Some(Rc::new(Comparison { fork, mine: summary(Rc::clone(mine), fork), other: summary(theirs, fork) }));
        self.made.clone()
    }
}

/// What a line came to after the fork.
fn summary(chart: Rc<Chart>, fork: usize) -> LineSummary {
    let missing = |sample: &Sample| sample.unavailable.saturating_add(sample.pending);
    let start = chart.times.get(fork).copied().unwrap_or(0);
    let end = chart.times.last().copied().unwrap_or(start);
    let after = || chart.samples.iter().skip(fork);
    let worst = after().map(missing).max().unwrap_or(0);
    let spans = chart.times.iter().skip(fork).zip(chart.times.iter().skip(fork + 1));
    let uncovered = after()
        .zip(spans)
        .map(|(sample, (from, to))| u64::from(missing(sample)).saturating_mul(to.saturating_sub(*from)))
        .fold(0, u64::saturating_add);
    LineSummary {
        steps: chart.times.len().saturating_sub(1).saturating_sub(fork),
        took_ms: end.saturating_sub(start),
        worst,
        uncovered_ms: uncovered,
        commands: chart.commands_after(fork),
        chart,
    }
}

#[cfg(test)]
mod tests {
    use crate::app::message::Msg;
    use crate::app::model::Model;
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;

    fn finish(model: &mut Model) {
        while model.session.step() {}
        model.refresh();
    }

    #[test]
    fn the_same_rollout_with_and_without_surge() {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::Apply);
        finish(&mut model);
        let before = model.session.position();
        let image =
            || Msg::Run("kubectl set image daemonset/node-exporter node-exporter=prom/node-exporter:v1.9.1".into());
        update(&mut model, image());
        finish(&mut model);
        update(&mut model, Msg::Seek(before));
        let surge = r#"kubectl patch daemonset node-exporter -p '{"spec":{"updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}}}}'"#;
        update(&mut model, Msg::Run(surge.into()));
        update(&mut model, image());
        finish(&mut model);
        update(&mut model, Msg::Compare(Some(0)));
        let compared = model.views.compared.clone().expect("a comparison");
        assert_eq!(compared.fork, before);
        // One after the other leaves one node without the agent at a time; surge leaves none.
        assert_eq!((compared.other.worst, compared.mine.worst), (1, 0));
        assert!(compared.other.uncovered_ms > 0);
        assert_eq!(compared.mine.uncovered_ms, 0);
        assert_eq!(compared.mine.commands.len(), 2);
        update(&mut model, Msg::Compare(None));
        assert!(model.views.compared.is_none());
    }
}
