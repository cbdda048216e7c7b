import type { NoteOrder, NoteOutcome } from '#contract/note-orders.ts';
import { statusOf } from '#core/notes/status.ts';
import type { Service } from '#server/auth/store.ts';
import { readId } from '#server/import/id.ts';
import type { PostRow } from '#server/posts/post-table.ts';

export interface NoteOrderDeps {
  readonly service: Pick<Service, 'notes' | 'noteRequests' | 'findAccount'>;
  /** The stored Posts of ids, in any order. */
  readonly posts: (ids: readonly bigint[]) => readonly Pick<PostRow, 'id' | 'createdAt'>[];
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Carries out an order about community notes: all of it or nothing. A change is durable when this returns.
 *
 * @throws Error for a Post, a note or an account that does not exist, and for one that is no note writer.
 */
export function orderNotes({ service, posts, now }: NoteOrderDeps, order: NoteOrder): NoteOutcome {
  const { notes, noteRequests } = service;
  switch (order.action) {
    case 'request': {
      const { action, link, suggestion } = order;
      const wanted = [...new Set(order.posts.map((text) => readId(text) ?? 0n))];
      const found = posts(wanted).map(({ id, createdAt }) => ({ post: id, createdAt }));
      const missing = wanted.find((id) => !found.some(({ post }) => post === id));
      if (missing !== undefined) throw new Error(`There is no Post ${missing} in Your posts.`);
      noteRequests.add(found, { link, text: suggestion }, now());
      return { action, posts: wanted.map(String) };
    }
    case 'rate': {
      const { action, note, rating, count } = order;
      const rated = notes.rate(readId(note) ?? 0n, rating, count);
      if (!rated) throw new Error(`There is no note ${note} that can be rated; test notes cannot.`);
      const status = statusOf(rated.ratings, now() - rated.createdAt);
      return { action, note, status, ratings: rated.ratings };
    }
    case 'admit': {
      const { action, username } = order;
      const account = service.findAccount(username);
      if (!account) throw new Error(`There is no account @${username}.`);
      if (account.profile.note_writer !== true) {
        throw new Error(
          `@${account.username} is no note writer: groundswell user set ${account.username} --note-writer yes.`,
        );
      }
      notes.admit(account.id, now());
      return { action, username: account.username };
    }
  }
}
