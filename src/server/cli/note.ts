import { resolve } from 'node:path';
import type { NoteOrder, NoteOutcome } from '#contract/control/note-orders.ts';
import { plural } from '#core/format/plural.ts';
import type { CommandDeps } from './command-deps.ts';
import { DataFolder } from './data-folder.ts';
import { perform } from './run-or-delegate.ts';

/** What an order did. */
function done(outcome: NoteOutcome): string {
  switch (outcome.action) {
    case 'request': {
      return `Notes were requested for ${plural(outcome.posts.length, 'Post')}.\n`;
    }
    case 'rate':
      return `The status of note ${outcome.note} is ${outcome.status}.\n`;
    case 'import': {
      const { rows, refused, added, already } = outcome;
      return `${plural(rows, 'row')}: ${plural(added, 'rating')} added, ${already} already there, ${plural(refused, 'row')} refused.\n`;
    }
    case 'admit':
      return `@${outcome.username} may write notes that are not tests.\n`;
  }
}

/** The refused rows of a file, one per line. */
function refusals(outcome: NoteOutcome): string {
  if (outcome.action !== 'import') return '';
  const { reasons, refused } = outcome;
  const more = refused - reasons.length;
  const lines = reasons.map(({ file, line, reason }) => `${file}:${line}: ${reason}\n`);
  return lines.join('') + (more > 0 ? `… and ${plural(more, 'more row')}\n` : '');
}

/** Whether a file had no rating. */
function isEmpty(outcome: NoteOutcome): boolean {
  return outcome.action === 'import' && outcome.refused === outcome.rows;
}

/**
 * `groundswell note {request,rate,admit}`: prints what was done, or with `json` one object on one line.
 *
 * @returns The exit code; 1 also for a file without ratings.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runNote(
  deps: CommandDeps,
  { data, note, json }: { data: string; note: NoteOrder; json: boolean },
): Promise<number> {
  let code = 1;
  // The service that does the work may have been started in another folder.
  const order = note.action === 'import' ? { ...note, file: resolve(note.file) } : note;
  await perform(deps, new DataFolder(data), { kind: 'note', order }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'noted') return;
    const { action: _, ...outcome } = event.outcome;
    code = isEmpty(event.outcome) ? 1 : 0;
    if (!json) deps.err(refusals(event.outcome));
    deps.out(json ? `${JSON.stringify(outcome)}\n` : done(event.outcome));
  });
  return code;
}
