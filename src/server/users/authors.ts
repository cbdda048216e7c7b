import { byHandle } from '#core/query/handles.ts';
import { fold } from '#core/text/fold.ts';
import { ALL_TIME } from '#core/time/span.ts';
import type { Json } from '#core/import/json.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { readJson } from '#server/posts/json/post-json.ts';
import type { Reading } from './reading.ts';

/** Posts that are examined for an author. */
const FEW = 16;

/**
 * An author whom the source knows only from Posts.
 *
 * @param value - Its id or its username.
 * @returns Null if there is none.
 */
export function* authorOf(
  state: SourceState,
  value: string,
  byId: boolean,
  due: Due,
): Steps<Json | null> {
  const sought = fold(value);
  const wanted = byHandle('from', sought, byId ? undefined : state.owners(sought));
  const hits = yield* state.newest(wanted, ALL_TIME, FEW, {}, due);
  // Ids and usernames share their terms, and a username may be a number.
  for (const { authorId, username } of state.rows(hits.map(({ id }) => id))) {
    if (authorId === null || username === null) continue;
    if ((byId ? authorId : fold(username)) === sought) return { id: authorId, username };
  }
  return null;
}

/** A user by its id: as its account or an import states it, else as an author of Posts; null if neither knows it. */
export function* userById(
  { state, finder, due }: Pick<Reading, 'state' | 'finder' | 'due'>,
  id: string,
): Steps<Json | null> {
  const stored = readJson(finder.object('users', id));
  return stored ? { ...stored, id } : yield* authorOf(state, id, true, due);
}
