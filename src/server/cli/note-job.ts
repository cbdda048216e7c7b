import type { Service } from '#server/auth/store.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { orderNotes } from '#server/notes/orders.ts';
import { openPosts, postTable } from '#server/posts/post-table.ts';
import type { DataFolder } from './data-folder.ts';

export interface NoteJobDeps {
  readonly service: Service;
  readonly now: () => number;
  readonly random: (n: number) => Uint8Array;
}

/** Opens the job about community notes on a data folder that this process has locked. */
export function noteJob(folder: DataFolder, { service, now, random }: NoteJobDeps): Jobs['note'] {
  return async (order, emit) => {
    try {
      const db = isStoreThere(folder.posts) ? openPosts(folder.posts, { random }) : null;
      try {
        const posts = (ids: readonly bigint[]) => (db ? postTable(db).rows(ids) : []);
        emit({ type: 'noted', outcome: orderNotes({ service, posts, now }, order) });
      } finally {
        db?.close();
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      emit({ type: 'fault', message, summary: null });
    }
  };
}
