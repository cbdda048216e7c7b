import { MOST_POSTS, type RankedRequest } from '#contract/counts/breakdown.ts';
import { invalidRequest } from '#contract/fault.ts';
import type { Condition } from '#core/query/ast.ts';
import { bitTerm, LARGEST_AMOUNT, leastTerm, type Amount } from '#core/text/engagement.ts';
import { SECOND_MS, type Span } from '#core/time/span.ts';
import { knownCondition } from '#server/http/known-condition.ts';
import { readQuery } from '#server/http/query-param.ts';
import { evaluateAmong } from '#server/index/evaluate.ts';
import { partsIn } from '#server/index/frequent-terms.ts';
import { and, listed, type Ordinals } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { Hit } from '#server/index/top-newest.ts';
import { expansionsOf } from '#server/posts/json/includes.ts';
import { postOrigin } from '#server/posts/json/origin.ts';
import { postJson, type FoundPost } from '#server/posts/json/post-json.ts';
import { shownPosts } from '#server/posts/index/shown-posts.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { searched, type SearchPage, type SearchQuestion } from './search.ts';
import { postsIn, type ChunkPosts } from '#server/index/chunk-posts.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

/** A question for Posts in another order than by time. */
export interface RankedQuestion extends Pick<SearchQuestion, 'access' | 'own' | 'now' | 'people'> {
  readonly request: RankedRequest;
  readonly span: Span;
}

const AMOUNTS: readonly Amount[] = ['likes', 'reposts', 'replies'];

/** Hidden Posts are replaced from this many more. */
const SPARE = 100;

/** A found Post, and its rank: the higher, the earlier it is listed. */
interface Ranked extends Hit {
  readonly rank: number;
}

function byRank(a: Ranked, b: Ranked): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (a.second !== b.second) return b.second - a.second;
  return a.id > b.id ? -1 : 1;
}

/** Adds a number to those of some ordinals. */
function addEach(sums: Float64Array, posts: Ordinals, amount: number): void {
  const list = listed(posts);
  for (let i = 0; i < list.length; i++) sums[list[i]!]! += amount;
}

/** The likes, reposts and replies of a chunk's Posts together, by ordinal. @param amounts - Those that changed since. */
function* engagementIn(
  { chunk, posts }: ChunkPosts,
  amounts: SourceState['amounts'],
  due: Due,
): Steps<Float64Array> {
  const sums = new Float64Array(chunk.n);
  for (const name of AMOUNTS) {
    for (let power = 1; power <= LARGEST_AMOUNT; power *= 2) {
      if (due()) yield;
      const reached = and(posts, chunk.list(leastTerm(name, power)));
      if (reached.length === 0) break;
      // Up to its highest power, a number is the sum of these steps.
      addEach(sums, reached, power === 1 ? 1 : power / 2);
      addEach(sums, and(posts, chunk.list(bitTerm(name, power))), power);
    }
    for (const { by, posts: changed } of amounts(name)) {
      const part: Condition = { kind: 'posts', name, posts: changed };
      addEach(sums, yield* evaluateAmong(posts, part, chunk, due), by);
    }
  }
  return sums;
}

/** The Posts with the most engagement, in steps. */
function* mostEngaging(
  parts: readonly ChunkPosts[],
  amounts: SourceState['amounts'],
  limit: number,
  due: Due,
): Steps<readonly Hit[]> {
  let found: Ranked[] = [];
  for (const part of parts) {
    const sums = yield* engagementIn(part, amounts, due);
    if (due()) yield;
    const { chunk } = part;
    const [times, ids, list] = [chunk.times(), chunk.ids(), listed(part.posts)];
    const least = found.length < limit ? 0 : found.at(-1)!.rank;
    const here: Ranked[] = [];
    let without = 0;
    // The newest first, so that of those without any, only as many as may be listed are taken.
    for (let i = list.length - 1; i >= 0; i--) {
      const ordinal = list[i]!;
      const rank = sums[ordinal]!;
      if (rank < least || (rank === 0 && without++ > limit)) continue;
      here.push({ rank, second: times[ordinal]!, id: ids[ordinal]! });
    }
    found = [...found, ...here].sort(byRank).slice(0, limit);
  }
  return found;
}

/** The Posts nearest to an instant, in steps. */
function* nearest(
  state: SourceState,
  wanted: Condition,
  { start, end }: Span,
  at: number,
  limit: number,
  due: Due,
): Steps<readonly Hit[]> {
  const middle = Math.min(end, Math.max(start, at));
  const before = yield* state.newest(wanted, { start, end: middle }, limit, {}, due);
  const after = yield* state.oldest(wanted, { start: middle, end }, limit, {}, due);
  const rank = ({ second }: Hit): number => -Math.abs(second * SECOND_MS - at);
  return (
    [...before, ...after]
      .map((hit) => ({ ...hit, rank: rank(hit) }))
      // Of two equally near, the earlier one: an end is the first instant after a time.
      .sort((a, b) => b.rank - a.rank || a.second - b.second || byRank(a, b))
      .slice(0, limit)
  );
}

/**
 * Answers `GET /ranked`: the Posts that search would find, by engagement or by their time to an instant, in steps.
 * Likes, reposts and replies are those that queries compare.
 *
 * @throws {@link Fault} 400 for an invalid query, and if there are more Posts in the span than are ranked.
 */
export function* rankedPosts(
  state: SourceState,
  question: RankedQuestion,
  due: Due,
): Steps<SearchPage> {
  const { request, span, now, people } = question;
  const ast = readQuery(request.query, { ...question, endpoint: 'all' });
  const wanted = searched(ast, knownCondition(ast, request.query, state));
  const { max_results: most, selection, order, at } = request;
  const all = partsIn(state.chunks, span).reduce((sum, { from, to }) => sum + to - from, 0);
  if (all > MOST_POSTS) {
    const rule = `The source has ${all} Posts in that time; expected at most ${MOST_POSTS}`;
    throw invalidRequest('start_time', '', `${rule}: choose a shorter time`);
  }
  const hits =
    order === 'nearest' && at !== undefined
      ? yield* nearest(state, wanted, span, at, most + SPARE, due)
      : yield* mostEngaging(
          yield* postsIn(state.chunks, wanted, span, due),
          state.amounts,
          most + SPARE,
          due,
        );
  const finder = people(state);
  const ids = hits.map(({ id }) => id);
  const shown: FoundPost[] = [];
  for (const post of shownPosts(ids, state, finder)) {
    if (shown.length === most) break;
    if (post) shown.push(post);
    if (due()) yield;
  }
  return {
    ...(shown.length > 0 && {
      data: shown.map((post) => ({
        ...inVocabulary(postJson(post, selection.fields, finder), selection.vocabulary),
        ...(question.own && { origin: postOrigin(post) }),
      })),
    }),
    ...expansionsOf(shown, selection, finder, now),
    meta: { result_count: shown.length },
  };
}
