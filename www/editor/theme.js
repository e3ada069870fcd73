// The editor's looks. Every colour is a custom property of the page, so that light and dark follow it.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const surface = 'var(--surface, Canvas)';
const ink = 'var(--ink, CanvasText)';
const quiet = 'var(--ink-quiet, color-mix(in srgb, var(--ink, CanvasText) 65%, transparent))';
const line = 'var(--line, color-mix(in srgb, var(--ink, CanvasText) 20%, transparent))';
const accent = 'var(--accent, Highlight)';
const tint = (colour, percent) => `color-mix(in srgb, ${colour} ${percent}%, transparent)`;
const danger = 'var(--danger, #c62828)';
const warning = 'var(--warning, #9a6700)';

const looks = {
  '&': { height: '100%', color: ink, backgroundColor: surface, fontSize: 'var(--code-size, 13px)' },
  '&.cm-focused': { outline: 'none' },
  // The focus ring lies above the gutter, which would cover an outline inside.
  '&.cm-focused::after': {
    content: '""',
    position: 'absolute',
    inset: '0',
    border: `2px solid ${accent}`,
    pointerEvents: 'none',
    zIndex: '300',
  },
  '.cm-scroller': { fontFamily: 'var(--mono, ui-monospace, monospace)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: ink, padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: ink },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: tint(accent, 25),
  },
  '.cm-gutters': { backgroundColor: surface, color: quiet, borderRight: `1px solid ${line}` },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: tint(ink, 5) },
  '.cm-activeLineGutter': { color: ink },
  '.cm-foldPlaceholder': { background: 'transparent', border: `1px solid ${line}`, color: quiet },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: tint(accent, 20), outline: `1px solid ${accent}` },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: tint(danger, 20) },
  '.cm-searchMatch': { backgroundColor: tint(warning, 25), outline: `1px solid ${tint(warning, 60)}` },
  '.cm-searchMatch-selected': { backgroundColor: tint(warning, 50) },
  '.cm-selectionMatch': { backgroundColor: tint(accent, 12) },
  '.cm-panels': { backgroundColor: surface, color: ink },
  '.cm-panels-bottom': { borderTop: `1px solid ${line}` },
  '.cm-textfield': { backgroundColor: surface, color: ink, border: `1px solid ${line}` },
  '.cm-button': { backgroundColor: surface, backgroundImage: 'none', color: ink, border: `1px solid ${line}`, borderRadius: '4px' },
  '.cm-tooltip': { backgroundColor: surface, color: ink, border: `1px solid ${line}`, borderRadius: '4px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: accent, color: 'var(--on-accent, HighlightText)' },
  '.cm-completionDetail': { color: quiet, fontStyle: 'normal' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-hover': { padding: '4px 8px', maxWidth: '48ch', whiteSpace: 'pre-wrap' },
  // One shape for each severity, so that colour is not the only sign.
  '.cm-gutter-lint': { width: '1.1em' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { content: '""', width: '8px', height: '8px', margin: '0 auto', position: 'relative', top: '0.42em' },
  '.cm-lint-marker-error': { content: '""', background: danger, borderRadius: '1px', transform: 'rotate(45deg)' },
  '.cm-lint-marker-warning': { content: '""', background: warning, clipPath: 'polygon(50% 0, 100% 100%, 0 100%)' },
  '.cm-lint-marker-info, .cm-lint-marker-hint': { content: '""', border: `1.5px solid ${accent}`, borderRadius: '50%' },
  '.cm-diagnostic-error': { borderLeftColor: danger },
  '.cm-diagnostic-warning': { borderLeftColor: warning },
  '.cm-diagnosticAction': { backgroundColor: accent, color: 'var(--on-accent, HighlightText)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: `underline wavy ${danger}` },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: `underline wavy ${warning}` },
  '.cm-lintRange-info, .cm-lintRange-hint': { backgroundImage: 'none', textDecoration: `underline dotted ${accent}` },
  '.cm-mark': { backgroundColor: tint(accent, 20), borderRadius: '2px' },
  '.cm-mark-passed': { backgroundColor: tint('var(--good, #1a7f37)', 22) },
  '.cm-mark-new': { backgroundColor: tint('var(--good, #1a7f37)', 22) },
  '.cm-mark-failed': { backgroundColor: tint(danger, 22) },
};

const light = EditorView.theme(looks, { dark: false });
const dark = EditorView.theme(looks, { dark: true });

/** @param {'light' | 'dark'} name */
export const themeNamed = (name) => (name === 'dark' ? dark : light);

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.definition(tags.propertyName), tags.propertyName], color: `var(--code-key, ${accent})` },
    { tag: [tags.string, tags.attributeValue, tags.special(tags.string)], color: 'var(--code-string, inherit)' },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number, inherit)' },
    { tag: [tags.comment, tags.lineComment], color: `var(--code-comment, ${quiet})`, fontStyle: 'italic' },
    { tag: [tags.typeName, tags.labelName, tags.meta], color: `var(--code-meta, ${quiet})` },
    { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: quiet },
  ]),
);
