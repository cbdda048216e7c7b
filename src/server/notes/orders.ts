import type { NoteOrder, NoteOutcome } from '#contract/control/note-orders.ts';
import { statusOf } from '#core/notes/status.ts';
import type { Service } from '#server/auth/store.ts';
import { readId } from '#core/import/id.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';

export interface NoteOrderDeps {
  readonly service: Pick<Service, 'notes' | 'noteRequests' | 'findAccount'>;
  /** The stored Posts of ids, in any order. */
  readonly posts: (ids: readonly bigint[]) => readonly Pick<PostRow, 'id' | 'createdAt'>[];
  /** Epoch ms. */
  readonly now: () => number;
}

/** An order that does not fit what is stored. */
export class OrderError extends Error {
  override readonly name = 'OrderError';
}

/**
 * Carries out an order about community notes: all of it or nothing. A change is durable when this returns.
 *
 * @throws {@link OrderError} for a Post, a note or an account that does not exist, and for an account that is no AI developer or no note writer.
 */
export function orderNotes(
  { service, posts, now }: NoteOrderDeps,
  order: Exclude<NoteOrder, { action: 'import' }>,
): NoteOutcome {
  const { notes, noteRequests } = service;
  switch (order.action) {
    case 'request': {
      const { action, link, suggestion } = order;
      const wanted = [...new Set(order.posts.map((text) => readId(text) ?? 0n))];
      const found = posts(wanted).map(({ id, createdAt }) => ({ post: id, createdAt }));
      const missing = wanted.find((id) => !found.some(({ post }) => post === id));
      if (missing !== undefined) throw new OrderError(`There is no Post ${missing} in Your posts.`);
      noteRequests.add(found, { link, text: suggestion }, now());
      return { action, posts: wanted.map(String) };
    }
    case 'rate': {
      const { action, note, rating, count } = order;
      const rated = notes.rate(readId(note) ?? 0n, rating, count);
      if (!rated)
        throw new OrderError(`There is no note ${note} that can be rated; test notes cannot.`);
      const status = statusOf(rated.ratings, now() - rated.createdAt);
      return { action, note, status, ratings: rated.ratings };
    }
    case 'admit': {
      const { action, username } = order;
      const account = service.findAccount(username);
      if (!account) throw new OrderError(`There is no account @${username}.`);
      const { ai_developer: registered, note_writer: approved } = account.profile;
      if (registered !== true || approved !== true) {
        const lacks = registered === true ? 'approved as a note writer' : 'an AI developer';
        const option = registered === true ? '--note-writer' : '--ai-developer';
        throw new OrderError(
          `@${account.username} is not ${lacks}: groundswell user set ${account.username} ${option} yes.`,
        );
      }
      notes.admit(account.id, now());
      return { action, username: account.username };
    }
  }
}
