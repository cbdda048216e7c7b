import { edgesOf, rowsOf, viewOf, type BucketView } from '#core/series/bucket-layout.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Preset } from '#core/time/presets.ts';
import { aboutBuckets, type SourceEnds } from '#core/time/range.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { OutputForm, RangeOrder, SeriesOrder } from './series-options.ts';
import { UsageError } from '#server/cli/options.ts';
import { rangeResolution, rangeSpan, tableOf } from './range-span.ts';

export interface CountsOrder extends SeriesOrder {
  readonly form: OutputForm | null;
  /** Of a CSV. */
  readonly shape: 'long' | 'wide';
  /** True to spend what the plan costs without asking. */
  readonly yes: boolean;
}

/** Most counts of one answer: each takes some 25 bytes until all are there. */
const MOST_COUNTS = 60_000_000;

/** Ranges without --from and --to: those that the dashboard opens a source with. */
export const USUAL: Readonly<Record<SourceId, Preset>> = {
  posts: 'all',
  sample: '1y',
  platform: '30d',
};

/** The buckets of an order, as the dashboard lays them out. */
export interface CountsLayout extends Omit<BucketView, 'basis'> {
  readonly resolution: Resolution;
  /** The buckets that have begun, by number. */
  readonly rows: { readonly from: number; readonly to: number };
  readonly table: ZoneTable;
}

/**
 * Checks that a range ends where buckets do, or its counts would be those of a longer time.
 *
 * @param unit - The time to which its ends were widened.
 * @throws {@link UsageError} for another end, with the nearest one outside the range.
 */
function checkEnds(
  { from, to }: RangeOrder,
  { start, end }: Span,
  edges: Edges,
  unit: 'an hour' | 'a minute',
): void {
  for (const [name, text, at, edge] of [
    ['from', from, start, edges.start],
    ['to', to, end, edges.end],
  ] as const) {
    if (text === null || at === edge) continue;
    const nearest = new Date(edge).toISOString().slice(0, 16);
    throw new UsageError(
      `--${name} ${text} is within ${unit}, which is counted as a whole: give another end, such as ${nearest}Z.`,
    );
  }
}

/**
 * Lays out the buckets of an order.
 *
 * @param usual - The range without --from and --to.
 * @param ends - The oldest and newest Post of the source; null if not known.
 * @throws {@link UsageError} for a range that cannot be counted, an end within a minute, on the platform within an hour,
 *   and for too many buckets.
 */
export function layoutOf(
  { source, queries, range, granularity: width }: SeriesOrder,
  usual: Preset,
  ends: SourceEnds | null,
  now: number,
): CountsLayout {
  const span = rangeSpan(range, usual, ends, now);
  const resolution = rangeResolution(width, span);
  const counts = Math.ceil(aboutBuckets(span, resolution)) * queries.length;
  if (counts > MOST_COUNTS) {
    throw new UsageError(
      `${queries.length} queries by ${resolution} have ${counts} counts in that time: expected at most ${MOST_COUNTS}. Give longer buckets, a shorter time or fewer queries.`,
    );
  }
  const priced = source === 'platform';
  const need = {
    span,
    resolution,
    zone: range.zone,
    weekStart: 1,
    exact: !priced,
    policy: { terms: priced ? {} : null },
  } as const;
  const { granularity, cut } = viewOf(need);
  const edges = edgesOf(need);
  checkEnds(range, span, edges, priced && resolution !== 'minute' ? 'an hour' : 'a minute');
  const window = { start: edges.start, end: edges.end };
  const rows = rowsOf(edges, window, now);
  return { span, resolution, granularity, edges, cut, rows, table: tableOf(range.zone, now) };
}
