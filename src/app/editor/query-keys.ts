import {
  acceptCompletion,
  closeCompletion,
  moveCompletionSelection,
  startCompletion,
} from '@codemirror/autocomplete';
import { nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { type EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, keymap, type Command } from '@codemirror/view';
import { complete, isWholeWord } from './complete.ts';
import { collectionNames } from './collection-names.ts';
import { languageName } from './language-names.ts';
import { repaintEffect } from './query-marks.ts';

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

/** True if Enter accepts the typed word itself, although a choice is open for it. */
function isWordMeant(state: EditorState): boolean {
  const at = state.selection.main.head;
  const text = state.doc.toString();
  const implicit = complete(text, at, false, languageName, collectionNames());
  return implicit !== null && isWholeWord(text, implicit, at);
}

/** The keys of the editor; `fixAny` fixes a fault. */
export function editorKeys(callbacks: EditorCallbacks, fixAny: Command): Extension {
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
export function editorEvents(callbacks: EditorCallbacks, isClosing: () => boolean): Extension {
  return EditorView.domEventHandlers({
    blur: () => {
      if (!isClosing()) callbacks.onleave();
    },
    compositionend: (_event, view) => {
      // Waits until the end of the composition has been read.
      setTimeout(() => {
        if (!isClosing()) view.dispatch({ effects: repaintEffect.of(null) });
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
