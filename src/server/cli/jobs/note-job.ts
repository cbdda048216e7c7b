import type { NoteOrder, NoteOutcome } from '#contract/control/note-orders.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Service } from '#server/auth/store.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { orderNotes } from '#server/notes/orders.ts';
import { importRatings } from '#server/notes/rating-file.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import type { DataFolder } from '#server/cli/data-folder.ts';

export interface NoteJobDeps {
  readonly service: Service;
  readonly now: () => number;
  readonly random: (n: number) => Uint8Array;
}

/** Opens the job about community notes on a data folder that this process has locked. */
export function noteJob(folder: DataFolder, { service, now, random }: NoteJobDeps): Jobs['note'] {
  let importing = false;
  const importFile = async ({
    file,
    map,
  }: Extract<NoteOrder, { action: 'import' }>): Promise<NoteOutcome> => {
    if (importing) {
      throw new Error('Another import of ratings is running; try again when it has finished.');
    }
    importing = true;
    try {
      const { notes } = service;
      return { action: 'import', ...(await importRatings(file, { notes, map, now: now() })) };
    } finally {
      importing = false;
    }
  };
  const carryOut = (order: Exclude<NoteOrder, { action: 'import' }>): NoteOutcome => {
    const db = isStoreThere(folder.posts) ? openPosts(folder.posts, { random }) : null;
    try {
      const posts = (ids: readonly bigint[]) => (db ? postTable(db).rows(ids) : []);
      return orderNotes({ service, posts, now }, order);
    } finally {
      db?.close();
    }
  };
  return async (order, emit) => {
    try {
      const outcome = order.action === 'import' ? await importFile(order) : carryOut(order);
      emit({ type: 'noted', outcome });
    } catch (error) {
      const message = errorMessage(error);
      emit({ type: 'fault', message, summary: null });
    }
  };
}
