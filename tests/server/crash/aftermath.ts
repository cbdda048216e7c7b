import { expect } from 'vitest';
import { reindex } from '#server/maintenance/reindex.ts';
import { needsCompaction } from '#server/maintenance/compact.ts';
import { metaOf } from '#server/db/meta.ts';
import { INDEX_VERSION } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { openQuickly, random } from './files.ts';
import type { Outcome } from './killed.ts';
import { isChange, proveHeld, proveSound, proveWhole, type Held } from './proof.ts';
import { Actor, type Action } from './script.ts';

/** An initial file, its content, and the script to run on it. */
export interface Scene {
  readonly file: string;
  readonly held: Held;
  readonly script: readonly Action[];
}

/**
 * Checks what a process left behind: everything that it reported as done, and all or nothing of the
 * running action. Compaction, the rest of the script and a rebuilt index must then succeed. Returns the
 * final content of the file.
 */
export function proveAftermath(
  file: string,
  { held, script }: Omit<Scene, 'file'>,
  outcome: Outcome,
): Held {
  const done = held.with(...script.slice(0, outcome.done));
  const under = script[outcome.done];
  const db = openQuickly(file);
  // A file with an index of an earlier version counts once it is rebuilt.
  if (metaOf(db).number('index') !== INDEX_VERSION) for (const _ of reindex(db));
  const source = openSource(file, { random });
  proveWhole(db);
  proveSound(file);
  const content = proveHeld(db, source, under ? [done, done.with(under)] : [done]);
  expect(source.index.revision).toBeGreaterThanOrEqual(outcome.revision ?? 0);

  const actor = new Actor(() => openQuickly(file));
  actor.act({ what: 'compact' });
  proveHeld(db, source, [content]);
  expect(needsCompaction(db)).toBe(false);
  expect(db.prepare('SELECT c FROM chunk WHERE c NOT IN (SELECT c FROM live)').all()).toEqual([]);

  const more = script.slice(content === done ? outcome.done : outcome.done + 1).filter(isChange);
  for (const change of more) actor.act(change);
  proveHeld(db, source, [content.with(...more)]);
  actor.act({ what: 'reindex' });
  proveHeld(db, source, [content.with(...more)]);
  proveWhole(db);
  actor.close();
  source.close();
  db.close();
  return content.with(...more);
}
