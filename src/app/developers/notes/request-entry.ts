import {
  LONGEST_SUGGESTION,
  MOST_AT_ONCE,
  type RequestedNotes,
} from '#contract/control/note-orders.ts';
import { isLink } from '#core/notes/requested.ts';
import type { Read, EntryValues } from '#app/settings/entry-form.svelte.ts';

/** The fields of the form that requests notes. */
export type RequestField = 'posts' | 'link' | 'suggestion';

export const EMPTY: EntryValues<RequestField> = { posts: '', link: '', suggestion: '' };

const ID = /^\d{1,19}$/;
/** The address of a Post: its id follows `/status/`. */
const ADDRESS =
  /^(?:https?:\/\/)?[^\s/]+\/(?:[^\s/]+\/){1,3}status(?:es)?\/(\d{1,19})(?:[/?#]\S*)?$/;

function idOf(text: string): string | null {
  if (ID.test(text)) return text;
  return ADDRESS.exec(text)?.[1] ?? null;
}

function postsWrong(texts: readonly string[], ids: readonly (string | null)[]): string | undefined {
  if (texts.length === 0) return 'Enter the ID or the address of a Post.';
  const at = ids.indexOf(null);
  if (at !== -1) return `“${texts[at]}” is not the ID or the address of a Post.`;
  return ids.length > MOST_AT_ONCE
    ? `Request notes for at most ${MOST_AT_ONCE} Posts at once.`
    : undefined;
}

/** Reads the form that requests notes: Posts by id or address, a source and a suggestion. */
export function readRequest(values: EntryValues<RequestField>): Read<RequestField, RequestedNotes> {
  const texts = String(values.posts)
    .split(/[\s,;]+/)
    .filter(Boolean);
  const found = texts.map(idOf);
  const link = String(values.link).trim();
  const suggestion = String(values.suggestion).trim();
  const posts = postsWrong(texts, found);
  const isLong = suggestion.length > LONGEST_SUGGESTION;
  const wrong = {
    ...(posts !== undefined && { posts }),
    ...(link !== '' &&
      !isLink(link) && {
        link: 'Enter an address that begins with http:// or https://.',
      }),
    ...(isLong && { suggestion: `Use at most ${LONGEST_SUGGESTION} characters.` }),
  };
  if (Object.keys(wrong).length > 0) return { order: null, wrong };
  const ids = [...new Set(found.filter((id) => id !== null))];
  return { order: { posts: ids, link: link || null, suggestion: suggestion || null }, wrong: {} };
}
