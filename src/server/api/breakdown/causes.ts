import { causeTerms, MOST_CANDIDATES, repostedBy } from '#core/causes/candidates.ts';
import {
  addPost,
  causesOf,
  emptyPostSet,
  type Candidate,
  type Causes,
} from '#core/causes/causes.ts';
import type { Condition } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { termsOf } from '#core/text/terms.ts';
import type { Span } from '#core/time/span.ts';
import { evaluateAmong } from '#server/index/evaluate.ts';
import { listed } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';
import { countAmong, partOf, setsOf, type Sets } from './sets.ts';
import { postsIn } from '#server/index/chunk-posts.ts';
import type { CausesAnswer } from '#contract/counts/breakdown-answers.ts';
import { rankedLists, type BreakdownSubject } from './ranked-lists.ts';

/** Reposts that are read for the accounts they repost: one in fifty is missed once in three thousand times. */
const REPOSTS_READ = 400;

/** The accounts that reposts among some Posts repost, from reposts that are spread evenly over them. */
function* repostedIn(state: SourceState, { now }: Sets, due: Due): Steps<string[]> {
  const wanted = condition(partOf('is:retweet').ast);
  const ids: bigint[] = [];
  for (const { chunk, posts } of now) {
    if (due()) yield;
    const of = chunk.ids();
    for (const ordinal of listed(yield* evaluateAmong(posts, wanted, chunk, due))) {
      ids.push(of[ordinal]!);
    }
  }
  const step = Math.max(1, ids.length / REPOSTS_READ);
  const read = Array.from(
    { length: Math.min(ids.length, REPOSTS_READ) },
    (_, i) => ids[Math.floor(i * step)]!,
  );
  return repostedBy(state.rows(read).map((row) => termsOf(storedPost(row, state.object))));
}

function* candidatesIn(
  state: SourceState,
  subject: BreakdownSubject,
  sets: Sets,
  due: Due,
): Steps<Candidate[]> {
  const lists = yield* rankedLists({ ...subject, limit: MOST_CANDIDATES }, sets, due);
  const terms = causeTerms(lists, yield* repostedIn(state, sets, due), sets.posts);
  const [now, before] = [sets.now, sets.before].map(numbered);
  const found: Candidate[] = [];
  for (const term of terms) {
    const wanted = condition(partOf(term.clause).ast);
    const own = yield* now!.having(wanted, due);
    const usual = yield* countAmong(sets.before, wanted, due);
    // A term that is no more frequent than usual is no cause: its Posts need not be known.
    if (own.posts * sets.postsBefore <= usual * sets.posts && sets.postsBefore > 0) continue;
    found.push({ ...term, posts: own.set, before: (yield* before!.having(wanted, due)).set });
  }
  return found;
}

/** Posts of chunks, numbered from 0, of which sets can be made. */
function numbered(chunks: Sets['now']) {
  let all = 0;
  const numbers = chunks.map(({ chunk, posts }) => {
    const of = new Uint32Array(chunk.n);
    for (const ordinal of listed(posts)) of[ordinal] = all++;
    return of;
  });
  return {
    /** The Posts that meet a condition, and how many they are. */
    *having(wanted: Condition, due: Due): Steps<{ set: Uint32Array; posts: number }> {
      const set = emptyPostSet(all);
      let n = 0;
      for (const [i, { chunk, posts }] of chunks.entries()) {
        if (due()) yield;
        const having = listed(yield* evaluateAmong(posts, wanted, chunk, due));
        for (const ordinal of having) addPost(set, numbers[i]![ordinal]!);
        n += having.length;
      }
      return { set, posts: n };
    },
  };
}

/**
 * The causes of the Posts of a span that match a query, and those of the usual time that are missing if there are fewer
 * Posts than usual; exact, in steps.
 *
 * @returns As `CausesAnswer`.
 */
export function* causesIn(
  state: SourceState,
  subject: BreakdownSubject,
  due: Due,
): Steps<CausesAnswer['data']> {
  const { condition: wanted, span, compared } = subject;
  const length = ({ start, end }: Span): number => end - start;
  const weight = length(span) / length(compared);
  const sets = setsOf(
    yield* postsIn(state.chunks, wanted, span, due),
    yield* postsIn(state.chunks, wanted, compared, due),
  );
  const candidates = yield* candidatesIn(state, subject, sets, due);
  const causes = causesOf(sets.posts, candidates, { posts: sets.postsBefore, weight });
  let missing: Causes['groups'] = [];
  const expected = sets.postsBefore * weight;
  // Fewer than by chance: three deviations, of both times. Their counts are Poisson numbers.
  if (sets.posts < expected - 3 * Math.sqrt(expected * (1 + weight))) {
    const turned = { ...subject, span: compared, compared: span };
    const other = setsOf(sets.before, sets.now);
    const usual = { posts: sets.posts, weight: 1 / weight };
    const lost = causesOf(sets.postsBefore, yield* candidatesIn(state, turned, other, due), usual);
    missing = lost.groups.map((cause) => ({
      ...cause,
      posts: Math.round((cause.usual ?? 0) * weight),
      usual: cause.posts * weight,
    }));
  }
  return { ...causes, groups: [...causes.groups], missing: [...missing] };
}
