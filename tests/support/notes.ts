import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { NoteOrder, NoteOutcome } from '#contract/note-orders.ts';
import { openService } from '#server/auth/store.ts';
import { orderNotes } from '#server/notes/orders.ts';
import { openPosts, postTable } from '#server/posts/post-table.ts';
import type { TestService } from './service.ts';

const random = (n: number): Uint8Array => randomBytes(n);

/** Carries out orders about community notes on the data folder of a service, as the command line does. */
export function noteOrders(
  { folder }: Pick<TestService, 'folder'>,
  now: () => number,
): (order: NoteOrder) => NoteOutcome {
  return (order) => {
    const service = openService(join(folder, 'service.sqlite'), { random });
    const db = openPosts(join(folder, 'posts.sqlite'), { random });
    try {
      return orderNotes({ service, posts: (ids) => postTable(db).rows(ids), now }, order);
    } finally {
      db.close();
      service.close();
    }
  };
}

/** Requests notes for Posts. */
export const requestOf = (
  posts: readonly (number | string)[],
  more: { readonly link?: string; readonly suggestion?: string } = {},
): NoteOrder => ({
  action: 'request',
  posts: posts.map(String),
  link: more.link ?? null,
  suggestion: more.suggestion ?? null,
});
