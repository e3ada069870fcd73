use crate::objects::ObjectKey;
use std::rc::Rc;

/// How the pods of a DaemonSet stand at one moment, counted by node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Eligible nodes with an available pod of the newest template.
    pub new_available: u32,
    /// Eligible nodes whose only available pod is of an older template.
    pub old_available: u32,
    /// Eligible nodes with a pod that is there but not available.
    pub unavailable: u32,
    /// Eligible nodes without a live pod, or with one that is on no node yet.
    pub pending: u32,
    /// How many available nodes the rollout must leave: desired minus maxUnavailable.
    pub floor: u32,
}

impl Sample {
    /// All eligible nodes.
    pub fn desired(&self) -> u32 {
        self.new_available
            .saturating_add(self.old_available)
            .saturating_add(self.unavailable)
            .saturating_add(self.pending)
    }

    /// The counts, each on top of the one before: 0, new available, and all of them in the end.
    pub fn stack(&self) -> [u32; 5] {
        let old = self.new_available.saturating_add(self.old_available);
        [0, self.new_available, old, old.saturating_add(self.unavailable), self.desired()]
    }
}

/// What a mark on the time axis tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A person's command.
    Command(String),
    /// A command that failed.
    Refused(String),
    /// The controller created or deleted pods: how many.
    Wave(usize),
    /// A pod failed.
    Failure,
}

/// A mark on the time axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The step.
    pub step: usize,
    /// What it tells of.
    pub kind: MarkKind,
}

/// The rollout over time, as the scrubber shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// The DaemonSet; `None`: there is none to show.
    pub set: Option<ObjectKey>,
    /// Its colour.
    pub colour: u8,
    /// Virtual time of each position, position 0 first.
    pub times: Vec<u64>,
    /// The pods at each position, as long as `times`.
    pub samples: Vec<Sample>,
    /// What happened.
    pub marks: Vec<Mark>,
}

impl Chart {
    /// How many nodes were without an available pod at the worst moment of the last rollout up to a position. `None`:
    /// there was none, or it is not over yet.
    pub fn worst_of_rollout(&self, position: usize) -> Option<u32> {
        let known = self.samples.get(..=position)?;
        // What was the newest becomes the older one.
        let began = known.windows(2).rposition(|pair| match pair {
            [before, after] => after.new_available < before.new_available && after.old_available > before.old_available,
            _ => false,
        })?;
        let rollout = known.get(began.saturating_add(1)..)?;
        let without = |sample: &Sample| sample.unavailable.saturating_add(sample.pending);
        let is_over = |sample: &Sample| sample.old_available == 0 && without(sample) == 0;
        let end = rollout.iter().position(is_over)?;
        rollout.iter().take(end).map(without).max()
    }

    /// The commands after a position, oldest first.
    pub fn commands_after(&self, position: usize) -> Vec<String> {
        let command = |mark: &Mark| match &mark.kind {
            MarkKind::Command(line) => Some(line.clone()),
            _ => None,
        };
        self.marks.iter().filter(|mark| mark.step > position).filter_map(command).collect()
    }
}

/// A line of time, as it is compared with another.
#[derive(Clone, Debug, PartialEq)]
pub struct LineSummary {
    /// Its chart, from the very beginning.
    pub chart: Rc<Chart>,
    /// Steps after the fork.
    pub steps: usize,
    /// Virtual milliseconds after the fork.
    pub took_ms: u64,
    /// The most eligible nodes that were without an available pod at once.
    pub worst: u32,
    /// Milliseconds without an available pod, added up over all eligible nodes.
    pub uncovered_ms: u64,
    /// The commands after the fork.
    pub commands: Vec<String>,
}

/// Two lines of time with the same beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Number of steps that both share.
    pub fork: usize,
    /// The present line.
    pub mine: LineSummary,
    /// The other.
    pub other: LineSummary,
}

/// Where each position stands on the axis, from 0 to `width`.
///
/// The axis is that of virtual time, with two exceptions that keep it readable: a step at the same time as the one
/// before takes a small width of its own, so that each step can be seen and clicked; and a long wait is shortened.
pub fn layout(times: &[u64], width: f64) -> Vec<f64> {
    const OF_ITS_OWN: f64 = 0.35;
    const LONGEST: f64 = 6.0;
    let mut at = 0.0;
    let mut places = Vec::with_capacity(times.len());
    let mut before = times.first().copied().unwrap_or(0);
    for (index, time) in times.iter().enumerate() {
        if index > 0 {
            #[allow(clippy::cast_precision_loss)] // Below 2^53 ms, which is 285,000 years.
            let seconds = time.saturating_sub(before) as f64 / 1000.0;
            at += OF_ITS_OWN + seconds.min(LONGEST);
        }
        before = *time;
        places.push(at);
    }
    // A little room on the right, so that the last state can be seen.
    let whole = (at + 1.5).max(8.0);
    places.iter_mut().for_each(|place| *place *= width / whole);
    places
}

/// The position whose part of the axis holds `x`.
pub fn position_at(places: &[f64], x: f64) -> usize {
    places.partition_point(|place| *place <= x + 0.5).saturating_sub(1)
}

/// The narrowest part of the chart that is drawn, in its own units.
const FINEST: f64 = 0.4;

/// The outline of an area between two step-shaped lines, as an SVG path. `lower` and `upper` give the count at a
/// position; `scale` turns a count into a height, `height` is the baseline.
pub fn area(places: &[f64], width: f64, height: f64, scale: f64, range: impl Fn(usize) -> (u32, u32)) -> String {
    use std::fmt::Write;
    let mut path = String::new();
    let mut run: Option<(f64, u32, u32)> = None;
    let mut emit = |from: f64, to: f64, lower: u32, upper: u32| {
        if upper > lower && to > from {
            let (top, bottom) = (height - f64::from(upper) * scale, height - f64::from(lower) * scale);
            write!(path, "M{from:.1} {bottom:.1}V{top:.1}H{to:.1}V{bottom:.1}z").ok();
        }
    };
    for (index, place) in places.iter().enumerate() {
        let (lower, upper) = range(index);
        match run {
            Some((_, l, u)) if (l, u) == (lower, upper) => {}
            // What is narrower than the eye can see takes on the later count.
            Some((from, ..)) if place - from < FINEST => run = Some((from, lower, upper)),
            Some((from, l, u)) => {
                emit(from, *place, l, u);
                run = Some((*place, lower, upper));
            }
            None => run = Some((*place, lower, upper)),
        }
    }
    if let Some((from, lower, upper)) = run {
        emit(from, width, lower, upper);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_moment_of_a_rollout_is_told_when_it_is_over() {
        let sample = |new_available, old_available, unavailable, pending| Sample {
            new_available,
            old_available,
            unavailable,
            pending,
            floor: 0,
        };
        let samples = vec![
            sample(0, 0, 0, 3),
            sample(3, 0, 0, 0),
            sample(0, 3, 0, 0),
            sample(0, 2, 0, 1),
            sample(0, 1, 1, 1),
            sample(3, 0, 0, 0),
            sample(2, 0, 0, 1),
        ];
        let chart = Chart { samples, ..Chart::default() };
        let told: Vec<Option<u32>> = (0..7).map(|position| chart.worst_of_rollout(position)).collect();
        // What happens after the rollout is no part of it.
        assert_eq!(told, [None, None, None, None, None, Some(2), Some(2)]);
    }

    #[test]
    fn equal_times_stay_apart_and_long_waits_are_shortened() {
        let places = layout(&[0, 0, 1000, 1000, 3_600_000], 1000.0);
        let widths: Vec<i64> = places.windows(2).map(|pair| ((pair[1] - pair[0]) * 100.0).round() as i64).collect();
        assert!(widths[0] > 0 && widths[2] > 0);
        assert!(widths[1] > widths[0]);
        assert!(widths[3] < 6 * widths[1], "{widths:?}");
        assert!(places[4] < 1000.0);
    }

    #[test]
    fn a_click_finds_its_position() {
        let places = [0.0, 100.0, 200.0];
        assert_eq!(position_at(&places, -5.0), 0);
        assert_eq!(position_at(&places, 99.0), 0);
        assert_eq!(position_at(&places, 100.0), 1);
        assert_eq!(position_at(&places, 900.0), 2);
        assert_eq!(position_at(&[], 3.0), 0);
    }

    #[test]
    fn an_area_is_made_of_steps() {
        let counts = [0, 2, 2, 1];
        let path = area(&[0.0, 10.0, 20.0, 30.0], 40.0, 60.0, 20.0, |i| (0, counts[i]));
        assert_eq!(path, "M10.0 60.0V20.0H30.0V60.0zM30.0 60.0V40.0H40.0V60.0z");
    }
}
