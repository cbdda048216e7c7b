import {
  judgeEmptyPage,
  type EmptyPage,
  type EmptyPolicy,
  type EmptyVerdict,
} from '#core/counts/empty-pages.ts';
import { byGeneration } from '#core/counts/split-by-generation.ts';
import { recordsOf, type CellRecord, type ReportedCounts } from '#core/counts/ledger.ts';
import { lastHead } from '#core/counts/plan.ts';
import { smallCounts, upperBounds } from '#core/counts/rounded-counts.ts';
import { stitch, stitchCell, type CellPart, type StitchedCell } from '#core/counts/stitch.ts';
import { summarise, type CellSummary } from '#core/counts/summary.ts';
import { firstIndex } from '#core/first-index.ts';
import { STATE, type Series } from '#core/series/series.ts';
import {
  BUCKET_MS,
  GRANULARITIES,
  asFineAs,
  ceilTo,
  floorTo,
  type Granularity,
} from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, cellOf, cellSpan, intersect, type Span } from '#core/time/span.ts';
import type { CountsCache } from '#app/counts/cache/counts-cache.ts';
import type { CellRange, Receipt } from '#app/counts/cache/records.ts';
import type { LiveBuckets } from './live-buckets.ts';
import type { Knowledge, LoadRequest } from './messages.ts';
import { stillValid } from '#core/counts/invalidation.ts';
import { knownOf } from '#core/counts/known-counts.ts';
import { mergedByCell } from '#core/counts/merge-records.ts';

/** An empty answer. */
interface EmptyAnswer {
  readonly reported: ReportedCounts;
  readonly receipt: Receipt;
  readonly absent: boolean;
}

/** Empty answers to one request that wait to be judged: the first, and the second if it was repeated. */
export type EmptyAnswers = readonly [EmptyAnswer, ...EmptyAnswer[]];

type Cell = CellRecord | CellSummary;

/** The summaries of a series in a range of cells, at every granularity. */
interface Summaries {
  /** See `CountsCache.version`. */
  readonly version: string;
  readonly from: number;
  readonly to: number;
  readonly cells: ReadonlyMap<Granularity, readonly CellSummary[]>;
}

/** Reads summaries, unless nothing was written since the last read. */
async function summariesOf(
  cache: CountsCache,
  range: Omit<CellRange, 'granularity'>,
  before: Summaries | null,
): Promise<Summaries> {
  // Read before the summaries, so that the next call reads again if something was written in between.
  const asked = cache.version(range.series);
  if (before && before.from <= range.from && before.to >= range.to) {
    if ((await asked) === before.version) return before;
  }
  const [version, ...all] = await Promise.all([
    asked,
    ...GRANULARITIES.map((granularity) => cache.summaries({ ...range, granularity })),
  ]);
  const cells = new Map(GRANULARITIES.map((granularity, i) => [granularity, all[i] ?? []]));
  return { version, from: range.from, to: range.to, cells };
}

const sameSegments = (a: Cell, b: Cell): boolean =>
  JSON.stringify(a.segments) === JSON.stringify(b.segments);

/**
 * The cells of a series that one session needs, as summaries where those suffice, and the empty answers that wait to be
 * judged.
 */
export class LoadedSeries {
  readonly request: LoadRequest;
  readonly empties = new Map<string, EmptyAnswers>();
  /** Newer counts than the cells have; null before there were any. */
  live: LiveBuckets | null = null;
  #vouched = false;
  /** Requests repeated because the answer had no `data`. */
  readonly #confirming = new Set<string>();
  readonly #serving: readonly Granularity[];
  readonly #cells = new Map<Granularity, Map<number, Cell>>();
  readonly #stitched = new Map<number, StitchedCell>();
  /** As last read; null after a newer record was installed. */
  #summaries: Summaries | null = null;

  constructor(request: LoadRequest) {
    this.request = request;
    this.#serving = asFineAs(request.granularity);
    for (const granularity of this.#serving) this.#cells.set(granularity, new Map());
  }

  /**
   * Reads the span's cells and one on either side.
   *
   * @param unsaved - Records that are not in the cache yet.
   * @param before - The run's previous session: unchanged cells are taken from it.
   */
  async load(
    cache: CountsCache,
    unsaved: Iterable<CellRecord>,
    before?: LoadedSeries,
  ): Promise<void> {
    const { series, span } = this.request;
    const range = { series: series.key, from: cellOf(span.start) - 1, to: cellOf(span.end) + 1 };
    const own = before?.request.series.key === series.key ? before : undefined;
    this.#vouched = this.request.continues === true && own !== undefined && own.#vouched;
    if (this.request.granularity === 'minute') {
      this.#summaries = own ? own.#summaries : null;
      for (const cell of await this.#records(cache, { ...range, granularity: 'minute' }, own)) {
        this.#cells.get('minute')?.set(cell.key[2], cell);
      }
    } else {
      this.#summaries = await summariesOf(cache, range, own ? own.#summaries : null);
      for (const granularity of this.#serving) {
        for (const summary of this.#summaries.cells.get(granularity) ?? []) {
          const [, , cell] = summary.key;
          if (cell < range.from || cell > range.to) continue;
          this.#cells.get(granularity)?.set(cell, summary);
        }
      }
    }
    for (const record of unsaved) {
      const [of, , cell] = record.key;
      if (of === series.key && cell >= range.from && cell <= range.to) this.install(record);
    }
    if (own?.request.granularity !== this.request.granularity) return;
    this.live = own.live;
    for (const cells of this.#cells.values()) this.live?.drop(cells.values());
  }

  /** Reads minutes that are not loaded already. */
  async #records(
    cache: CountsCache,
    range: CellRange,
    before?: LoadedSeries,
  ): Promise<CellRecord[]> {
    const had = before?.request.granularity === 'minute' && before.#cells.get('minute');
    if (!had || had.size === 0) return await cache.records(range);
    const current: CellRecord[] = [];
    const stale: number[] = [];
    for (const summary of await cache.summaries(range)) {
      const [, , cell] = summary.key;
      const old = had.get(cell);
      if (old && 'counts' in old && sameSegments(old, summary)) current.push(old);
      else stale.push(cell);
    }
    if (stale.length === 0) return current;
    const [from, to] = [Math.min(...stale), Math.max(...stale)];
    const fresh = await cache.records({ ...range, from, to });
    const read = new Set(fresh.map((record) => record.key[2]));
    return [...current.filter((record) => !read.has(record.key[2])), ...fresh];
  }

  /** Replaces a cell by a newer record. */
  install(record: CellRecord): void {
    const [, granularity, cell] = record.key;
    const needed = this.request.granularity === 'minute' ? record : summarise(record);
    this.#cells.get(granularity)?.set(cell, needed);
    this.#stitched.delete(cell);
    this.#summaries = null;
    this.live?.drop([record]);
  }

  /** Converts an answer to records. The parts that replace an invalidated span get its generation. */
  recordsOf(granularity: Granularity, reported: ReportedCounts): CellRecord[] {
    const { series, invalidated, settleMs } = this.request;
    const platform = series.source === 'platform';
    const parts = platform ? byGeneration(reported, granularity, invalidated) : [reported];
    const records = parts.flatMap((part) => recordsOf(series.key, granularity, part));
    return [...mergedByCell(records, settleMs).values()];
  }

  knowledge(): Knowledge {
    return asFineAs(this.request.knownBy).map((granularity) =>
      stillValid(knownOf(this.#cells.get(granularity)?.values() ?? []), this.request.invalidated),
    );
  }

  /** The end of the fetched counts: that of the last head, else `end`. */
  fetchedUpTo(end: number): number {
    const head = lastHead(this.knowledge());
    return Math.max(head ? Math.min(head.to, end) : end, this.live?.end ?? 0);
  }

  series(reach: Span, failed: readonly Span[], covered: readonly Span[]): Series {
    const { span, granularity } = this.request;
    const known = Math.max(reach.end, this.live?.end ?? 0);
    const end = Math.max(span.start, Math.min(span.end, known));
    const cells = new Map<number, StitchedCell>();
    for (let cell = cellOf(span.start); cell <= cellOf(end); cell += 1) {
      const stitched = this.#stitch(cell);
      if (stitched) cells.set(cell, stitched);
    }
    const limits = { failed, reach: reach.start, covered };
    const series = stitch({ start: span.start, end }, granularity, cells, limits);
    return this.live?.show(series) ?? series;
  }

  /**
   * True if the span shows counts that were invalidated since, in buckets that end by a time.
   *
   * @param covered - As for {@link series}: what the source no longer covers is not shown.
   */
  outdated(by: number, covered: readonly Span[]): boolean {
    const { span, granularity } = this.request;
    const width = BUCKET_MS[granularity];
    const last = Math.min(by, ceilTo(span.end, granularity));
    const isCovered = (start: number, end: number): boolean => {
      const next = firstIndex(0, covered.length, (i) => (covered[i]?.end ?? Infinity) > start);
      return (covered[next]?.start ?? Infinity) < end;
    };
    for (const { cell, outdated } of this.#stitched.values()) {
      const isShown = (i: number): boolean => {
        const start = cellSpan(cell).start + i * width;
        const end = start + width;
        return end > span.start && end <= last && isCovered(start, end);
      };
      if (outdated.some(isShown)) return true;
    }
    return false;
  }

  #stitch(cell: number): StitchedCell | null {
    const had = this.#stitched.get(cell);
    if (had) return had;
    const parts: CellPart[] = [];
    for (const [granularity, cells] of this.#cells) {
      const known = cells.get(cell);
      if (!known) continue;
      const { segments, receipts } = known;
      if ('counts' in known) {
        parts.push({ granularity, width: granularity, counts: known.counts, segments, receipts });
        continue;
      }
      const tier = this.request.granularity === 'hour' ? known.hours : known.days;
      if (!tier) continue;
      const width = this.request.granularity;
      parts.push({ granularity, width, counts: tier.sum, segments, receipts });
    }
    if (parts.length === 0) return null;
    const { granularity: wanted, settleMs, invalidated } = this.request;
    const stitched = stitchCell(cell, wanted, parts, { settleMs, invalidated });
    this.#stitched.set(cell, stitched);
    return stitched;
  }

  /** True if small counts seem rounded up (ledger rule 19). */
  upperBounds(): boolean {
    const tally = { few: 0, fives: 0, sixes: 0 };
    for (const cell of this.#cells.get('minute')?.values() ?? []) {
      const small = 'counts' in cell ? smallCounts(cell.counts) : cell.small;
      if (!small) continue;
      tally.few += small.few;
      tally.fives += small.fives;
      tally.sixes += small.sixes;
    }
    return upperBounds(tally);
  }

  /** Holds an empty answer until it is judged. A second one to the same request confirms the first. */
  holdEmpty(request: string, answer: EmptyAnswer): void {
    const before = this.empties.get(request);
    // The same page, received again, confirms nothing.
    if (before?.some(({ receipt }) => receipt.id === answer.receipt.id)) return;
    if (before && answer.absent) this.#vouched = true;
    this.empties.set(request, before ? [...before, answer] : [answer]);
  }

  /** Decides what to do with an empty answer. */
  verdict(
    request: string,
    empties: EmptyAnswers,
    pending: readonly Span[],
    policy: EmptyPolicy,
  ): EmptyVerdict {
    const [{ reported, absent }] = empties;
    const page: EmptyPage = {
      absent,
      confirmed: empties.length > 1 || this.#knownEmpty(reported),
      vouched: this.#vouched,
      confirming: [...this.#confirming].some(
        (other) => other !== request && this.empties.has(other),
      ),
      before: this.#postsNextTo(request, reported, -1, pending),
      after: this.#postsNextTo(request, reported, 1, pending),
      contradicts: this.#settledPosts(reported),
    };
    const verdict = judgeEmptyPage(page, policy);
    if (verdict.kind === 'again' && absent) this.#confirming.add(request);
    return verdict;
  }

  /** Visits every known bucket that a span touches. */
  #scan(span: Span, take: (count: number, state: number, bucket: Span) => void): void {
    const width = BUCKET_MS[this.request.granularity];
    for (let cell = cellOf(span.start); cell <= cellOf(span.end - 1); cell += 1) {
      const known = this.#stitch(cell);
      if (!known) continue;
      const { start } = cellSpan(cell);
      const first = Math.max(0, Math.floor((span.start - start) / width));
      const last = Math.min(CELL_MS / width, Math.ceil((span.end - start) / width));
      for (let i = first; i < last; i += 1) {
        const state = known.states[i] ?? STATE.never;
        if (state < STATE.partial) continue;
        const at = start + i * width;
        take(known.counts[i] ?? 0, state, { start: at, end: at + width });
      }
    }
  }

  /** True if a span is known to be empty, so that another empty answer agrees. */
  #knownEmpty({ start, end }: Span): boolean {
    const { granularity } = this.request;
    const [first, last] = [ceilTo(start, granularity), floorTo(end, granularity)];
    let known = 0;
    let posts = 0;
    this.#scan({ start: first, end: last }, (count, state) => {
      if (state >= STATE.provisional) known += 1;
      posts += count;
    });
    return first < last && posts === 0 && known === (last - first) / BUCKET_MS[granularity];
  }

  #settledPosts(span: Span): boolean {
    let found = false;
    this.#scan(span, (count, state, bucket) => {
      const inside = bucket.start >= span.start && bucket.end <= span.end;
      if (inside && state === STATE.settled && count > 0) found = true;
    });
    return found;
  }

  /** The number of known Posts next to a span, over the same length. */
  #postsNextTo(
    request: string,
    span: Span,
    side: -1 | 1,
    pending: readonly Span[],
  ): number | 'unknown' | 'pending' {
    const edge = side < 0 ? span.start : span.end;
    const stretch = (length: number): Span =>
      side < 0 ? { start: edge - length, end: edge } : { start: edge, end: edge + length };
    const near = stretch(DAY_MS);
    if (pending.some((each) => intersect(each, near))) return 'pending';
    for (const [other, [{ reported }]] of this.empties) {
      if (other !== request && intersect(reported, near)) return 0;
    }
    let nearby = false;
    this.#scan(near, () => {
      nearby = true;
    });
    if (!nearby) return 'unknown';
    let sum = 0;
    this.#scan(stretch(Math.max(DAY_MS, span.end - span.start)), (count) => {
      sum += count;
    });
    return sum;
  }
}
