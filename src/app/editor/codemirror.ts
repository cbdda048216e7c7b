import { autocompletion } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { diagnosticCount, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder, tooltips } from '@codemirror/view';
import type { Diagnostic } from '#core/query/ast.ts';
import { applyFix } from '#core/query/fixes.ts';
import { look } from './codemirror-look.ts';
import { diagnosticWords } from './diagnostic-words.ts';
import { drawnAt } from './segments.ts';
import { type EditorCallbacks, editorKeys, editorEvents } from './query-keys.ts';
import { replaceText, fixAction, queryChoices } from './query-completions.ts';
import { paintedMarks, repaintEffect } from './query-marks.ts';

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

/** An editor in the page. */
export type CodeEditor = ReturnType<typeof openQueryEditor>;

/**
 * Pause in typing after which faults are underlined, ms. Over 200: up to that, CodeMirror attributes a
 * moved caret to the focus just gained, when pieces of the text are replaced under it.
 */
const UNDERLINE_MS = 300;

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
      replaceText(view, applyFix(view.state.doc.toString(), diagnostic));
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
        editorKeys(callbacks, (view) => fixAction(diagnostics)(view)),
        oneLine,
        paintedMarks(limit),
        history(),
        keymap.of([...historyKeymap, ...standardKeymap]),
        EditorView.lineWrapping,
        placeholder(start.hint),
        autocompletion({
          override: [queryChoices],
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
        replaceText(view, text);
      }
      if (maximum !== limit) view.dispatch({ effects: repaintEffect.of(maximum) });
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
