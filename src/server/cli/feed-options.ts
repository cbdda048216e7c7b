import type { FeedCommand } from './feed.ts';
import { UsageError, type Values } from './options.ts';
import { usernameOf } from './profile-options.ts';

/** The action that each option belongs to. */
const BELONGS = { 'allow-private': 'run', run: 'report', csv: 'report' } as const;

/**
 * Reads `groundswell feed …`.
 *
 * @throws {@link UsageError} for an unknown action, and an invalid value.
 */
export function feedOf([action, extra]: readonly string[], values: Values): FeedCommand {
  if (action !== 'run' && action !== 'report') {
    throw new UsageError('Say what to do: groundswell feed run, report.');
  }
  if (extra !== undefined) {
    throw new UsageError(`Unexpected ${extra}: see groundswell feed --help.`);
  }
  for (const [option, of] of Object.entries(BELONGS)) {
    if (!values.has(option) || of === action) continue;
    throw new UsageError(`--${option} belongs to groundswell feed ${of}.`);
  }
  const named = values.get('user')?.at(-1);
  const username =
    named === undefined ? null : usernameOf(named, 'Name the merchant: --user NAME.');
  const json = values.has('json');
  if (action === 'run') return { action, username, private: values.has('allow-private'), json };
  const csv = values.has('csv');
  if (csv && json) throw new UsageError('Choose one of --csv and --json.');
  const run = values.get('run')?.at(-1) ?? null;
  if (run === null || /^\d{1,15}$/.test(run)) {
    return { action, username, run: run === null ? null : Number(run), csv, json };
  }
  throw new UsageError(`--run ${run} is not the id of a run: expected a number.`);
}
