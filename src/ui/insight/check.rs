//! Findings of the manifest check: the more serious first, each with its line, its reason and its fix.

use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::insight::lint::{Finding, Level};
use crate::ui::env::Env;
use crate::ui::icons::{Icon, icon};
use yew::prelude::*;

type Found = (Finding, Option<usize>);

pub(super) fn check(env: &Env, findings: &[Found]) -> Html {
    let words = env.words().insight();
    let of = |level: Level| findings.iter().filter(move |(finding, _)| finding.level == level);
    let fine = of(Level::Fine).count();
    let open: Vec<&Found> = of(Level::Warning).chain(of(Level::Advice)).collect();
    html! {
        <>
            <h2>{ words.check_title }</h2>
            if open.is_empty() { <p class="callout good">{ icon(Icon::Tick) }<span>{ words.check_clean }</span></p> }
            <ul class="findings">{ for open.into_iter().map(|found| entry(env, found)) }</ul>
            if fine > 0 {
                <details>
                    <summary>{ fill(words.check_fine, &[("n", &fine.to_string())]) }</summary>
                    <ul class="findings">{ for of(Level::Fine).map(|found| entry(env, found)) }</ul>
                </details>
            }
        </>
    }
}

fn entry(env: &Env, (finding, fix): &Found) -> Html {
    let words = env.words().insight();
    let said = env.words().lint_words(finding);
    let (class, shape, level) = match finding.level {
        Level::Warning => ("warning", Icon::Warning, words.level_warning),
        Level::Advice => ("advice", Icon::Info, words.level_advice),
        Level::Fine => ("fine", Icon::Tick, words.level_fine),
    };
    let from = u32::try_from(finding.span.start.utf16).unwrap_or(u32::MAX);
    let line = fill(words.line_of, &[("n", &finding.span.start.line.to_string())]);
    html! {
        <li class={classes!("finding", class)} key={format!("{}{}", finding.rule.id(), finding.path)}>
            { icon(shape) }
            <div>
                <h3><span class="unseen">{ level }{ ": " }</span>{ &said.title }</h3>
                <p>{ &said.why }</p>
                if !said.remedy.is_empty() { <p class="remedy">{ &said.remedy }</p> }
                <div class="fix-row">
                    <button type="button" class="link small" onclick={env.on(Msg::GoTo(from))} aria-label={format!("{line}: {}", said.title)}>{ icon(Icon::Manifest) }{ &line }</button>
                    <code class="small quiet cut">{ &finding.path }</code>
                    if let Some(fix) = *fix {
                        <button type="button" class="button tiny" onclick={env.on(Msg::Fix(fix))} aria-label={format!("{}: {}", words.fix_it, said.title)}>{ words.fix_it }</button>
                    }
                </div>
            </div>
        </li>
    }
}
