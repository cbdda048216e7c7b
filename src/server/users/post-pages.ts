import type { Selection } from '#contract/posts/selection.ts';
import type { TimelineWindow } from '#contract/posts/timelines.ts';
import { invalidRequest } from '#contract/fault.ts';
import type { Condition } from '#core/query/ast.ts';
import { ALL_TIME } from '#core/time/span.ts';
import { readPage, type Listing, type ListingPage, type ListingRequest } from './listing.ts';
import type { Json } from '#core/import/json.ts';
import type { Steps } from '#server/index/steps.ts';
import type { Hit } from '#server/index/top-newest.ts';
import { expansionsOf } from '#server/posts/json/includes.ts';
import {
  DEFAULT_FIELDS,
  foundPost,
  isVisible,
  namedPost,
  postJson,
  someOf,
  type FoundPost,
} from '#server/posts/json/post-json.ts';
import { shownPosts } from '#server/posts/index/shown-posts.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { Reading } from './reading.ts';
import { relationListing, relationScope, type RelationsOf } from './user-pages.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

type PostRequest = ListingRequest & { readonly selection: Selection };

/** A Post of a page: a stored one, or the fields of one that an import names without storing it. */
type Shown = FoundPost | { readonly named: Json };

function answerOf(
  { shown, tokens }: ListingPage<Shown>,
  selection: Selection,
  { finder, now }: Pick<Reading, 'finder' | 'now'>,
  meta: object = {},
): object {
  const { fields, vocabulary } = selection;
  const posts = shown.flatMap((post) => ('row' in post ? [post] : []));
  const jsonOf = (post: Shown): Json =>
    'row' in post ? postJson(post, fields, finder) : someOf(post.named, DEFAULT_FIELDS, fields);
  return {
    ...(shown.length > 0 && {
      data: shown.map((post) => inVocabulary(jsonOf(post), vocabulary)),
    }),
    ...expansionsOf(posts, selection, finder, now),
    meta: { result_count: shown.length, ...meta, ...tokens },
  };
}

/** Posts by their ids, in order; null for one that is unknown or may not be shown. */
function postsOf(finder: PostFinder, ids: readonly bigint[]): (Shown | null)[] {
  const rows = new Map(finder.rows(ids).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = rows.get(id);
    if (row) {
      const post = foundPost(row);
      return isVisible(post, finder) ? post : null;
    }
    const named = namedPost(finder, String(id));
    return named && { named };
  });
}

/** A page of the Posts at the other ends of relations. */
export function* relatedPosts(
  reading: Reading,
  relations: RelationsOf,
  request: PostRequest,
): Steps<object> {
  const { state, finder } = reading;
  const posts = relationListing(state.relations, relations, (ids) => postsOf(finder, ids));
  const page = yield* readPage(posts, request, relationScope(reading, relations));
  return answerOf(page, request.selection, reading);
}

/** The Posts of the index that meet a condition, between bounds. */
function timeline(
  { state, finder, due }: Reading,
  wanted: Condition,
  { start_time: start, end_time: end, since_id: since, until_id: until }: TimelineWindow,
  has: (post: FoundPost) => boolean,
): Listing<Hit, FoundPost> {
  const span = { start: start ?? ALL_TIME.start, end: end ?? ALL_TIME.end };
  const ids = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  return {
    *read(direction, from, limit) {
      if (direction === 'newer') {
        const bounds = { ...ids, ...(from && { before: from }) };
        return yield* state.oldest(wanted, span, limit, bounds, due);
      }
      const bounds = { ...ids, ...(from && { after: from }) };
      return yield* state.newest(wanted, span, limit, bounds, due);
    },
    show: (hits) => {
      const ids = hits.map(({ id }) => id);
      return Array.from(shownPosts(ids, state, finder), (post) =>
        post && has(post) ? post : null,
      );
    },
    pack: ({ second, id }) => [String(second), String(id)],
    unpack: ([second, id]) => ({ second: Number(second), id: BigInt(id ?? 0) }),
  };
}

/** Requires that bounds leave some time; `since_id` replaces `start_time`, and `until_id` applies with `end_time`. */
function windowOf(window: TimelineWindow, texts: Readonly<Record<string, string>>): TimelineWindow {
  const { start_time: start, end_time: end, since_id: since, until_id: until } = window;
  const reversed =
    since !== undefined && until !== undefined
      ? since >= until
      : since === undefined && start !== undefined && end !== undefined && start >= end;
  if (!reversed) return since === undefined ? window : { ...window, start_time: undefined };
  const [lower, upper] =
    since === undefined ? ['start_time', 'end_time'] : ['since_id', 'until_id'];
  const value = texts[lower!] ?? '';
  const rule = `Invalid '${lower}':'${value}'. '${lower}' must be earlier than '${upper}'`;
  throw invalidRequest(lower!, value, rule);
}

/** A request for a page of a timeline. */
export interface TimelineRequest {
  readonly call: {
    readonly query: PostRequest &
      TimelineWindow & { readonly exclude?: readonly string[] | undefined };
    /** The parameters as sent, for messages. */
    readonly texts: Readonly<Record<string, string>>;
  };
  /** The operation and its subject, for tokens. */
  readonly of: readonly string[];
  /** True if the answer names its newest and its oldest Post. */
  readonly hasEnds: boolean;
  /** True if a Post that meets the condition belongs to the timeline; all do by default. */
  readonly has?: (post: FoundPost) => boolean;
}

/**
 * A page of the Posts that meet a condition, newest first.
 *
 * @throws {@link Fault} 400 for bounds that leave no time, or for a token of another timeline.
 */
export function* timelinePage(
  reading: Reading,
  condition: Condition,
  { call: { query: request, texts }, of, hasEnds, has = () => true }: TimelineRequest,
): Steps<object> {
  const window = windowOf(request, texts);
  const { exclude = [] } = request;
  const without = [
    ...(exclude.includes('replies') ? ['is:reply'] : []),
    ...(exclude.includes('retweets') || exclude.includes('reposts') ? ['is:retweet'] : []),
  ];
  const wanted: Condition = {
    kind: 'all',
    of: [
      condition,
      ...without.map((term): Condition => ({ kind: 'not', of: { kind: 'term', term } })),
    ],
  };
  const bounds = ['start_time', 'end_time', 'since_id', 'until_id'].map(
    (name) => texts[name] ?? '',
  );
  const scope = {
    of: [reading.state.store, ...of, ...bounds, ...without],
    key: reading.pageKey,
  };
  const page = yield* readPage(timeline(reading, wanted, window, has), request, scope);
  const [newest, oldest] = [page.shown[0], page.shown.at(-1)];
  const ends =
    hasEnds && newest && oldest
      ? { newest_id: String(newest.row.id), oldest_id: String(oldest.row.id) }
      : {};
  return answerOf(page, request.selection, reading, ends);
}
