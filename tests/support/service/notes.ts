import { randomBytes as random } from 'node:crypto';
import { join } from 'node:path';
import type { NoteOrder, NoteOutcome } from '#contract/control/note-orders.ts';
import { openService } from '#server/auth/store.ts';
import { orderNotes } from '#server/notes/orders.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import type { TestService } from './service.ts';

/** The part of a profile that lets an account use community notes. */
export const NOTE_WRITER = { ai_developer: true, note_writer: true } as const;

/** Carries out orders about community notes on the data folder of a service, as the command line does. */
export function noteOrders(
  { folder }: Pick<TestService, 'folder'>,
  now: () => number,
): (order: Exclude<NoteOrder, { action: 'import' }>) => NoteOutcome {
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
): Extract<NoteOrder, { action: 'request' }> => ({
  action: 'request',
  posts: posts.map(String),
  link: more.link ?? null,
  suggestion: more.suggestion ?? null,
});
