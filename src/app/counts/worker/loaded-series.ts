import { judgeEmptyPage } from '#core/counts/empty-pages.ts';
import type { EmptyPage, EmptyPolicy, EmptyVerdict } from '#core/counts/empty-pages.ts';
import type { CellRecord, ReportedCounts } from '#core/counts/ledger.ts';
import { byGeneration } from '#core/counts/split-by-generation.ts';
import { stillValid, knownOf, merge, recordsOf } from '#core/counts/ledger.ts';
import { lastHead } from '#core/counts/plan.ts';
import { smallCounts, upperBounds } from '#core/counts/rounded-counts.ts';
import type { CellPart, StitchedCell } from '#core/counts/stitch.ts';
import { stitch, stitchCell } from '#core/counts/stitch.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import { summarise } from '#core/counts/summary.ts';
import type { Series } from '#core/series/series.ts';
import { STATE } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS, GRANULARITIES, ceilTo, floorTo } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { CELL_MS, DAY_MS, cellOf, cellSpan, intersect } from '#core/time/span.ts';
import type { CountsCache } from '#app/counts/cache/counts-cache.ts';
import type { CellRange, Receipt } from '#app/counts/cache/records.ts';
import type { Knowledge, LoadRequest } from './messages.ts';

/** An empty answer. */
export interface EmptyAnswer {
  readonly told: ReportedCounts;
  readonly receipt: Receipt;
  readonly absent: boolean;
}

/** Empty answers to one ask that wait to be believed: the first, and a second where it was asked again. */
export type Held = readonly [EmptyAnswer, ...EmptyAnswer[]];

type Cell = CellRecord | CellSummary;

/** The summaries of a series in a range of cells, at every granularity. */
interface Summaries {
  /** Of the cache when they were read. */
  readonly version: string;
  readonly from: number;
  readonly to: number;
  readonly cells: ReadonlyMap<Granularity, readonly CellSummary[]>;
}

/** Reads summaries, unless they were read before and nothing was written since. */
async function summariesOf(
  cache: CountsCache,
  range: Omit<CellRange, 'granularity'>,
  before: Summaries | null,
): Promise<Summaries> {
  // Asked first: what is written between is read again another time.
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

const asFineAs = (granularity: Granularity): Granularity[] =>
  GRANULARITIES.filter((one) => BUCKET_MS[one] <= BUCKET_MS[granularity]);

const sameSegments = (a: Cell, b: Cell): boolean =>
  JSON.stringify(a.segments) === JSON.stringify(b.segments);

/**
 * What one run has before it: the cells of a series at the granularities that serve it, as summaries where
 * those do, and the empty answers that wait.
 */
export class LoadedSeries {
  readonly opening: LoadRequest;
  readonly held = new Map<string, Held>();
  #vouched = false;
  /** Asks whose absent answer is being asked again. */
  readonly #confirming = new Set<string>();
  readonly #serving: readonly Granularity[];
  readonly #cells = new Map<Granularity, Map<number, Cell>>();
  readonly #stitched = new Map<number, StitchedCell>();
  /** As they were last read; null once a record was put over them. */
  #summaries: Summaries | null = null;

  constructor(opening: LoadRequest) {
    this.opening = opening;
    this.#serving = asFineAs(opening.granularity);
    for (const granularity of this.#serving) this.#cells.set(granularity, new Map());
  }

  /**
   * Reads the span's cells and one on either side.
   *
   * @param unsaved - Records not in the cache yet.
   * @param before - The run's desk until now: what was on it and has not changed is not read again.
   */
  async load(
    cache: CountsCache,
    unsaved: Iterable<CellRecord>,
    before?: LoadedSeries,
  ): Promise<void> {
    const { series, span } = this.opening;
    const range = { series: series.key, from: cellOf(span.start) - 1, to: cellOf(span.end) + 1 };
    const own = before?.opening.series.key === series.key ? before : undefined;
    this.#vouched = this.opening.continues === true && own !== undefined && own.#vouched;
    if (this.opening.granularity === 'minute') {
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
  }

  /** Minutes: only those that are not on the desk already. */
  async #records(
    cache: CountsCache,
    range: CellRange,
    before?: LoadedSeries,
  ): Promise<CellRecord[]> {
    const had = before?.opening.granularity === 'minute' && before.#cells.get('minute');
    if (!had || had.size === 0) return await cache.records(range);
    const kept: CellRecord[] = [];
    const stale: number[] = [];
    for (const summary of await cache.summaries(range)) {
      const [, , cell] = summary.key;
      const old = had.get(cell);
      if (old && 'counts' in old && sameSegments(old, summary)) kept.push(old);
      else stale.push(cell);
    }
    if (stale.length === 0) return kept;
    const [from, to] = [Math.min(...stale), Math.max(...stale)];
    const fresh = await cache.records({ ...range, from, to });
    const read = new Set(fresh.map((record) => record.key[2]));
    return [...kept.filter((record) => !read.has(record.key[2])), ...fresh];
  }

  /** Puts a record as it stands now on the desk, where it serves. */
  install(record: CellRecord): void {
    const [, granularity, cell] = record.key;
    const kept = this.opening.granularity === 'minute' ? record : summarise(record);
    this.#cells.get(granularity)?.set(cell, kept);
    this.#stitched.delete(cell);
    this.#summaries = null;
  }

  /** An answer as records; what of it was bought after a span was to be bought again is of that generation. */
  recordsOf(granularity: Granularity, told: ReportedCounts): CellRecord[] {
    const { series, raised } = this.opening;
    const platform = series.source === 'platform';
    const parts = platform ? byGeneration(told, granularity, raised) : [told];
    const cells = new Map<number, CellRecord>();
    for (const record of parts.flatMap((part) => recordsOf(series.key, granularity, part))) {
      const [, , cell] = record.key;
      const before = cells.get(cell);
      cells.set(cell, before ? merge(before, record, this.opening.settleMs) : record);
    }
    return [...cells.values()];
  }

  knowledge(): Knowledge {
    return asFineAs(this.opening.told).map((granularity) =>
      stillValid(knownOf(this.#cells.get(granularity)?.values() ?? []), this.opening.raised),
    );
  }

  /** Up to when the source could be asked: where its head ended when that was last asked, else `end`. */
  tellable(end: number): number {
    const head = lastHead(this.knowledge());
    return head ? Math.min(head.to, end) : end;
  }

  series(reach: Span, failed: readonly Span[], covered: Span): Series {
    const { span, granularity } = this.opening;
    const end = Math.max(span.start, Math.min(span.end, reach.end));
    const cells = new Map<number, StitchedCell>();
    for (let cell = cellOf(span.start); cell <= cellOf(end); cell += 1) {
      const stitched = this.#stitch(cell);
      if (stitched) cells.set(cell, stitched);
    }
    const untold = { failed, reach: reach.start, covered };
    return stitch({ start: span.start, end }, granularity, cells, untold);
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
      const tier = this.opening.granularity === 'hour' ? known.hours : known.days;
      if (!tier) continue;
      const width = this.opening.granularity;
      parts.push({ granularity, width, counts: tier.sum, segments, receipts });
    }
    if (parts.length === 0) return null;
    const stitched = stitchCell(cell, this.opening.granularity, parts, this.opening);
    this.#stitched.set(cell, stitched);
    return stitched;
  }

  /** Whether small counts seem rounded up (ledger rule 19). */
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

  /** Keeps an empty answer back; a second one to the same ask confirms the first. */
  hold(ask: string, answer: EmptyAnswer): void {
    const before = this.held.get(ask);
    // The same page, given again, confirms nothing.
    if (before?.some(({ receipt }) => receipt.id === answer.receipt.id)) return;
    if (before && answer.absent) this.#vouched = true;
    this.held.set(ask, before ? [...before, answer] : [answer]);
  }

  /** What to do with an empty answer that waits. */
  verdict(ask: string, held: Held, pending: readonly Span[], policy: EmptyPolicy): EmptyVerdict {
    const [{ told, absent }] = held;
    const page: EmptyPage = {
      absent,
      confirmed: held.length > 1 || this.#knownEmpty(told),
      vouched: this.#vouched,
      confirming: [...this.#confirming].some((other) => other !== ask && this.held.has(other)),
      before: this.#beside(ask, told, -1, pending),
      after: this.#beside(ask, told, 1, pending),
      contradicts: this.#settledPosts(told),
    };
    const verdict = judgeEmptyPage(page, policy);
    if (verdict.kind === 'again' && absent) this.#confirming.add(ask);
    return verdict;
  }

  /** Calls back for every known bucket that a span touches. */
  #scan(span: Span, take: (count: number, state: number, bucket: Span) => void): void {
    const width = BUCKET_MS[this.opening.granularity];
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

  /** Whether everything of a span is known already, and holds nothing: a further empty answer agrees with that. */
  #knownEmpty({ start, end }: Span): boolean {
    const { granularity } = this.opening;
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

  /** The Posts beside a span, over as long a stretch as it is, as far as they are known. */
  #beside(
    ask: string,
    span: Span,
    side: -1 | 1,
    pending: readonly Span[],
  ): number | 'unknown' | 'pending' {
    const edge = side < 0 ? span.start : span.end;
    const stretch = (length: number): Span =>
      side < 0 ? { start: edge - length, end: edge } : { start: edge, end: edge + length };
    const near = stretch(DAY_MS);
    if (pending.some((one) => intersect(one, near))) return 'pending';
    for (const [other, [{ told }]] of this.held) {
      if (other !== ask && intersect(told, near)) return 0;
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
