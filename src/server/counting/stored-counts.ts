import { END_LAG_MS } from '#contract/counts/counts.ts';
import { answeredCurve } from '#core/counts/answered-curve.ts';
import { headOf, reachOf } from '#core/counts/head.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import type { Ast } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import type { BucketView } from '#core/series/bucket-layout.ts';
import type { Curve } from '#core/series/series.ts';
import { ceilTo, floorTo } from '#core/time/bucket.ts';
import { DAY_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { Due, WaitingSteps } from '#server/index/steps.ts';
import { unknownCollection } from '#server/http/known-condition.ts';
import type { PostsState } from '#server/posts/store/posts-state.ts';
import { WrongQueryError } from './wrong-query.ts';
import { dayOf } from '#core/counts/day-windows.ts';

/** A query over buckets of a store. */
export interface StoredQuestion {
  readonly query: string;
  readonly ast: Ast;
  readonly view: Pick<BucketView, 'edges' | 'span' | 'granularity' | 'cut'>;
}

/**
 * The whole UTC days that the dashboard would request for a view, up to the end of the newest counts; null if there
 * is nothing to request.
 */
function requestedSpan(
  { span, granularity }: StoredQuestion['view'],
  covered: readonly Span[],
  now: number,
): Span | null {
  const reach = reachOf('all', now, granularity);
  const [from, to] = [covered[0]?.start ?? Infinity, covered.at(-1)?.end ?? -Infinity];
  const start = floorTo(Math.max(span.start, from, reach.start), 'day');
  const last = Math.min(span.end, to, reach.end);
  if (!(start < last)) return null;
  const head = headOf(now);
  const end = ceilTo(last, 'day');
  if (dayOf(end - DAY_MS) < head.day) return { start, end };
  const newest = head.send ?? Math.floor((now - END_LAG_MS) / SECOND_MS) * SECOND_MS;
  return start < newest ? { start, end: newest } : null;
}

/**
 * Counts the buckets of a view over one state of a store, in steps.
 *
 * @param covered - The times for which that state has data, ascending, disjoint.
 * @param now - Epoch ms.
 * @throws {@link WrongQueryError} if the query names a collection that does not exist.
 */
export function* storedCurve(
  state: PostsState,
  { query, ast, view }: StoredQuestion,
  covered: readonly Span[],
  now: number,
  due: Due,
): WaitingSteps<Curve> {
  const { granularity } = view;
  const unknown = unknownCollection(ast, state);
  if (unknown) throw new WrongQueryError(query, [unknown]);
  const asked = requestedSpan(view, covered, now);
  const counts =
    asked && (yield* state.histogram(condition(ast, state), asked, granularity, {}, due));
  const note = { at: now, generation: 0, endpoint: 'all' } as const;
  const answers = asked && counts ? [{ ...asked, counts, receipt: 'stored', note }] : [];
  const reach = reachOf('all', now, granularity);
  return answeredCurve(view, new Map([[granularity, answers]]), {
    reach,
    covered,
    failed: [],
    settleMs: SETTLE_MS,
  });
}
