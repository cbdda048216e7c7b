import type { Db } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { Held } from './proof.ts';
import { Actor, idsFrom, PLAIN, type Action } from './script.ts';

let stores = 100;
export const random = (n: number): Uint8Array => new Uint8Array(n).fill(stores++);

/** Opens a file of Posts without waiting for the disk. */
export function openQuickly(file: string): Db {
  const db = openPosts(file, { random }, { unindexed: true });
  db.exec('PRAGMA synchronous = OFF');
  return db;
}

/** Runs actions on a file; returns its content afterwards. */
export function act(file: string, held: Held, actions: readonly Action[]): Held {
  const actor = new Actor(() => openQuickly(file));
  for (const action of actions) actor.act(action);
  actor.close();
  return held.with(...actions);
}

/** Posts of a small chunk, and of an open set: proofs of a file read every Post of it many times. */
const SMALL = 60;

const deletes = (ids: readonly number[]): Action[] => ids.map((id) => ({ what: 'delete', id }));

/**
 * A file whose compaction seals and then merges: an open set that is too large, and four small chunks,
 * some of whose Posts were edited or deleted.
 */
export function makeFull(file: string): Held {
  return act(file, new Held(), [
    { what: 'import', from: 1, posts: 8191 },
    ...[10_001, 20_001, 30_001, 40_001, 50_001].map((from) => ({
      what: 'import' as const,
      from,
      posts: SMALL,
    })),
    ...deletes([5, 6, 7, 10_005, 20_005, 20_006, 30_005]),
    { what: 'edit', previous: 8, id: 60_001 },
    { what: 'edit', previous: 20_008, id: 60_002 },
  ]);
}

/**
 * Turns a full file into a small one, whose compaction merges small chunks: four of them, and a small
 * open set.
 */
export function makeSmall(file: string, full: Held): Held {
  const held = new Held(full);
  const db = openQuickly(file);
  // As if these had never been added: deleting each of them takes long.
  for (const table of ['post', 'open_post', 'object']) {
    const id = table === 'object' ? 'CAST(key AS INTEGER)' : 'id';
    db.exec(`DELETE FROM ${table} WHERE ${id} BETWEEN ${SMALL + 1} AND 8191`);
  }
  db.exec(`UPDATE meta SET value = (SELECT sum(sum) FROM open_post) WHERE key = 'open'`);
  db.exec('VACUUM');
  db.close();
  for (const id of idsFrom(SMALL + 1, 8191 - SMALL)) {
    held.posts.delete(id);
    held.objects.delete(String(id));
  }
  return act(file, held, [
    ...deletes([20_010, 30_010, 40_010]),
    { what: 'edit', previous: 10_007, id: 60_003 },
    { what: 'edit', previous: 40_020, id: 60_004 },
  ]);
}

/** A small file whose index is of an earlier version, without checksums of its Posts: a chunk and an open set. */
export function makeUnindexed(file: string): Held {
  const held = act(file, new Held(), [
    { what: 'import', from: PLAIN, posts: SMALL },
    { what: 'reindex' },
    { what: 'import', from: PLAIN + SMALL, posts: SMALL },
  ]);
  const db = openQuickly(file);
  db.exec(`UPDATE meta SET value = '1' WHERE key = 'index'; UPDATE post SET sum = NULL;`);
  db.close();
  return held;
}
