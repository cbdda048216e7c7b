import * as v from 'valibot';
import type { SearchedPost } from '#app/api/search-api.ts';
import { addressSpans } from '#core/text/address.ts';
import { copyForm } from '#core/text/copies.ts';
import { webAddress } from '#core/text/web-address.ts';

/** The Posts of one text: the one that is listed, and its copies. */
export interface PostGroup {
  readonly first: SearchedPost;
  /** In the order of the list. */
  readonly copies: readonly SearchedPost[];
}

/** Posts by their texts, in the order of the first of each. */
export function groupedPosts(posts: readonly SearchedPost[]): PostGroup[] {
  const groups = new Map<string, { first: SearchedPost; copies: SearchedPost[] }>();
  for (const post of posts) {
    const form = copyForm(post.text);
    const group = groups.get(form);
    if (group) group.copies.push(post);
    else groups.set(form, { first: post, copies: [] });
  }
  return [...groups.values()];
}

/** A part of a text; `href` if it is a link. */
export interface TextPart {
  readonly text: string;
  readonly href: string | null;
}

const Urls = v.object({
  entities: v.object({
    urls: v.array(v.object({ url: v.string(), expanded_url: v.optional(v.string()) })),
  }),
});

/** More of an address says little. */
const MOST_SHOWN = 40;

/** An address as a reader needs it: its host, and the beginning of the rest. */
function shortAddress(href: string): string {
  const whole = href.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '');
  return whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}…` : whole;
}

/** The parts of a Post's text. Shortened addresses lead where the Post says that they do. */
export function textParts({ text, raw }: Pick<SearchedPost, 'text' | 'raw'>): TextPart[] {
  const read = v.safeParse(Urls, raw);
  const expanded = new Map(
    read.success ? read.output.entities.urls.map((each) => [each.url, each.expanded_url]) : [],
  );
  const parts: TextPart[] = [];
  let from = 0;
  for (const { start, end } of addressSpans(text)) {
    const written = text.slice(start, end);
    const target = expanded.get(written);
    const href = webAddress(target ?? written);
    if (href === null) continue;
    if (start > from) parts.push({ text: text.slice(from, start), href: null });
    parts.push({ text: target === undefined ? written : shortAddress(href), href });
    from = end;
  }
  if (from < text.length) parts.push({ text: text.slice(from), href: null });
  return parts;
}
