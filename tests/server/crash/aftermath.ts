import { expect } from 'vitest';
import { reindex } from '#server/maintenance/reindex.ts';
import { needsUpkeep } from '#server/maintenance/compact.ts';
import { metaOf } from '#server/db/meta.ts';
import { INDEX_VERSION } from '#server/posts/post-table.ts';
import { openSource } from '#server/posts/source.ts';
import { openQuickly, random } from './files.ts';
import type { Outcome } from './killed.ts';
import { isChange, proveHeld, proveSound, proveWhole } from './proof.ts';
import type { Held } from './proof.ts';
import { Actor } from './script.ts';
import type { Action } from './script.ts';

/** A file to begin with, what it holds, and what is done to it. */
export interface Scene {
  readonly file: string;
  readonly held: Held;
  readonly script: readonly Action[];
}

/**
 * Checks what a process left: all that it told as done, and of the action under way all or nothing; and that
 * upkeep, the rest of the script and a new index find nothing that hinders them. Tells what the file holds then.
 */
export function proveLeft(
  file: string,
  { held, script }: Omit<Scene, 'file'>,
  outcome: Outcome,
): Held {
  const done = held.with(...script.slice(0, outcome.done));
  const under = script[outcome.done];
  const db = openQuickly(file);
  // A file of an earlier format counts once its index is built.
  if (metaOf(db).number('index') !== INDEX_VERSION) for (const _ of reindex(db));
  const source = openSource(file, { random });
  proveWhole(db);
  proveSound(file);
  const left = proveHeld(db, source, under ? [done, done.with(under)] : [done]);
  expect(source.index.revision).toBeGreaterThanOrEqual(outcome.revision ?? 0);

  const actor = new Actor(() => openQuickly(file));
  actor.act({ what: 'upkeep' });
  proveHeld(db, source, [left]);
  expect(needsUpkeep(db)).toBe(false);
  expect(db.prepare('SELECT c FROM chunk WHERE c NOT IN (SELECT c FROM live)').all()).toEqual([]);

  const more = script.slice(left === done ? outcome.done : outcome.done + 1).filter(isChange);
  for (const change of more) actor.act(change);
  proveHeld(db, source, [left.with(...more)]);
  actor.act({ what: 'reindex' });
  proveHeld(db, source, [left.with(...more)]);
  proveWhole(db);
  actor.close();
  source.close();
  db.close();
  return left.with(...more);
}
