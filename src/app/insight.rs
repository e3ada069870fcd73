//! The panel of insight: what the person asks of it, and the trials that run for it in slices.

use crate::app::effect::Effect;
use crate::app::model::Model;
use crate::insight::compare::{Compare, Comparison};
use crate::insight::forecast::{Rollout, RolloutResult, Strategy};
use crate::insight::overhead::Prices;
use crate::objects::{IntOrString, ObjectKey};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The parts of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// What the DaemonSet takes of the cluster.
    #[default]
    Cost,
    /// What is worth a second look in the manifest.
    Check,
    /// How long a rollout takes.
    Rollout,
    /// What applying the manifest would do.
    Change,
    /// The same as a Deployment.
    Compare,
}

impl Section {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [Self::Cost, Self::Check, Self::Rollout, Self::Change, Self::Compare];
}

/// What can be typed into the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// On how many nodes.
    Nodes,
    /// CPU that each pod asks for.
    Cpu,
    /// Memory that each pod asks for.
    Memory,
    /// Price of a CPU for an hour.
    CpuPrice,
    /// Price of a GiB for an hour.
    GibPrice,
    /// A budget, number or percentage.
    Budget,
    /// Replicas of the Deployment.
    Replicas,
}

/// What the person does in the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum InsightMsg {
    /// Show a part.
    Show(Section),
    /// Ask about another DaemonSet.
    Subject(ObjectKey),
    /// Something was typed.
    Type(Field, String),
    /// Group the nodes by a label, or not.
    GroupBy(Option<String>),
    /// The typed budget is for new pods beside old ones.
    Surge(bool),
    /// Roll out on a copy of the cluster.
    PlayRollout(Option<Strategy>),
    /// Apply the shown file on a copy of the cluster.
    PlayChange,
    /// Run DaemonSet and Deployment on copies of the cluster.
    Compare,
    /// The time for the next slice has come.
    Slice {
        /// How long the slice before took, in milliseconds.
        took_ms: u32,
    },
    /// Stop what runs.
    Stop,
}

/// Prices as they are kept: whole millionths, so that settings compare exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeptPrices {
    /// Of one CPU for one hour.
    pub cpu_hour: u32,
    /// Of one GiB for one hour.
    pub gib_hour: u32,
}

impl Default for KeptPrices {
    /// About what large clouds ask for general-purpose machines, in their own money.
    fn default() -> Self {
        Self { cpu_hour: 30_000, gib_hour: 4_000 }
    }
}

impl KeptPrices {
    /// The prices.
    pub fn prices(self) -> Prices {
        Prices { cpu_hour: f64::from(self.cpu_hour) / 1e6, gib_hour: f64::from(self.gib_hour) / 1e6 }
    }
}

/// A trial that runs, or what came of it.
#[derive(Clone, Debug, Default)]
pub enum Trial {
    /// Nothing was asked for.
    #[default]
    None,
    /// A rollout runs; `true`: of the shown file.
    Rollout(Box<Rollout>, bool),
    /// A comparison runs.
    Compare(Box<Compare>),
    /// What a rollout did.
    RolledOut(RolloutResult, bool),
    /// What the comparison found.
    Compared(Rc<Comparison>),
    /// kubectl refused it.
    Refused(Rc<str>),
}

impl Trial {
    /// Whether it goes on.
    pub const fn is_running(&self) -> bool {
        matches!(self, Self::Rollout(..) | Self::Compare(_))
    }
}

/// The state of the panel.
#[derive(Clone, Debug)]
pub struct State {
    /// The part that is shown.
    pub section: Section,
    /// The DaemonSet, once chosen.
    pub subject: Option<ObjectKey>,
    /// What was typed; empty: what the cluster has.
    pub typed: Typed,
    /// Nodes are grouped by this label.
    pub label: Option<String>,
    /// The trial.
    pub trial: Trial,
    /// Where the session stood when the trial began.
    pub tried_at: (usize, usize),
    /// Steps of the next slice.
    budget: usize,
}

/// What was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// On how many nodes.
    pub nodes: String,
    /// CPU that each pod asks for.
    pub cpu: String,
    /// Memory that each pod asks for.
    pub memory: String,
    /// Price of a CPU for an hour.
    pub cpu_price: String,
    /// Price of a GiB for an hour.
    pub gib_price: String,
    /// A budget.
    pub budget: String,
    /// It is for new pods beside old ones.
    pub surge: bool,
    /// Replicas of the Deployment.
    pub replicas: String,
}

impl Typed {
    /// The text of a field.
    pub fn field(&mut self, field: Field) -> &mut String {
        match field {
            Field::Nodes => &mut self.nodes,
            Field::Cpu => &mut self.cpu,
            Field::Memory => &mut self.memory,
            Field::CpuPrice => &mut self.cpu_price,
            Field::GibPrice => &mut self.gib_price,
            Field::Budget => &mut self.budget,
            Field::Replicas => &mut self.replicas,
        }
    }

    /// The typed budget as a strategy, if it is one: a number above 0 or a percentage.
    pub fn strategy(&self) -> Option<Strategy> {
        let text = self.budget.trim();
        let budget = match text.strip_suffix('%') {
            Some(number) => {
                number.trim().parse::<u8>().ok().filter(|n| (1..=100).contains(n))?;
                IntOrString::String(text.replace(' ', ""))
            }
            None => IntOrString::Int(text.parse::<i64>().ok().filter(|n| (1..=100_000).contains(n))?),
        };
        Some(if self.surge { Strategy::surge(budget) } else { Strategy::unavailable(budget) })
    }
}

/// A number as people type it: with a comma or a point.
pub fn decimal(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0)
}

impl State {
    /// The panel of a first look.
    pub fn new(prices: KeptPrices) -> Self {
        let shown = |millionths: u32| format!("{}", f64::from(millionths) / 1e6);
        Self {
            section: Section::default(),
            subject: None,
            typed: Typed { cpu_price: shown(prices.cpu_hour), gib_price: shown(prices.gib_hour), ..Typed::default() },
            label: None,
            trial: Trial::None,
            tried_at: (0, 0),
            budget: 64,
        }
    }
}

/// Takes a message of the panel.
pub fn update(model: &mut Model, message: InsightMsg) -> Vec<Effect> {
    let effects = match message {
        InsightMsg::Show(section) => {
            model.insight.section = section;
            model.insight.trial = Trial::None;
            Vec::new()
        }
        InsightMsg::Subject(key) => {
            model.insight.subject = Some(key);
            model.insight.trial = Trial::None;
            (model.insight.typed.cpu, model.insight.typed.memory) = Default::default();
            Vec::new()
        }
        InsightMsg::Type(field, text) => {
            *model.insight.typed.field(field) = text;
            keep_prices(model)
        }
        InsightMsg::GroupBy(label) => {
            model.insight.label = label;
            Vec::new()
        }
        InsightMsg::Surge(surge) => {
            model.insight.typed.surge = surge;
            Vec::new()
        }
        InsightMsg::PlayRollout(strategy) => play(model, |model, key| {
            Rollout::new(model.session.world(), key, strategy.as_ref())
                .map(|rollout| Trial::Rollout(Box::new(rollout), false))
        }),
        InsightMsg::PlayChange => play(model, |model, key| {
            let text = model.files.shown().map_or("", |file| &file.text);
            Rollout::of_manifest(model.session.world(), key, text)
                .map(|rollout| Trial::Rollout(Box::new(rollout), true))
        }),
        InsightMsg::Compare => {
            let replicas = model.insight.typed.replicas.trim().parse().ok().filter(|n: &usize| *n <= 10_000);
            play(model, |model, key| {
                let set = super::view::subject_set(model, key).ok_or_else(String::new)?;
                Compare::new(model.session.world(), &set, replicas).map(|compare| Trial::Compare(Box::new(compare)))
            })
        }
        InsightMsg::Slice { took_ms } => slice(model, took_ms),
        InsightMsg::Stop => {
            model.insight.trial = Trial::None;
            Vec::new()
        }
    };
    model.refresh();
    effects
}

/// Prices are kept for the next visit as soon as they are numbers.
fn keep_prices(model: &mut Model) -> Vec<Effect> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let millionths = |text: &str| decimal(text).map(|price| (price * 1e6).round() as u32);
    let mut prices = model.settings.prices;
    prices.cpu_hour = millionths(&model.insight.typed.cpu_price).unwrap_or(prices.cpu_hour);
    prices.gib_hour = millionths(&model.insight.typed.gib_price).unwrap_or(prices.gib_hour);
    if prices == model.settings.prices {
        return Vec::new();
    }
    model.settings.prices = prices;
    vec![Effect::Save]
}

fn play(model: &mut Model, begin: impl FnOnce(&Model, &ObjectKey) -> Result<Trial, String>) -> Vec<Effect> {
    let Some(key) = super::view::subject_key(model) else { return Vec::new() };
    model.insight.tried_at = (model.session.position(), model.session.len());
    match begin(model, &key) {
        Ok(trial) => {
            model.insight.trial = trial;
            vec![Effect::InsightSlice]
        }
        Err(refusal) => {
            model.insight.trial = Trial::Refused(refusal.trim().into());
            Vec::new()
        }
    }
}

/// Goes on with the trial, for about as long as a frame lasts.
fn slice(model: &mut Model, took_ms: u32) -> Vec<Effect> {
    let state = &mut model.insight;
    state.budget = match took_ms {
        0..=6 => state.budget.saturating_mul(2).min(4096),
        7..=14 => state.budget,
        _ => (state.budget / 2).max(1),
    };
    let budget = state.budget;
    state.trial = match std::mem::take(&mut state.trial) {
        Trial::Rollout(mut rollout, of_file) => match rollout.advance(budget) {
            Some(result) => Trial::RolledOut(result, of_file),
            None => Trial::Rollout(rollout, of_file),
        },
        Trial::Compare(mut compare) => match compare.advance(budget) {
            Ok(Some(result)) => Trial::Compared(Rc::new(result)),
            Ok(None) => Trial::Compare(compare),
            Err(refusal) => Trial::Refused(refusal.trim().into()),
        },
        other => other,
    };
    if model.insight.trial.is_running() {
        return vec![Effect::InsightSlice];
    }
    model.announcement = model.words().insight().done.into();
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::message::{Msg, SideTab};
    use crate::app::model::Model;
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;
    use crate::app::view::{InsightBody, InsightView, TrialView};

    /// The page of a first visit after its manifest has been applied and everything is quiet, with the panel open.
    fn page() -> Model {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::Step);
        while model.session.step() {}
        update(&mut model, Msg::ShowTab(SideTab::Insight));
        model
    }

    fn send(model: &mut Model, message: InsightMsg) -> Vec<Effect> {
        update(model, Msg::Insight(message))
    }

    fn typed(model: &mut Model, field: Field, text: &str) -> Vec<Effect> {
        send(model, InsightMsg::Type(field, text.into()))
    }

    fn view(model: &Model) -> InsightView {
        model.views.insight.as_deref().cloned().expect("a panel")
    }

    /// Goes on until no slice is asked for; how many there were.
    fn run(model: &mut Model, mut effects: Vec<Effect>) -> usize {
        let mut slices = 0;
        while effects.contains(&Effect::InsightSlice) {
            effects = send(model, InsightMsg::Slice { took_ms: 20 });
            slices += 1;
        }
        slices
    }

    #[test]
    fn the_number_of_nodes_can_be_any() {
        let mut model = page();
        assert_eq!((view(&model).nodes, view(&model).eligible, view(&model).is_applied), (3, 3, true));
        typed(&mut model, Field::Nodes, "200");
        typed(&mut model, Field::Cpu, "100m");
        typed(&mut model, Field::Memory, "128Mi");
        let InsightBody::Cost(cost) = view(&model).body else { panic!("the costs come first") };
        assert_eq!((cost.total.milli_cpu, cost.total.memory), (20_000, 25 << 30));
        typed(&mut model, Field::Nodes, "many");
        assert_eq!(view(&model).nodes, 3);
    }

    #[test]
    fn prices_are_kept_once_they_are_numbers() {
        let mut model = page();
        assert_eq!(typed(&mut model, Field::CpuPrice, "0,0"), [Effect::Save]);
        assert_eq!(typed(&mut model, Field::CpuPrice, "0,04"), [Effect::Save]);
        assert_eq!(typed(&mut model, Field::CpuPrice, "0,04x"), []);
        assert_eq!(model.settings.prices.cpu_hour, 40_000);
        assert_eq!(State::new(model.settings.prices).typed.cpu_price, "0.04");
    }

    #[test]
    fn a_budget_is_a_number_or_a_percentage() {
        let strategy = |text: &str| Typed { budget: text.into(), ..Typed::default() }.strategy();
        assert_eq!(strategy("5"), Some(Strategy::unavailable(IntOrString::Int(5))));
        assert_eq!(strategy(" 20 % "), Some(Strategy::unavailable(IntOrString::String("20%".into()))));
        for text in ["", "0", "0%", "101%", "-1", "x"] {
            assert_eq!(strategy(text), None, "{text}");
        }
    }

    #[test]
    fn a_trial_runs_in_slices_and_is_forgotten_when_the_session_moves_on() {
        let mut model = page();
        send(&mut model, InsightMsg::Show(Section::Rollout));
        model.insight.budget = 4;
        let effects = send(&mut model, InsightMsg::PlayRollout(None));
        assert!(matches!(view(&model).trial, TrialView::Running(..)));
        assert!(run(&mut model, effects) > 1);
        let TrialView::RolledOut(result, false) = view(&model).trial else { panic!("a result") };
        assert_eq!((result.nodes, result.updated, result.uncovered), (3, 3, 1));
        update(&mut model, Msg::Back);
        assert_eq!(view(&model).trial, TrialView::None);
    }

    #[test]
    fn a_trial_can_be_stopped() {
        let mut model = page();
        send(&mut model, InsightMsg::Show(Section::Compare));
        assert_eq!(send(&mut model, InsightMsg::Compare), [Effect::InsightSlice]);
        assert_eq!(send(&mut model, InsightMsg::Stop), []);
        assert_eq!(send(&mut model, InsightMsg::Slice { took_ms: 1 }), []);
        assert_eq!(view(&model).trial, TrialView::None);
    }

    #[test]
    fn what_is_typed_into_the_manifest_shows_once_it_is_checked() {
        let mut model = page();
        send(&mut model, InsightMsg::Show(Section::Change));
        let file = model.files.shown().unwrap();
        let (id, text) = (file.id, file.text.replace(":v1.8.2", ":v1.9.0"));
        update(&mut model, Msg::Edit(id, text.into()));
        update(&mut model, Msg::Check);
        let InsightBody::Change { effects: Ok(effects), has_set: true } = view(&model).body else { panic!("effects") };
        assert_eq!((effects[0].replaced, effects[0].at_once), (3, 1));
    }

    #[test]
    fn a_manifest_that_was_not_applied_can_be_asked_about() {
        let mut model = Model::new(Settings::default(), Language::En);
        update(&mut model, Msg::ShowTab(SideTab::Insight));
        assert!(!view(&model).is_applied);
        assert_eq!((&*view(&model).subject.name, view(&model).eligible), ("node-exporter", 3));
        send(&mut model, InsightMsg::Show(Section::Change));
        let InsightBody::Change { effects: Ok(effects), .. } = view(&model).body else { panic!("effects") };
        assert_eq!((effects[0].is_new, effects[0].gains.len()), (true, 3));
        send(&mut model, InsightMsg::Show(Section::Compare));
        let effects = send(&mut model, InsightMsg::Compare);
        run(&mut model, effects);
        let TrialView::Compared(result) = view(&model).trial else { panic!("a result") };
        assert_eq!((result.daemonset.covered, result.daemonset.follows, result.deployment.follows), (3, true, false));
    }
}
