//! The cluster and the chart as one SVG that stands for itself: no style sheet, no font but the system's.

use crate::app::model::Model;
use crate::app::text::{count, time};
use crate::app::view::{Age, Chart, NodeCard, Place, PodState, PodTile, area, layout};
use std::fmt::Write;

/// Colours of the picture; the same as in `www/styles/tokens.css`.
struct Palette {
    ground: &'static str,
    surface: &'static str,
    line: &'static str,
    ink: &'static str,
    quiet: &'static str,
    warning: &'static str,
    danger: &'static str,
    unavailable: &'static str,
    sets: [&'static str; 8],
}

const LIGHT: Palette = Palette {
    ground: "#f5f6f8",
    surface: "#ffffff",
    line: "#e2e5eb",
    ink: "#14181f",
    quiet: "#5a6371",
    warning: "#7a4b00",
    danger: "#b3261e",
    unavailable: "#f0c874",
    sets: ["#0b68c8", "#c2500b", "#007d66", "#a83287", "#8a6800", "#6a4bd4", "#0f7f9e", "#8f3d2b"],
};

const DARK: Palette = Palette {
    ground: "#0d1014",
    surface: "#14181e",
    line: "#262d37",
    ink: "#e9ecf1",
    quiet: "#9aa4b2",
    warning: "#f0c36b",
    danger: "#ff938a",
    unavailable: "#8d6a24",
    sets: ["#62b0ff", "#ff9e5e", "#3fd3ad", "#f08fd4", "#e0bb45", "#b6a1ff", "#5fd0ee", "#e8a08f"],
};

/// Width of the picture.
const WIDTH: usize = 1200;
const MARGIN: usize = 24;
/// Width of what is within the margins.
const INNER: usize = WIDTH - 2 * MARGIN;
const CARD: (usize, usize) = (276, 84);
const GAP: usize = 16;
/// More nodes than this are drawn as small squares.
const CARDS: usize = 60;
const CELL: usize = 18;
const CHART: usize = 96;

struct Drawing {
    text: String,
    colours: &'static Palette,
}

/// The picture at the present position, in the page's colours and language.
pub fn picture(model: &Model) -> String {
    let (views, words) = (&model.views, model.words());
    let colours = if model.is_dark() { &DARK } else { &LIGHT };
    let dense = views.cards.len() > CARDS;
    let (columns, cell) = if dense { (INNER / CELL, CELL) } else { (4, CARD.1 + GAP) };
    let nodes_height = views.cards.len().div_ceil(columns.max(1)) * cell;
    let top = 104;
    let has_chart = views.chart.set.is_some();
    let height = top + nodes_height + if has_chart { CHART + 72 } else { MARGIN };
    let mut drawing = Drawing { text: String::new(), colours };
    let out = &mut drawing;
    let _ = write!(
        out.text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"13\"><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{}\"/>",
        colours.ground
    );
    let now = i64::try_from(model.session.world().now_ms()).unwrap_or(i64::MAX);
    let place = format!(
        "{} · {}",
        time(model.language(), now),
        count(model.language(), views.cards.len(), words.node_one, words.node_many)
    );
    match &views.head {
        Some(head) => {
            out.rect(MARGIN, 26, 16, 16, 4, out.set(head.colour));
            out.words(MARGIN + 24, 40, &head.key.name, out.colours.ink, "font-size=\"18\" font-weight=\"600\"");
            for (index, counter) in head.counters.iter().enumerate() {
                let x = MARGIN + index * 130;
                out.words(x, 74, &counter.value.to_string(), out.colours.ink, "font-size=\"18\" font-weight=\"600\"");
                out.words(x + 36, 74, words.counter(counter.counter), out.colours.quiet, "");
            }
        }
        None => out.words(MARGIN, 40, "DaemonSet Playground", out.colours.ink, "font-size=\"18\" font-weight=\"600\""),
    }
    out.words(WIDTH - MARGIN, 40, &place, out.colours.quiet, "text-anchor=\"end\"");
    for (index, card) in views.cards.iter().enumerate() {
        let (column, row) = (index % columns.max(1), index / columns.max(1));
        let shown = views.head.as_ref().and_then(|head| card.places.iter().find(|place| place.set == head.key));
        if dense {
            out.cell(MARGIN + column * CELL, top + row * CELL, shown);
        } else {
            out.card(MARGIN + column * (CARD.0 + GAP), top + row * cell, card, shown, model);
        }
    }
    if has_chart {
        out.chart(top + nodes_height + 32, &views.chart, model);
    }
    drawing.text.push_str("</svg>\n");
    drawing.text
}

impl Drawing {
    fn set(&self, colour: u8) -> &'static str {
        self.colours.sets.get(usize::from(colour)).copied().unwrap_or(self.colours.quiet)
    }

    fn rect(&mut self, x: usize, y: usize, w: usize, h: usize, r: usize, fill: &str) {
        let _ =
            write!(self.text, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{r}\" fill=\"{fill}\"/>");
    }

    fn words(&mut self, x: usize, y: usize, text: &str, fill: &str, more: &str) {
        let _ = write!(self.text, "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\" {more}>{}</text>", escaped(text));
    }

    fn card(&mut self, x: usize, y: usize, card: &NodeCard, place: Option<&Place>, model: &Model) {
        let words = model.words();
        let colours = self.colours;
        let _ = write!(
            self.text,
            "<rect x=\"{x}.5\" y=\"{y}.5\" width=\"{}\" height=\"{}\" rx=\"12\" fill=\"{}\" stroke=\"{}\"/>",
            CARD.0 - 1,
            CARD.1 - 1,
            colours.surface,
            colours.line
        );
        self.words(x + 12, y + 24, &shortened(&card.name, 26), colours.ink, "font-weight=\"600\"");
        let taints: Vec<String> = card.taints.iter().map(super::super::view::TaintChip::text).collect();
        let labels = card.labels.iter().filter(|label| !label.usual).map(|label| match label.value.as_str() {
            "" => label.key.clone(),
            value => format!("{}={value}", label.key),
        });
        let chips: Vec<String> = taints.iter().cloned().chain(labels).collect();
        let chip_colour = if taints.is_empty() { colours.quiet } else { colours.warning };
        self.words(x + 12, y + 44, &shortened(&chips.join(", "), 42), chip_colour, "font-size=\"11\"");
        let Some(place) = place else { return };
        match place.pods.as_slice() {
            [] => {
                self.gap(x + 12, y + 54, place.eligible);
                let why = place.absence.as_ref().map(|absence| words.absence(absence).to_string()).unwrap_or_default();
                self.words(x + 38, y + 68, &shortened(&why, 38), colours.quiet, "font-size=\"12\"");
            }
            pods => {
                for (index, pod) in pods.iter().take(4).enumerate() {
                    self.pod(x + 12 + index * 24, y + 54, 20, pod);
                }
                let line = pods.last().map(|pod| words.pod_line(pod).to_string()).unwrap_or_default();
                let at = x + 14 + pods.len().min(4) * 24;
                self.words(at, y + 68, &shortened(&line, 34), colours.quiet, "font-size=\"12\"");
            }
        }
    }

    fn cell(&mut self, x: usize, y: usize, place: Option<&Place>) {
        match place.and_then(|place| place.pods.last()) {
            Some(pod) => self.pod(x + 1, y + 1, 16, pod),
            None => self.gap(x + 1, y + 1, place.is_none_or(|place| place.eligible)),
        }
    }

    /// The place of a pod that is not there.
    fn gap(&mut self, x: usize, y: usize, eligible: bool) {
        let colour = if eligible { self.colours.quiet } else { self.colours.warning };
        let _ = write!(
            self.text,
            "<rect x=\"{x}.75\" y=\"{y}.75\" width=\"14.5\" height=\"14.5\" rx=\"4\" fill=\"none\" stroke=\"{colour}\" stroke-dasharray=\"3 2.4\"/>"
        );
        if !eligible {
            let _ =
                write!(self.text, "<path d=\"M{} {}l6-6\" stroke=\"{colour}\" stroke-width=\"1.6\"/>", x + 5, y + 11);
        }
    }

    fn pod(&mut self, x: usize, y: usize, size: usize, pod: &PodTile) {
        let bad = matches!(pod.state, PodState::Failing | PodState::Failed | PodState::Evicted);
        let colour = if bad { self.colours.danger } else { pod.colour.map_or(self.colours.quiet, |set| self.set(set)) };
        let full = matches!(pod.state, PodState::Ready | PodState::Available) && pod.age == Age::Newest;
        let dash = if pod.state == PodState::Pending { " stroke-dasharray=\"3 2.4\"" } else { "" };
        let fill = if full { "1" } else { "0.16" };
        let _ = write!(
            self.text,
            "<g transform=\"translate({x} {y}) scale({:.2})\"><rect x=\"1.75\" y=\"1.75\" width=\"16.5\" height=\"16.5\" rx=\"4.4\" fill=\"{colour}\" fill-opacity=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"{dash}/>",
            f64::from(u32::try_from(size).unwrap_or(20)) / 20.0
        );
        if pod.age != Age::Newest && !bad {
            let _ = write!(
                self.text,
                "<path d=\"M2.2 8.4 8.4 2.2M2.2 15 15 2.2M5 17.8 17.8 5M11.6 17.8 17.8 11.6\" stroke=\"{colour}\" stroke-width=\"1.6\" opacity=\"0.6\"/>"
            );
        }
        let mark = match pod.state {
            PodState::Available => "m5.8 10.4 2.9 2.8 5.5-6.2",
            PodState::Starting => "M10 5.5a4.5 4.5 0 0 1 0 9",
            PodState::Terminating => "M2 18 18 2",
            PodState::Failing | PodState::Failed => "m6.5 6.5 7 7M13.5 6.5l-7 7",
            PodState::Evicted => "M6.5 13.5 13 7M8.2 6.5h5.3v5.3",
            PodState::Succeeded => "M8 10h4",
            PodState::Pending | PodState::Ready => "",
        };
        if !mark.is_empty() {
            let stroke = if full { self.colours.surface } else { colour };
            let _ = write!(
                self.text,
                "<path d=\"{mark}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2.2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            );
        }
        self.text.push_str("</g>");
    }

    fn chart(&mut self, y: usize, chart: &Chart, model: &Model) {
        let words = model.words();
        let colours = self.colours;
        let width = f64::from(u32::try_from(INNER).unwrap_or(1152));
        let height = f64::from(u32::try_from(CHART).unwrap_or(96));
        let places = layout(&chart.times, width);
        let most = chart.samples.iter().map(|sample| sample.desired()).max().unwrap_or(0).max(1);
        let scale = (height - 4.0) / f64::from(most);
        let own = self.set(chart.colour);
        let areas = [
            (own, "1", words.chart_new),
            (own, "0.42", words.chart_old),
            (colours.unavailable, "1", words.chart_unavailable),
            (colours.line, "1", words.chart_pending),
        ];
        self.rect(MARGIN, y, INNER, CHART, 6, colours.surface);
        for (index, (fill, opacity, _)) in areas.iter().enumerate() {
            let path = area(&places, width, height, scale, |at| {
                let stack = chart.samples.get(at).copied().unwrap_or_default().stack();
                (stack.get(index).copied().unwrap_or(0), stack.get(index + 1).copied().unwrap_or(0))
            });
            let _ = write!(
                self.text,
                "<path transform=\"translate({MARGIN} {y})\" d=\"{path}\" fill=\"{fill}\" fill-opacity=\"{opacity}\"/>"
            );
        }
        let head = places.get(model.session.position()).copied().unwrap_or(0.0);
        let _ = write!(
            self.text,
            "<path transform=\"translate({MARGIN} {y})\" d=\"M{head:.1} 0V{height}\" stroke=\"{}\" stroke-width=\"2\"/>",
            colours.ink
        );
        for (index, (fill, opacity, text)) in areas.into_iter().enumerate() {
            let x = MARGIN + index * 180;
            let _ = write!(
                self.text,
                "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"3\" fill=\"{fill}\" fill-opacity=\"{opacity}\"/>",
                y + CHART + 14
            );
            self.words(x + 18, y + CHART + 24, text, colours.quiet, "font-size=\"12\"");
        }
    }
}

/// The text without what would end it in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// At most that many characters.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::Files;
    use crate::app::message::Msg;
    use crate::app::model::{FIRST_FILE, first_scenario};
    use crate::app::persist::Settings;
    use crate::app::text::Language;
    use crate::app::update::update;
    use crate::simulation::Session;

    fn model(lines: &[&str]) -> Model {
        let files = Files::new(FIRST_FILE.0, FIRST_FILE.1);
        let mut model = Model::with(Session::new(first_scenario()), files, Settings::default(), Language::En);
        update(&mut model, Msg::Apply);
        for line in lines {
            update(&mut model, Msg::Run((*line).into()));
        }
        while model.session.step() {}
        model.refresh();
        model
    }

    #[test]
    fn a_picture_names_the_nodes_and_says_why_one_has_no_pod() {
        let svg = picture(&model(&["kubectl label nodes worker1 note=a&b"]));
        for node in ["control-plane", "worker1", "worker2", "worker3"] {
            assert!(svg.contains(&format!(">{node}</text>")), "{node}");
        }
        assert!(svg.contains("control-plane is not tolerated"), "{svg}");
        assert!(!svg.contains("a&b"));
        assert_eq!(svg.matches("m5.8 10.4 2.9 2.8 5.5-6.2").count(), 3, "three available pods");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn many_nodes_are_small_squares() {
        let svg = picture(&model(&["sim add-node w --count 80"]));
        assert!(!svg.contains(">worker1</text>"));
        assert_eq!(svg.matches("m5.8 10.4 2.9 2.8 5.5-6.2").count(), 83);
    }
}
