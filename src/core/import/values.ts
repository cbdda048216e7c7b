import { readRequestedNote } from '#core/notes/requested.ts';
import { shown } from '#core/readers/error.ts';
import { readArchiveEntry } from './archive.ts';
import type { Draft } from './draft.ts';
import { Includes, type IncludedObject } from './includes.ts';
import { object, objects, type Json } from './json.ts';
import { readV2Post } from './v2.ts';

/** True if an object is an answer of the interface without results. */
function isEmptyAnswer(value: Json): boolean {
  return !('data' in value) && object(value.meta)?.result_count === 0;
}

/** Maximum number of names that a message lists. */
const SHOWN_NAMES = 5;

/** The reason an object is not a Post, if it has no field of one; else null. */
function noPost(value: Json): string | null {
  if (['id', 'id_str', 'text', 'full_text', 'created_at'].some((name) => name in value))
    return null;
  const names = Object.keys(value);
  const first = names.slice(0, SHOWN_NAMES).map((name) => `"${shown(name)}"`);
  const more = names.length > first.length ? ' and more' : '';
  const found = names.length === 0 ? 'an empty object' : `${first.join(', ')}${more}`;
  return `is not a Post: expected "id", "created_at" and "text", found ${found}`;
}

/** Adds what a value says of requests for a note on its Post. */
function withNote(value: Json, draft: Draft | string): Draft | string {
  const links = value.note_links ?? value.suggested_source_links_with_counts;
  const note = readRequestedNote(value.notes_requested, links);
  if (typeof draft === 'string' || note === null) return draft;
  return typeof note === 'string' ? note : { ...draft, note };
}

/**
 * Reads the Posts of a JSON value: an answer of the interface, an entry of an archive, or a Post.
 *
 * @param shared - The objects of the whole document.
 * @param found - Gets the objects that Posts refer to.
 * @returns Each Post, or the reason for refusing it; none for an answer without results.
 */
export function readValue(
  value: Json,
  shared: Includes,
  found: IncludedObject[],
): (Draft | string)[] {
  if (object(value.data) || Array.isArray(value.data) || object(value.includes)) {
    const includes = new Includes();
    found.push(...includes.addAll(value.includes));
    const posts = object(value.data) ? [value.data as Json] : objects(value.data);
    for (const post of posts) includes.addAuthor(post);
    return posts.map((post) => withNote(post, readV2Post(post, includes, found)));
  }
  if (object(value.tweet) || 'id_str' in value || 'full_text' in value) {
    return [withNote(object(value.tweet) ?? value, readArchiveEntry(value, null))];
  }
  if (isEmptyAnswer(value)) return [];
  if (!('tweet_count' in value || 'post_count' in value)) {
    const why = noPost(value);
    if (why !== null) return [why];
  }
  return [withNote(value, readV2Post(value, shared, found))];
}
