import type { NoteOrder, NoteOutcome } from '#contract/control/note-orders.ts';
import type { Service } from '#server/auth/store.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { Machine } from '#server/machine.ts';
import type { Works } from './works.ts';
import { orderNotes } from '#server/notes/orders.ts';
import { importRatings } from '#server/notes/rating-file.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { Exclusive } from './exclusive.ts';

const IMPORTING = 'Another import of ratings is running; try again when it has finished.';

export interface NoteJobDeps extends Pick<Machine, 'now' | 'random'> {
  readonly service: Service;
}

/** Opens the work on community notes of a data folder that this process has locked. */
export function noteWork(
  folder: DataFolder,
  { service, now, random }: NoteJobDeps,
): Works<'note'>['note'] {
  const imports = new Exclusive();
  const carryOut = (order: Exclude<NoteOrder, { action: 'import' }>): NoteOutcome => {
    const db = isStoreThere(folder.posts) ? openPosts(folder.posts, { random }) : null;
    try {
      const posts = (ids: readonly bigint[]) => (db ? postTable(db).rows(ids) : []);
      return orderNotes({ service, posts, now }, order);
    } finally {
      db?.close();
    }
  };
  return async (order) => {
    if (order.action !== 'import') return { type: 'noted', outcome: carryOut(order) };
    const { action, file, map } = order;
    const { notes } = service;
    const figures = await imports.run(IMPORTING, () =>
      importRatings(file, { notes, map, now: now() }),
    );
    return { type: 'noted', outcome: { action, ...figures } };
  };
}
