import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  moveCompletionSelection,
  pickedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import {
  diagnosticCount,
  nextDiagnostic,
  previousDiagnostic,
  setDiagnostics,
} from '@codemirror/lint';
import { EditorState, Prec, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  keymap,
  placeholder,
  type Command,
  type DecorationSet,
} from '@codemirror/view';
import type { Diagnostic } from '#core/query/ast.ts';
import { look } from './codemirror-look.ts';
import { complete, isWhole, type Choice } from './complete.ts';
import { diagnosticWords } from './diagnostic-words.ts';
import { languageName } from './language-names.ts';
import { beyond, colours, drawnAt, mended } from './segments.ts';

/** What the editor begins with, taken over from what stood in its place. */
export interface Start {
  readonly text: string;
  readonly limit: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The selection, in UTF-16 units; the end of the text unless given. */
  readonly anchor?: number;
  readonly head?: number;
  readonly focus: boolean;
  readonly label: string;
  readonly hint: string;
  /** Id of the element that says what the query means and what is wrong in it. */
  readonly describedBy: string;
}

export interface Doing {
  readonly oninput: (text: string) => void;
  readonly oncommit: () => void;
  /** The editor lost the focus, or is being taken from the page with it. */
  readonly onleave: () => void;
  readonly onpastelines: (lines: string[]) => void;
  readonly onclose: () => void;
}

/** An editor that stands in the page. */
export interface CodeEditor {
  /** Takes a text from outside, as one step of its history, what is wrong in it, and its own name. */
  show(text: string, diagnostics: readonly Diagnostic[], limit: number, label: string): void;
  focus(): void;
  destroy(): void;
}

/** A new limit, or the end of a composition, after which the text is coloured again. */
const repaint = StateEffect.define<number | null>();

/**
 * Pause in typing after which what is wrong is underlined, in ms. Over 200, for which CodeMirror puts the
 * caret down to the focus just gained where pieces of the text are exchanged under it.
 */
const UNDERLINE_MS = 300;

interface Paint {
  readonly limit: number;
  readonly marks: DecorationSet;
}

const marks = {
  operator: Decoration.mark({ class: 'cm-operator' }),
  negated: Decoration.mark({ class: 'cm-negated' }),
  joint: Decoration.mark({ class: 'cm-joint' }),
  beyond: Decoration.mark({ class: 'cm-beyond' }),
};

function paint(text: string, limit: number): Paint {
  const found = colours(text).flatMap(({ at, length, kind }) =>
    kind === 'text' || kind === 'wrong' ? [] : [marks[kind].range(at, at + length)],
  );
  const over = beyond(text, limit);
  if (over !== null) found.push(marks.beyond.range(over, text.length));
  return { limit, marks: Decoration.set(found, true) };
}

function painted(limit: number): Extension {
  return StateField.define<Paint>({
    create: (state) => paint(state.doc.toString(), limit),
    update(value, change) {
      const asked = change.effects.find((effect) => effect.is(repaint));
      if (!change.docChanged && !asked) return value;
      // The text that an input method is still composing is not cut into pieces under its hands.
      if (change.isUserEvent('input.type.compose')) {
        return { limit: value.limit, marks: value.marks.map(change.changes) };
      }
      return paint(change.newDoc.toString(), asked?.value ?? value.limit);
    },
    provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
  });
}

/** A query is one line: what breaks it becomes a space. */
const oneLine = EditorState.transactionFilter.of((change) => {
  if (!change.docChanged || change.newDoc.lines === 1) return change;
  const breaks = [];
  for (let i = 1; i < change.newDoc.lines; i++) {
    const { to } = change.newDoc.line(i);
    breaks.push({ from: to, to: to + 1, insert: ' ' });
  }
  return [change, { changes: breaks, sequential: true }];
});

function toCompletion(choice: Choice, from: number, to: number): Completion {
  const { label, help, text = label, caret = text.length } = choice;
  return {
    label,
    detail: help,
    type: choice.leadsOn ? 'leads-on' : 'last',
    apply: (view, completion, _from, end) =>
      view.dispatch({
        changes: { from, to: Math.max(to, end), insert: text },
        selection: { anchor: from + caret },
        annotations: pickedCompletion.of(completion),
        userEvent: 'input.complete',
        scrollIntoView: true,
      }),
  };
}

function choices({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = complete(state.doc.toString(), pos, explicit, languageName);
  if (!found) return null;
  const { from, to, list } = found;
  return { from, to, filter: false, options: list.map((one) => toCompletion(one, from, to)) };
}

/** Mends what is wrong at the caret, else the first thing that can be mended. */
function mend(diagnostics: readonly Diagnostic[]): Command {
  return (view) => {
    const can = diagnostics.filter(({ mend }) => mend !== undefined);
    const { head } = view.state.selection.main;
    const one = can.find(({ at, length }) => head >= at && head <= at + length) ?? can[0];
    if (one) replace(view, mended(view.state.doc.toString(), one));
    return true;
  };
}

/** Puts another text in the place of the text by changing only what differs, so that the caret stays. */
function replace(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  const least = Math.min(old.length, text.length);
  let from = 0;
  while (from < least && old[from] === text[from]) from++;
  let same = 0;
  while (same < least - from && old.at(-1 - same) === text.at(-1 - same)) same++;
  const changes = { from, to: old.length - same, insert: text.slice(from, text.length - same) };
  view.dispatch({ changes, userEvent: 'input' });
}

/** Whether Enter means the word as it stands, though a choice is open for it. */
function meant(state: EditorState): boolean {
  const at = state.selection.main.head;
  const text = state.doc.toString();
  const unasked = complete(text, at, false, languageName);
  return unasked !== null && isWhole(text, unasked, at);
}

/**
 * Opens an editor of one line, wrapped, inside an element.
 *
 * Enter takes a choice that is open, else commits; Escape closes the choices first and then the editor.
 */
export function openEditor(parent: Element, start: Start, doing: Doing): CodeEditor {
  let { diagnostics, limit, label } = start;
  let closing = false;
  let underlining: ReturnType<typeof setTimeout> | undefined;

  const keys = Prec.highest(
    keymap.of([
      {
        key: 'Enter',
        shift: (view) => (doing.oncommit(), closeCompletion(view), true),
        run(view) {
          if (!meant(view.state) && acceptCompletion(view)) return true;
          closeCompletion(view);
          doing.oncommit();
          return true;
        },
      },
      { key: 'Tab', run: acceptCompletion },
      { key: 'Escape', run: (view) => closeCompletion(view) || (doing.onclose(), true) },
      { key: 'Ctrl-Space', run: startCompletion },
      { mac: 'Alt-`', run: startCompletion },
      { key: 'ArrowDown', run: moveCompletionSelection(true) },
      { key: 'ArrowUp', run: moveCompletionSelection(false) },
      { key: 'PageDown', run: moveCompletionSelection(true, 'page') },
      { key: 'PageUp', run: moveCompletionSelection(false, 'page') },
      { key: 'F8', run: nextDiagnostic, shift: previousDiagnostic },
      { key: 'Alt-Enter', run: (view) => mend(diagnostics)(view) },
    ]),
  );

  const events = EditorView.domEventHandlers({
    blur: () => {
      if (!closing) doing.onleave();
    },
    compositionend: (_event, view) => {
      // After the last of the composition has been read.
      setTimeout(() => {
        if (!closing) view.dispatch({ effects: repaint.of(null) });
      });
    },
    paste: (event) => {
      const lines = (event.clipboardData?.getData('text/plain') ?? '')
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(Boolean);
      if (lines.length < 2) return false;
      event.preventDefault();
      doing.onpastelines(lines);
      return true;
    },
  });

  function underlined(state: EditorState) {
    const total = state.doc.length;
    const list = total === 0 ? [] : diagnostics;
    return setDiagnostics(
      state,
      list.map((diagnostic) => ({
        ...drawnAt(diagnostic, total),
        severity: 'error' as const,
        message: diagnosticWords(diagnostic),
        actions:
          diagnostic.mend === undefined
            ? []
            : [
                {
                  name: diagnostic.mend === '' ? 'Remove it' : `Mend: ${diagnostic.mend}`,
                  apply: (view: EditorView) => mendOne(view, diagnostic),
                },
              ],
      })),
    );
  }

  function later(): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      if (view.composing) underlining = later();
      else view.dispatch(underlined(view.state));
    }, UNDERLINE_MS);
  }

  function mendOne(view: EditorView, diagnostic: Diagnostic): void {
    // The list may still show what was wrong in a text that has changed since.
    if (diagnostics.includes(diagnostic)) {
      replace(view, mended(view.state.doc.toString(), diagnostic));
    }
    view.focus();
  }

  const anchor = start.anchor ?? start.text.length;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: start.text,
      selection: { anchor, head: start.head ?? anchor },
      extensions: [
        keys,
        oneLine,
        painted(limit),
        history(),
        keymap.of([...historyKeymap, ...standardKeymap]),
        EditorView.lineWrapping,
        placeholder(start.hint),
        autocompletion({
          override: [choices],
          icons: false,
          defaultKeymap: false,
          // The list is made at once, so that a key means the same however fast it follows.
          activateOnTypingDelay: 0,
          interactionDelay: 0,
          activateOnCompletion: ({ type }) => type === 'leads-on',
        }),
        look,
        events,
        EditorView.contentAttributes.of((view) => ({
          'aria-label': label,
          'aria-describedby': start.describedBy,
          'aria-invalid': String(diagnosticCount(view.state) > 0),
          'aria-multiline': 'false',
          // It can be focused without: said for what checks that a part which scrolls can be reached by keys.
          tabindex: '0',
          spellcheck: 'false',
          autocapitalize: 'off',
          autocorrect: 'off',
        })),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) doing.oninput(update.state.doc.toString());
        }),
      ],
    }),
  });
  view.dispatch(underlined(view.state));
  if (start.focus) view.focus();

  return {
    show(text, wrong, most, name) {
      const named = name !== label;
      label = name;
      if (view.state.doc.toString() !== text) {
        diagnostics = [];
        replace(view, text);
      }
      if (most !== limit) view.dispatch({ effects: repaint.of(most) });
      else if (named) view.dispatch({});
      limit = most;
      diagnostics = wrong;
      clearTimeout(underlining);
      if (wrong.length > 0 || diagnosticCount(view.state) > 0) underlining = later();
    },
    focus: () => view.focus(),
    destroy() {
      closing = true;
      clearTimeout(underlining);
      view.destroy();
    },
  };
}
