import {
  pickedCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { EditorView, Command } from '@codemirror/view';
import type { Diagnostic } from '#core/query/ast.ts';
import { applyFix } from '#core/query/fixes.ts';
import { complete, type Choice } from './complete.ts';
import { collectionNames } from './collection-names.ts';
import { languageName } from './language-names.ts';

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

/** Completes words of a query. */
export function queryChoices({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = complete(state.doc.toString(), pos, explicit, languageName, collectionNames());
  if (!found) return null;
  const { from, to, list } = found;
  return { from, to, filter: false, options: list.map((choice) => toCompletion(choice, from, to)) };
}

/** Applies the fix at the caret, else the first one. */
export function fixAction(diagnostics: readonly Diagnostic[]): Command {
  return (view) => {
    const can = diagnostics.filter(({ fix }) => fix !== undefined);
    const { head } = view.state.selection.main;
    const chosen = can.find(({ at, length }) => head >= at && head <= at + length) ?? can[0];
    if (chosen) replaceText(view, applyFix(view.state.doc.toString(), chosen));
    return true;
  };
}

/** Replaces the text by changing only what differs, so that the caret stays. */
export function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  const shorter = Math.min(old.length, text.length);
  let from = 0;
  while (from < shorter && old[from] === text[from]) from++;
  let same = 0;
  while (same < shorter - from && old.at(-1 - same) === text.at(-1 - same)) same++;
  const changes = { from, to: old.length - same, insert: text.slice(from, text.length - same) };
  view.dispatch({ changes, userEvent: 'input' });
}
