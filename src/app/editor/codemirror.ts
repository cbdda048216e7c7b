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
  tooltips,
  type Command,
  type DecorationSet,
} from '@codemirror/view';
import type { Diagnostic } from '#core/query/ast.ts';
import { applyFix } from '#core/query/fixes.ts';
import { look } from './codemirror-look.ts';
import { complete, isWholeWord, type Choice } from './complete.ts';
import { diagnosticWords } from './diagnostic-words.ts';
import { collectionNames } from './collection-names.ts';
import { languageName } from './language-names.ts';
import { beyond, colours, drawnAt } from './segments.ts';

/** The initial state of the editor, taken over from the plain field. */
export interface Start {
  readonly text: string;
  readonly limit: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The selection, in UTF-16 units; the end of the text by default. */
  readonly anchor?: number;
  readonly head?: number;
  readonly focus: boolean;
  readonly label: string;
  readonly hint: string;
  /** Id of the element with the query's meaning or faults. */
  readonly describedBy: string;
}

export interface EditorCallbacks {
  readonly oninput: (text: string) => void;
  /** Enter: the text becomes the query. */
  readonly oncommit: () => void;
  /** The editor lost the focus, or is being removed with it. */
  readonly onleave: () => void;
  readonly onpastelines: (lines: string[]) => void;
  /** Escape: editing ends. */
  readonly onclose: () => void;
}

/** An editor in the page. */
export type CodeEditor = ReturnType<typeof openQueryEditor>;

/** A new limit, or the end of a composition, after which the text is coloured again. */
const repaint = StateEffect.define<number | null>();

/**
 * Pause in typing after which faults are underlined, ms. Over 200: up to that, CodeMirror attributes a
 * moved caret to the focus just gained, when pieces of the text are replaced under it.
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
      const request = change.effects.find((effect) => effect.is(repaint));
      if (!change.docChanged && !request) return value;
      // Text that an input method is composing must not be split into pieces.
      if (change.isUserEvent('input.type.compose')) {
        return { limit: value.limit, marks: value.marks.map(change.changes) };
      }
      return paint(change.newDoc.toString(), request?.value ?? value.limit);
    },
    provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
  });
}

/** A query is one line: a line break becomes a space. */
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
  const found = complete(state.doc.toString(), pos, explicit, languageName, collectionNames());
  if (!found) return null;
  const { from, to, list } = found;
  return { from, to, filter: false, options: list.map((choice) => toCompletion(choice, from, to)) };
}

/** Applies the fix at the caret, else the first one. */
function fix(diagnostics: readonly Diagnostic[]): Command {
  return (view) => {
    const can = diagnostics.filter(({ fix }) => fix !== undefined);
    const { head } = view.state.selection.main;
    const chosen = can.find(({ at, length }) => head >= at && head <= at + length) ?? can[0];
    if (chosen) replace(view, applyFix(view.state.doc.toString(), chosen));
    return true;
  };
}

/** Replaces the text by changing only what differs, so that the caret stays. */
function replace(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  const shorter = Math.min(old.length, text.length);
  let from = 0;
  while (from < shorter && old[from] === text[from]) from++;
  let same = 0;
  while (same < shorter - from && old.at(-1 - same) === text.at(-1 - same)) same++;
  const changes = { from, to: old.length - same, insert: text.slice(from, text.length - same) };
  view.dispatch({ changes, userEvent: 'input' });
}

/** True if Enter accepts the typed word itself, although a choice is open for it. */
function isWordMeant(state: EditorState): boolean {
  const at = state.selection.main.head;
  const text = state.doc.toString();
  const implicit = complete(text, at, false, languageName, collectionNames());
  return implicit !== null && isWholeWord(text, implicit, at);
}

/** The keys of the editor; `fixAny` fixes a fault. */
function editorKeys(callbacks: EditorCallbacks, fixAny: Command): Extension {
  return Prec.highest(
    keymap.of([
      {
        key: 'Enter',
        shift: (view) => (callbacks.oncommit(), closeCompletion(view), true),
        run(view) {
          if (!isWordMeant(view.state) && acceptCompletion(view)) return true;
          closeCompletion(view);
          callbacks.oncommit();
          return true;
        },
      },
      { key: 'Tab', run: acceptCompletion },
      { key: 'Escape', run: (view) => closeCompletion(view) || (callbacks.onclose(), true) },
      { key: 'Ctrl-Space', run: startCompletion },
      { mac: 'Alt-`', run: startCompletion },
      { key: 'ArrowDown', run: moveCompletionSelection(true) },
      { key: 'ArrowUp', run: moveCompletionSelection(false) },
      { key: 'PageDown', run: moveCompletionSelection(true, 'page') },
      { key: 'PageUp', run: moveCompletionSelection(false, 'page') },
      { key: 'F8', run: nextDiagnostic, shift: previousDiagnostic },
      { key: 'Alt-Enter', run: fixAny },
    ]),
  );
}

/** Events of the page; none reaches the callbacks while the editor closes. */
function editorEvents(callbacks: EditorCallbacks, isClosing: () => boolean): Extension {
  return EditorView.domEventHandlers({
    blur: () => {
      if (!isClosing()) callbacks.onleave();
    },
    compositionend: (_event, view) => {
      // Waits until the end of the composition has been read.
      setTimeout(() => {
        if (!isClosing()) view.dispatch({ effects: repaint.of(null) });
      });
    },
    paste: (event) => {
      const lines = (event.clipboardData?.getData('text/plain') ?? '')
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(Boolean);
      if (lines.length < 2) return false;
      event.preventDefault();
      callbacks.onpastelines(lines);
      return true;
    },
  });
}

/**
 * Opens a wrapping one-line editor inside an element.
 *
 * Enter takes an open choice, else commits; Escape closes the choices first and then the editor.
 */
export function openQueryEditor(parent: Element, start: Start, callbacks: EditorCallbacks) {
  let { diagnostics, limit, label } = start;
  let closing = false;
  let underlining: ReturnType<typeof setTimeout> | undefined;

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
          diagnostic.fix === undefined
            ? []
            : [
                {
                  name: diagnostic.fix === '' ? 'Remove it' : `Fix: ${diagnostic.fix}`,
                  apply: (view: EditorView) => fixOne(view, diagnostic),
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

  function fixOne(view: EditorView, diagnostic: Diagnostic): void {
    // The list may still show a fault of a text that has changed since.
    if (diagnostics.includes(diagnostic)) {
      replace(view, applyFix(view.state.doc.toString(), diagnostic));
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
        editorKeys(callbacks, (view) => fix(diagnostics)(view)),
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
          // The list opens at once, so that a key has the same effect however fast it follows.
          activateOnTypingDelay: 0,
          interactionDelay: 0,
          activateOnCompletion: ({ type }) => type === 'leads-on',
        }),
        // Outside the panel, which clips what is not fixed: CodeMirror does not fix its lists in Safari.
        tooltips({ parent: parent.closest<HTMLElement>('dialog, [popover]') ?? document.body }),
        look,
        editorEvents(callbacks, () => closing),
        EditorView.contentAttributes.of((view) => ({
          'aria-label': label,
          'aria-describedby': start.describedBy,
          'aria-invalid': String(diagnosticCount(view.state) > 0),
          'aria-multiline': 'false',
          // Focusable without it; tools that check whether scrolling parts are reachable by keyboard
          // look for it.
          tabindex: '0',
          spellcheck: 'false',
          autocapitalize: 'off',
          autocorrect: 'off',
        })),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) callbacks.oninput(update.state.doc.toString());
        }),
      ],
    }),
  });
  view.dispatch(underlined(view.state));
  if (start.focus) view.focus();

  return {
    /** Shows a text from outside, as one step of its history, with its diagnostics and label. */
    show(text: string, wrong: readonly Diagnostic[], maximum: number, name: string) {
      const named = name !== label;
      label = name;
      if (view.state.doc.toString() !== text) {
        diagnostics = [];
        replace(view, text);
      }
      if (maximum !== limit) view.dispatch({ effects: repaint.of(maximum) });
      else if (named) view.dispatch({});
      limit = maximum;
      diagnostics = wrong;
      clearTimeout(underlining);
      if (wrong.length > 0 || diagnosticCount(view.state) > 0) underlining = later();
    },
    focus: (): void => view.focus(),
    destroy() {
      closing = true;
      clearTimeout(underlining);
      view.destroy();
    },
  };
}
