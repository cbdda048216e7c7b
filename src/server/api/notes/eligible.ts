import type { EligibleRequest, FeedSize } from '#contract/notes/notes.ts';
import { mayReadLargeFeeds } from '#core/notes/writing-limit.ts';
import type { Service } from '#server/auth/store.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import { oneStep, type Steps } from '#server/index/steps.ts';
import type { RequestedPost, RequestTable } from '#server/notes/request-table.ts';
import { expansionsOf } from '#server/posts/json/includes.ts';
import { foundPost, isShown, postJson, type FoundPost } from '#server/posts/json/post-json.ts';
import { notPermitted } from '#server/users/acting.ts';
import { readPage, type Listing } from '#server/users/listing.ts';
import type { Reading } from '#server/users/reading.ts';
import { historyOf } from './writer.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

/** The number of the newest requested Posts that a feed has; null for all. */
const SIZES: Readonly<Record<FeedSize, number | null>> = { small: 1000, large: 10_000, xl: null };

/** Codes for Posts whose language is not known (developer documentation, supported languages). */
const UNKNOWN = /^(?:und|zxx|art|q\w\w)$/;

function isIn(lang: string, { row }: FoundPost): boolean {
  return lang === 'all' || row.lang === null || UNKNOWN.test(row.lang) || row.lang === lang;
}

/** The suggestions of requests for a Post, as fields. Lists are left out if they would be empty. */
function suggested(requests: RequestTable, post: bigint, fields: readonly string[]): Json {
  const suggestions = fields.includes('note_request_suggestions')
    ? requests.suggestions(post).map(({ id, link, text }) => ({
        suggestion_id: id,
        ...(text !== null && { suggestion: text }),
        ...(link !== null && { source_link: link }),
      }))
    : [];
  const links = fields.includes('suggested_source_links_with_counts') ? requests.links(post) : [];
  return {
    ...(suggestions.length > 0 && { note_request_suggestions: suggestions }),
    ...(links.length > 0 && { suggested_source_links_with_counts: links }),
  };
}

/**
 * A page of the Posts that notes were requested for, newest first, without the writer's own, those that it has a note on,
 * and those that not everyone may see.
 *
 * @param reading - As someone without an account sees Your posts.
 * @throws {@link Fault} 403 for a feed that the writer may not select, 400 for a token of another listing.
 */
export function* eligiblePosts(
  reading: Reading,
  { notes, noteRequests }: Service,
  writer: string,
  request: EligibleRequest,
): Steps<object> {
  const { state, finder, now, pageKey } = reading;
  const { selection, test_mode: test } = request;
  const { size, lang } = request.post_selection;
  if (size !== 'small' && !mayReadLargeFeeds(historyOf(notes, writer, now))) {
    throw notPermitted(
      `feed_size ${size} needs 100 notes, with a hit rate of at least 10% and a not-helpful rate of at most 10%.`,
    );
  }
  const isEligible = (post: FoundPost): boolean =>
    post.row.authorId !== writer && isIn(lang, post) && isShown(post, finder);
  const listing: Listing<RequestedPost, FoundPost> = {
    read: (direction, from, limit) =>
      oneStep(() => noteRequests.page(direction, from, limit, SIZES[size])),
    show: (entries) => {
      const ids = entries.map(({ post }) => post);
      const noted = notes.noted(writer, ids);
      const rows = new Map(finder.rows(ids).map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = noted.has(id) ? undefined : rows.get(id);
        const post = row && foundPost(row);
        return post && isEligible(post) ? post : null;
      });
    },
    pack: ({ createdAt, post }) => [String(createdAt), String(post)],
    unpack: ([createdAt, post]) => ({
      createdAt: Number(createdAt),
      post: readId(post ?? '') ?? 0n,
    }),
  };
  const of = [state.store, 'eligible for notes', writer, String(test), size, lang];
  const { shown, tokens } = yield* readPage(listing, request, { of, key: pageKey });
  const { fields, vocabulary } = selection;
  const ids = shown.map(({ row }) => String(row.id));
  const data = shown.map((post) => ({
    ...postJson(post, fields, finder),
    ...suggested(noteRequests, post.row.id, fields),
  }));
  return {
    ...(data.length > 0 && { data: data.map((post) => inVocabulary(post, vocabulary)) }),
    ...expansionsOf(shown, selection, finder, now),
    meta: {
      result_count: data.length,
      ...(data.length > 0 && { newest_id: ids[0], oldest_id: ids.at(-1) }),
      ...tokens,
    },
  };
}
