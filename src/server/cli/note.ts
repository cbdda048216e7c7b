import type { NoteOrder, NoteOutcome } from '#contract/note-orders.ts';
import type { CommandDeps } from './command-deps.ts';
import { DataFolder } from './data-folder.ts';
import { perform } from './run-or-delegate.ts';

/** What an order did. */
function done(outcome: NoteOutcome): string {
  switch (outcome.action) {
    case 'request': {
      const { length } = outcome.posts;
      return `Notes were requested for ${length === 1 ? '1 Post' : `${length} Posts`}.\n`;
    }
    case 'rate':
      return `The status of note ${outcome.note} is ${outcome.status}.\n`;
    case 'admit':
      return `@${outcome.username} may write notes that are not tests.\n`;
  }
}

/**
 * `groundswell note {request,rate,admit}`: prints what was done, or with `json` one object on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runNote(
  deps: CommandDeps,
  { data, note, json }: { data: string; note: NoteOrder; json: boolean },
): Promise<number> {
  let code = 1;
  await perform(deps, new DataFolder(data), { kind: 'note', order: note }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'noted') return;
    code = 0;
    const { action: _, ...outcome } = event.outcome;
    deps.out(json ? `${JSON.stringify(outcome)}\n` : done(event.outcome));
  });
  return code;
}
