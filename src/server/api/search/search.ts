import type { SearchEndpoint, SearchRequest } from '#contract/posts/search.ts';
import { packCursor } from '#core/cursor.ts';
import type { Ast, Condition } from '#core/query/ast.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';
import { floorTo } from '#core/time/bucket.ts';
import { SECOND_MS, type Span } from '#core/time/span.ts';
import type { Hit } from '#server/index/top-newest.ts';
import type { Due, WaitingSteps } from '#server/index/steps.ts';
import { shownPosts } from '#server/posts/index/shown-posts.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { PostsState } from '#server/posts/store/posts-state.ts';
import { resolveWindow } from '#server/http/request-window.ts';
import { expansionsOf } from '#server/posts/json/includes.ts';
import type { PartialError } from '#server/posts/json/partial-error.ts';
import { postOrigin } from '#server/posts/json/origin.ts';
import { postJson, type FoundPost } from '#server/posts/json/post-json.ts';
import type { Json } from '#core/import/json.ts';
import { readPageToken, sealBy } from '#server/http/page-token.ts';
import { knownCondition } from '#server/http/known-condition.ts';
import { readQuery, type PageQuestion } from '#server/http/query-param.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

/** A question whose parameters are well-formed. */
export interface SearchQuestion extends PageQuestion<SearchEndpoint, SearchRequest> {
  /** Adds what this service knows of users to what imports brought. */
  readonly people: (finder: PostFinder) => PostFinder;
}

/**
 * A page of search. `result_count` is the length of `data`, which is absent if it is 0. If Posts were filtered out, it
 * may be less than requested, and may be 0 even though another page follows.
 */
export interface SearchPage {
  data?: Json[];
  includes?: Json;
  errors?: readonly PartialError[];
  meta: { newest_id?: string; oldest_id?: string; result_count: number; next_token?: string };
}

/** The number of times hidden Posts are replaced by further ones before a page is answered with fewer. */
const ROUNDS = 8;

/** The question for which a page token is valid: the same one to the same store, whatever fields it requests. */
function questionText({ endpoint, request }: SearchQuestion, store: string): string {
  const { query, start_time, end_time, since_id, until_id } = request;
  const bounds = [start_time, end_time, since_id, until_id].map((bound) => bound?.toString() ?? '');
  return JSON.stringify([store, 'search', endpoint, query, ...bounds]);
}

/** The condition for search: that of counts, without reposts where search omits them. */
export function searched(ast: Ast, of: Condition): Condition {
  if (!leavesRepostsOut(ast)) return of;
  const reposts: Condition = { kind: 'not', of: { kind: 'term', term: 'is:retweet' } };
  return { kind: 'all', of: [...(of.kind === 'all' ? of.of : [of]), reposts] };
}

/** The place at which a listing continues: the window of its first page, and the last hit that was examined. */
interface Place {
  readonly span: Span;
  readonly after: Hit | null;
}

function fieldsOf({ span, after }: Place): string[] {
  const times = [span.start, span.end].map((instant) => String(instant / SECOND_MS));
  return after ? [...times, String(after.second), String(after.id)] : times;
}

function placeOf([start, end, second, id]: string[]): Place {
  const span = { start: Number(start) * SECOND_MS, end: Number(end) * SECOND_MS };
  return { span, after: { second: Number(second), id: BigInt(id ?? 0) } };
}

/** Posts that are read without a pause. */
const READ_AT_ONCE = 50;

/**
 * Answers `GET /2/tweets/search/{recent,all}` (platform-facts section 4): the next matching Posts, newest first, by
 * second, then id. Posts that are added or deleted between two pages neither repeat nor hide others.
 *
 * The window without bounds is that of counts. Reposts are left out by {@link leavesRepostsOut}, Posts that
 * may not be shown by {@link isShown}. `sort_order` is accepted and changes nothing: the order is always newest first.
 * In steps, over one state of the source.
 *
 * @throws {@link Fault} 400 for an invalid query, bound or token.
 */
export function* searchPage(
  state: PostsState,
  question: SearchQuestion,
  due: Due,
): WaitingSteps<SearchPage> {
  const { request, texts, endpoint, now, key } = question;
  const ast = readQuery(request.query, question);
  const seal = sealBy(key);
  const bound = questionText(question, state.store);
  const token = readPageToken(request, bound, seal);
  const window = token ? null : resolveWindow(request, texts, endpoint, now);
  const place: Place | null = token ? placeOf(token) : window && { span: window, after: null };
  if (!place) return { meta: { result_count: 0 } };

  const { since_id: since, until_id: until, max_results: most } = request;
  const wanted = searched(ast, knownCondition(ast, request.query, state));
  // As with counts: where times are stored to the minute, the id decides what came after `since_id`.
  const start = since === undefined ? place.span.start : floorTo(place.span.start, 'minute');
  const sought = { start, end: place.span.end };
  const shown: FoundPost[] = [];
  let { after } = place;
  let more = true;
  for (let round = 0; more && shown.length < most && round < ROUNDS; round++) {
    const missing = most - shown.length;
    const bounds = {
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(after ? { after } : {}),
    };
    const hits = yield* state.newest(wanted, sought, missing + 1, bounds, due);
    more = hits.length > missing;
    const page = hits.slice(0, missing);
    after = page.at(-1) ?? after;
    for (let i = 0; i < page.length; i += READ_AT_ONCE) {
      const ids = page.slice(i, i + READ_AT_ONCE).map(({ id }) => id);
      const posts = yield* state.read((finder) => [
        ...shownPosts(ids, state, question.people(finder)),
      ]);
      shown.push(...posts.filter((post) => post !== null));
      if (due()) yield;
    }
  }
  const { selection } = request;
  const { posts, origins, added } = yield* state.read((found) => {
    const finder = question.people(found);
    return {
      posts: shown.map((post) => postJson(post, selection.fields, finder)),
      origins: question.own ? shown.map(postOrigin) : null,
      added: expansionsOf(shown, selection, finder, now),
    };
  });
  const [newest, oldest] = [shown[0], shown.at(-1)];
  return {
    ...(shown.length > 0 && {
      data: posts.map((post, i) => ({
        ...inVocabulary(post, selection.vocabulary),
        ...(origins && { origin: origins[i] }),
      })),
    }),
    ...added,
    meta: {
      ...(newest &&
        oldest && { newest_id: String(newest.row.id), oldest_id: String(oldest.row.id) }),
      result_count: shown.length,
      ...(more && { next_token: packCursor(fieldsOf({ ...place, after }), bound, seal) }),
    },
  };
}
