//! Markdown of lessons on the page. Commands in it can be run by a click.

use crate::app::message::Msg;
use crate::app::phrase::fill;
use crate::app::text::LessonWords;
use crate::lessons::{Block, Inline, Notice};
use crate::ui::env::Env;
use crate::ui::icons::{Icon, icon};
use yew::prelude::*;

/// Blocks of text.
pub fn text(env: &Env, words: &LessonWords, blocks: &[Block]) -> Html {
    blocks.iter().map(|block| block_view(env, words, block)).collect()
}

fn block_view(env: &Env, words: &LessonWords, block: &Block) -> Html {
    match block {
        Block::Heading(words) => html! { <h3>{ inline(words) }</h3> },
        Block::Paragraph(words) => html! { <p>{ inline(words) }</p> },
        Block::List { ordered: true, items } => {
            html! { <ol>{ for items.iter().map(|item| html! { <li>{ inline(item) }</li> }) }</ol> }
        }
        Block::List { items, .. } => {
            html! { <ul>{ for items.iter().map(|item| html! { <li>{ inline(item) }</li> }) }</ul> }
        }
        Block::Table { rows } => table(rows),
        Block::Quote(notice, words) => {
            let class = match notice {
                Notice::Warning => "warning",
                Notice::Tip => "good",
                Notice::Note => "",
            };
            html! { <p class={classes!("callout", class)}><span>{ inline(words) }</span></p> }
        }
        Block::Code { language, text } if matches!(language.as_str(), "sh" | "console") => commands(env, words, text),
        Block::Code { text, .. } => html! { <pre class="code" tabindex="0"><code>{ text }</code></pre> },
    }
}

fn table(rows: &[Vec<Vec<Inline>>]) -> Html {
    let Some((head, body)) = rows.split_first() else { return Html::default() };
    html! {
        <div class="scroll" tabindex="0"><table>
            <thead><tr>{ for head.iter().map(|cell| html! { <th scope="col">{ inline(cell) }</th> }) }</tr></thead>
            <tbody>{ for body.iter().map(|row| html! { <tr>{ for row.iter().map(|cell| html! { <td>{ inline(cell) }</td> }) }</tr> }) }</tbody>
        </table></div>
    }
}

/// Command lines, each with a button that runs it.
fn commands(env: &Env, words: &LessonWords, text: &str) -> Html {
    html! {
        <ul class="commands">
            { for text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
                let line = line.trim().trim_start_matches("$ ");
                let name = fill(words.run_command, &[("command", line)]);
                html! {
                    <li><code>{ line }</code>
                        <button type="button" class="button tiny icon" aria-label={name.clone()} title={words.run} onclick={env.on(Msg::RunTyped(line.to_owned()))}>{ icon(Icon::Play) }</button></li>
                }
            }) }
        </ul>
    }
}

/// Words with their styles.
pub fn inline(words: &[Inline]) -> Html {
    words
        .iter()
        .map(|word| match word {
            Inline::Text(text) => html! { { text } },
            Inline::Emphasis(text) => html! { <em>{ text }</em> },
            Inline::Strong(text) => html! { <b>{ text }</b> },
            Inline::Code(text) => html! { <code>{ text }</code> },
            Inline::Link { text, to } => html! { <a href={to.clone()} target="_blank" rel="noopener">{ text }</a> },
        })
        .collect()
}
