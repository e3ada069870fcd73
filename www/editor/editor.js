// The manifest editor: CodeMirror behind the few functions that the application needs. It knows text and positions, not
// Kubernetes; completion, hover and diagnostics are handed in. All positions are UTF-16 offsets into the text as getText
// and onChange give it, in which every line break is a single LF.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorSelection, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import './styles.js';
import { smallestChange } from './change.js';
import { colours, themeNamed } from './theme.js';

/** Marks a change that the application made, so that it is not reported back to it. */
const fromApplication = Annotation.define();

const addMark = StateEffect.define({
  map: ({ from, to, kind }, changes) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1), kind }),
});
const removeMarks = StateEffect.define();
const removeNew = StateEffect.define();
/** How long lines are marked that the application has just written. */
const NEW_FOR_MS = 4000;
const isNew = (mark) => mark.spec.class.endsWith('-new');
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(removeMarks)) next = next.update({ filter: (_, __, mark) => isNew(mark) });
      if (effect.is(removeNew)) next = next.update({ filter: (_, __, mark) => !isNew(mark) });
      if (effect.is(addMark) && effect.value.from < effect.value.to) {
        const { from, to, kind } = effect.value;
        const mark = Decoration.mark({ class: kind ? `cm-mark cm-mark-${kind}` : 'cm-mark' });
        next = next.update({ add: [mark.range(from, to)], sort: true });
      }
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Tab inserts two spaces at the caret and indents a selection of lines; Escape and then Tab leaves the editor. */
function tab(view) {
  if (view.state.readOnly) return false;
  if (acceptCompletion(view)) return true;
  if (view.state.selection.ranges.some((range) => !range.empty)) return indentMore(view);
  view.dispatch(view.state.update(view.state.replaceSelection('  '), { scrollIntoView: true, userEvent: 'input' }));
  return true;
}

function completionSource(complete) {
  return async (context) => {
    const text = context.state.doc.toString();
    const offers = await complete(text, context.pos, context.explicit);
    if (context.aborted || !offers?.length) return null;
    const word = context.matchBefore(/[^\s:,[\]{}"']*/);
    return {
      from: word ? word.from : context.pos,
      options: offers.map(({ label, detail, apply, info, kind }) => ({
        label,
        detail: detail ?? undefined,
        info: info ?? undefined,
        type: kind ?? undefined,
        apply: apply ?? undefined,
      })),
      validFor: /^[^\s:,[\]{}"']*$/,
    };
  };
}

function hoverSource(hover) {
  return hoverTooltip(async (view, pos) => {
    const text = await hover(view.state.doc.toString(), pos);
    if (!text) return null;
    const word = view.state.wordAt(pos);
    return {
      pos: word ? word.from : pos,
      end: word ? word.to : pos,
      above: true,
      create() {
        const dom = document.createElement('div');
        dom.className = 'cm-hover';
        dom.textContent = text;
        return { dom };
      },
    };
  });
}

/**
 * Makes an editor inside `parent`.
 *
 * @param {HTMLElement} parent its content is replaced once the editor stands; nothing else may write into it afterwards
 * @param {object} options
 * @param {string} [options.doc] the text at the start
 * @param {boolean} [options.readOnly]
 * @param {string} options.label the accessible name
 * @param {string} [options.description] id of an element that describes it further
 * @param {'light' | 'dark'} [options.theme]
 * @param {Record<string, string>} [options.phrases] CodeMirror's own words in another language
 * @param {(text: string) => void} [options.onChange] after each change by the person, an undo or a fix; not after setText
 * @param {() => void} [options.onApply] Ctrl+Enter or Cmd+Enter
 * @param {(id: string) => void} [options.onFix] a fix of a diagnostic was chosen
 * @param {(line: number) => void} [options.onLine] when the person looks at another line: with the caret, or the pointer
 *   over it; 0 when with neither any more
 * @param {(text: string, position: number, explicit: boolean) => Offer[] | Promise<Offer[]>} [options.complete]
 *   Offer is {label, detail?, apply?, info?, kind?}: `apply` is the text put in place of the word before the caret
 * @param {(text: string, position: number) => string | null | Promise<string | null>} [options.hover]
 */
export function createEditor(parent, options) {
  const readOnly = new Compartment();
  const theme = new Compartment();
  const label = new Compartment();
  const named = (name, readOnlyNow) =>
    EditorView.contentAttributes.of({
      'aria-label': name,
      tabindex: '0',
      ...(options.description ? { 'aria-describedby': options.description } : {}),
      ...(readOnlyNow ? { 'aria-readonly': 'true' } : {}),
    });
  let name = options.label;
  let isReadOnly = Boolean(options.readOnly);

  let fading;
  let lookedAt = 0;
  const look = (line) => {
    if (line === lookedAt) return;
    lookedAt = line;
    options.onLine?.(line);
  };
  const caretLine = ({ doc, selection }) => doc.lineAt(selection.main.head).number;
  const pointer = EditorView.domEventHandlers({
    mousemove({ clientX: x, clientY: y }, view) {
      const position = view.posAtCoords({ x, y });
      if (position !== null) look(view.state.doc.lineAt(position).number);
    },
    mouseleave: (_, view) => look(view.hasFocus ? caretLine(view.state) : 0),
  });
  const report = EditorView.updateListener.of((update) => {
    if (update.docChanged && !update.transactions.some((t) => t.annotation(fromApplication))) {
      options.onChange?.(update.state.doc.toString());
    }
    if (update.selectionSet || update.docChanged || update.focusChanged) look(update.view.hasFocus ? caretLine(update.state) : 0);
  });
  const apply = () => {
    options.onApply?.();
    return Boolean(options.onApply);
  };

  const view = new EditorView({
    state: EditorState.create({
      doc: options.doc ?? '',
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        foldGutter(),
        lintGutter(),
        drawSelection(),
        EditorState.allowMultipleSelections.of(true),
        EditorState.tabSize.of(2),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        options.complete
          ? autocompletion({ override: [completionSource(options.complete)], activateOnTyping: true, icons: false })
          : [],
        options.hover ? hoverSource(options.hover) : [],
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: false }),
        yaml(),
        colours,
        marks,
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: apply }])),
        keymap.of([
          { key: 'Tab', run: tab, shift: indentLess },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...defaultKeymap,
        ]),
        EditorState.phrases.of(options.phrases ?? {}),
        readOnly.of(EditorState.readOnly.of(isReadOnly)),
        theme.of(themeNamed(options.theme ?? 'light')),
        label.of(named(name, isReadOnly)),
        report,
        options.onLine ? pointer : [],
      ],
    }),
  });
  parent.replaceChildren(view.dom);

  const clamp = (position) => Math.max(0, Math.min(position, view.state.doc.length));

  return {
    getText: () => view.state.doc.toString(),

    /** Replaces the text by the smallest change; it can be undone, by itself. `onChange` is not called. */
    setText(text) {
      const change = smallestChange(view.state.doc.toString(), text.replace(/\r\n?/g, '\n'));
      if (change) view.dispatch({ changes: change, annotations: [fromApplication.of(true), isolateHistory.of('full')] });
    },

    /**
     * Shows these diagnostics instead of the former ones.
     * @param {{from: number, to: number, severity: 'error' | 'warning' | 'info' | 'hint', message: string, source?: string,
     *   fixes?: {label: string, id?: string, apply?: () => void}[]}[]} diagnostics a chosen fix calls its `apply`, or
     *   `onFix` with its `id`
     */
    setDiagnostics(diagnostics) {
      const shown = diagnostics.map(({ from, to, severity, message, source, fixes }) => ({
        from: clamp(Math.min(from, to)),
        to: clamp(Math.max(from, to)),
        severity,
        message,
        source: source ?? undefined,
        actions: (fixes ?? []).map((fix) => ({ name: fix.label, apply: () => (fix.apply ? fix.apply() : options.onFix?.(fix.id)) })),
      }));
      view.dispatch(setDiagnostics(view.state, shown));
    },

    /** Marks a range (`kind`: 'passed', 'failed' or nothing) and scrolls it into view. */
    highlightRange(from, to, kind) {
      const range = { from: clamp(from), to: clamp(to), kind };
      view.dispatch({
        effects: [addMark.of(range), EditorView.scrollIntoView(EditorSelection.range(range.from, range.to), { y: 'center' })],
      });
    },

    clearHighlights() {
      view.dispatch({ effects: removeMarks.of(null) });
    },

    /** Scrolls to lines that the application has written and marks them for a while. Focus and caret stay. */
    reveal(from, to) {
      const range = { from: clamp(from), to: clamp(to), kind: 'new' };
      const place = EditorSelection.range(range.from, range.to);
      view.dispatch({
        effects: [removeNew.of(null), addMark.of(range), EditorView.scrollIntoView(place, { y: 'center' })],
      });
      clearTimeout(fading);
      fading = setTimeout(() => view.dispatch({ effects: removeNew.of(null) }), NEW_FOR_MS);
    },

    /** Moves the caret there, shows it and focuses the editor. */
    goTo(position) {
      const head = clamp(position);
      view.dispatch({ selection: EditorSelection.cursor(head), effects: EditorView.scrollIntoView(head, { y: 'center' }) });
      view.focus();
    },

    focus: () => view.focus(),

    setReadOnly(value) {
      isReadOnly = Boolean(value);
      view.dispatch({
        effects: [readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)), label.reconfigure(named(name, isReadOnly))],
      });
    },

    setLabel(value) {
      name = value;
      view.dispatch({ effects: label.reconfigure(named(name, isReadOnly)) });
    },

    /** @param {'light' | 'dark'} value */
    setTheme(value) {
      view.dispatch({ effects: theme.reconfigure(themeNamed(value)) });
    },

    destroy() {
      clearTimeout(fading);
      view.destroy();
    },
  };
}
