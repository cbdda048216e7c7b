import { RECENT_DAYS } from '#contract/reach.ts';
import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { Page, PageFault } from '#core/counts/check.ts';
import { checkPage, pageSpan, refuses } from '#core/counts/check.ts';
import type { EmptyPolicy } from '#core/counts/empty-pages.ts';
import { HEAD_MARGIN_MS } from '#core/counts/head.ts';
import type { CellRecord, Invalidation, Revision, ReportedCounts } from '#core/counts/ledger.ts';
import { dayOf } from '#core/counts/plan.ts';
import { seamsOf } from '#core/counts/seams.ts';
import { basisOf } from '#core/series/basis-of.ts';
import { buildPyramid } from '#core/series/pyramid.ts';
import { oneByOne, rollup } from '#core/series/rollup.ts';
import { bucketCount } from '#core/time/bucket.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS, MINUTE_MS, PAGE_DAYS, SECOND_MS } from '#core/time/span.ts';
import type {
  Ask,
  Receipt,
  RevisionPoint,
  RunRow,
  SeriesRow,
  StoreRow,
  Tally,
} from '#app/counts/cache/records.ts';
import type { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { comparedWith } from './cross-check.ts';
import { LoadedSeries } from './loaded-series.ts';
import type {
  PageResult,
  PageResponse,
  RenderRequest,
  Rendered,
  EmptyVerdicts,
  LostSend,
  Loaded,
  LoadRequest,
} from './messages.ts';
import { shortest } from '#app/counts/source-policy.ts';
import { isAsBefore, newStoreRow, ofNextEpoch, withChanges } from '#app/counts/cache/store-row.ts';
import { withReceipt } from '#app/counts/cache/merge-series.ts';
import { WriteQueue } from './write-queue.ts';

/** How long a look may be unnoted: what is least looked at need not be known to the second. */
const TOUCH_MS = 10 * MINUTE_MS;

/** A head of minutes that tells so much is one in full length; recent tells seven days less a minute. */
const FULL_HEAD_MS = {
  recent: (RECENT_DAYS - 1) * DAY_MS,
  all: (PAGE_DAYS - 1) * DAY_MS,
} as const;

/** What a page tells; one without buckets tells zeros of what was asked (ledger rules 9 and 17). */
function toldBy(page: Page, arrival: PageResponse): ReportedCounts {
  const { start, endpoint, receipt, date, fetched, generation, granularity } = arrival;
  const note = { at: fetched, generation, endpoint };
  const span = pageSpan(page);
  if (span) return { ...span, counts: page.counts, receipt, note };
  const end = arrival.end ?? Math.floor((date - HEAD_MARGIN_MS) / SECOND_MS) * SECOND_MS;
  const counts = new Uint8Array(bucketCount(start, end, granularity));
  return { start, end, counts, receipt, note };
}

function changedSettled(revisions: readonly Revision[]): PageFault[] {
  const [first] = revisions;
  if (!first) return [];
  const { start: at, was: expected, now: got } = first;
  return [{ kind: 'changed-settled', at, expected, got, times: revisions.length }];
}

/** What receipts that were noted cost. */
function boughtBy(receipts: readonly Receipt[]): Tally {
  const paid = receipts.filter(({ price }) => price > 0);
  return paid.reduce<Tally>(withReceipt, { requests: 0, money: 0, bytes: 0 });
}

/** The receipt of an empty page that is not believed any more. */
function belied(receipt: Receipt): Receipt {
  const { start: at } = receipt.told;
  const noted: PageFault[] = [
    { kind: 'empty-among-busy', at, expected: 'Posts', got: 0, times: 1 },
  ];
  return { ...receipt, kept: false, noted };
}

/**
 * The counts of all series: reads answers, checks and merges them, writes them to the cache and renders curves of
 * them. The browser runs it in a worker (`worker.ts`), so its arguments and results are plain data.
 *
 * Every method throws a `Fault` of the cache's types. What the full cache refuses stays in memory, is shown, and is
 * written by a later {@link open}.
 */
export class CountsStore {
  readonly #cache: CountsCache;
  readonly #desks = new Map<number, LoadedSeries>();
  readonly #unsaved: WriteQueue;

  constructor(cache: CountsCache) {
    this.#cache = cache;
    this.#unsaved = new WriteQueue(cache);
  }

  async open(number: number, opening: LoadRequest): Promise<Loaded> {
    await this.#unsaved.save();
    const { key } = opening.series;
    const row = await this.#cache.seriesRow(key);
    // Own posts are raised by their store, the platform's by the user: never both.
    const raised = opening.raisedIfAgreed ?? row?.raised ?? [];
    const desk = new LoadedSeries(raised.length > 0 ? { ...opening, raised } : opening);
    const before = opening.before === null ? undefined : this.#desks.get(opening.before);
    const [asks, run] = await Promise.all([
      this.#cache.asks(key),
      this.#cache.run(key),
      desk.load(this.#cache, this.#unsaved.records(), before),
    ]);
    this.#desks.set(number, desk);
    if (!opening.quote) await this.#touch(opening.series, row);
    return { known: desk.knowledge(), asks, run, fullHead: row?.fullHead ?? 0, raised };
  }

  async draw(number: number, drawing: RenderRequest): Promise<Rendered> {
    const { edges, cut, basis: by, reach, covered, failed } = drawing;
    const desk = this.#desk(number);
    const series = desk.series(reach, failed, covered);
    const now = desk.tellable(reach.end);
    // Before the curve, which may take over the arrays of the series.
    const basis = by && basisOf(series, by.unit, by.edges, now, covered);
    const fits = edges.minutes && series.granularity === 'minute';
    const curve = fits ? oneByOne(series, edges, now, cut) : rollup(series, edges.all, now, cut);
    const pyramid = buildPyramid(curve.counts, curve.states);
    const known = series.fetched.map((run) => ({ ...run, generation: 0 }));
    const priced = desk.opening.series.source === 'platform';
    const seams = priced ? seamsOf(known) : [];
    return { curve, pyramid, basis, seams, upperBounds: priced && desk.upperBounds() };
  }

  /** Checks and stores an answer. In a worker, takes its body over: the caller's buffer is empty afterwards. */
  async accept(number: number, arrival: PageResponse): Promise<PageResult> {
    const desk = this.#desk(number);
    const { settleMs } = desk.opening;
    const { granularity, start, end, date, earlier, followed, purpose, first } = arrival;
    const receipts: Receipt[] = [];
    const note = async (
      receipt: Receipt,
      compared?: readonly CellRecord[],
    ): Promise<Revision[]> => {
      receipts.push(receipt);
      return (await this.#cache.write([], receipt, settleMs, compared)).revisions;
    };
    const answer = (
      kind: PageResult['kind'],
      faults: readonly PageFault[],
      page?: Page,
    ): PageResult => ({
      kind,
      faults,
      told: page ? pageSpan(page) : null,
      token: page?.token ?? null,
      known: desk.knowledge(),
      bought: boughtBy(receipts),
      price: arrival.price,
    });
    const refuse = async (faults: readonly PageFault[]): Promise<PageResult> => {
      await note(this.#receipt(desk, arrival, { noted: faults, kept: false }));
      return answer('refused', faults);
    };
    const { readPage } = await import('#app/counts/fetch/page.ts');
    const page = readPage(arrival.body);
    if ('kind' in page) return await refuse([page]);
    const faults = checkPage(page, { granularity, start, end, date, earlier, followed });
    if (faults.some(refuses)) return await refuse(faults);
    const total = page.total ?? 0;
    const told = toldBy(page, arrival);
    const span = { start: told.start, end: told.end };
    const receipt = this.#receipt(desk, arrival, { noted: faults, told: span, total });
    if (!pageSpan(page) && page.token !== null) {
      await note({ ...receipt, told: { start, end: start } });
      return answer('nothing', faults, page);
    }
    const records = desk.recordsOf(granularity, told);
    if (purpose === 'audit' || purpose === 'probe') {
      const revisions = await note(receipt, records);
      return answer('compared', [...faults, ...changedSettled(revisions)], page);
    }
    if (total === 0) {
      desk.hold(first, { told, receipt, absent: pageSpan(page) === null });
      return answer('empty', faults, page);
    }
    const against = await comparedWith(this.#cache, records, settleMs);
    const contradicts = against.filter(refuses);
    if (contradicts.length > 0 && purpose === 'count') return await refuse(contradicts);
    // A fuller answer has shown the empty ones to be wrong.
    for (const empty of desk.held.get(first) ?? []) await note(belied(empty.receipt));
    desk.held.delete(first);
    const noted = [...faults, ...against];
    receipts.push(receipt);
    const revisions = await this.#write(desk, [
      { records, receipt: { ...receipt, noted }, settleMs },
    ]);
    const length = told.end - told.start;
    if (granularity === 'minute' && end === null && length >= FULL_HEAD_MS[arrival.endpoint]) {
      await this.#cache.noteFullHead(desk.opening.series, dayOf(date));
    }
    return answer('kept', [...noted, ...changedSettled(revisions)], page);
  }

  /** Notes requests that may have been billed; each once, however often it is called. @returns Those noted now. */
  async noteUncertain(number: number, { ask, first, times, ...sent }: LostSend): Promise<Tally> {
    const desk = this.#desk(number);
    let noted: Tally = { requests: 0, money: 0, bytes: 0 };
    for (let time = 1; time <= times; time += 1) {
      const { granularity, endpoint, purpose, start, end, at, generation, index, price } = sent;
      const receipt: Receipt = {
        id: `${ask}!${time}`,
        ask: '',
        series: desk.opening.series.key,
        granularity,
        endpoint,
        purpose: first === ask ? purpose : 'again',
        asked: { start, end },
        told: { start, end: start },
        total: 0,
        at,
        generation,
        index,
        price: 0,
        bytes: 0,
        uncertain: price,
        kept: false,
        noted: [],
      };
      const { added } = await this.#cache.write([], receipt, desk.opening.settleMs);
      if (added) noted = withReceipt(noted, receipt);
    }
    return noted;
  }

  /** Judges the empty answers that wait. @param pending - Spans whose answers are still to come. */
  async judge(
    number: number,
    pending: readonly Span[],
    policy: EmptyPolicy,
  ): Promise<EmptyVerdicts> {
    const desk = this.#desk(number);
    const { settleMs } = desk.opening;
    const believed: string[] = [];
    const receipts: Receipt[] = [];
    const again: EmptyVerdicts['again'][number][] = [];
    for (const [ask, held] of desk.held) {
      const verdict = desk.verdict(ask, held, pending, policy);
      if (verdict.kind === 'again') {
        const [{ receipt }] = held;
        const { endpoint, asked } = receipt;
        again.push({ ask, endpoint, ...asked, afterMs: verdict.afterMs });
      }
      if (verdict.kind !== 'believe') continue;
      desk.held.delete(ask);
      const writings = held.map(({ told, receipt }) => ({
        records: desk.recordsOf(receipt.granularity, told),
        receipt,
        settleMs,
      }));
      await this.#write(desk, writings);
      receipts.push(...held.map(({ receipt }) => receipt));
      believed.push(ask);
    }
    return { believed, again, known: desk.knowledge(), bought: boughtBy(receipts) };
  }

  async close(number: number): Promise<void> {
    this.#desks.delete(number);
  }

  /** Marks spans of a series to be bought again. @returns All spans marked so. */
  raiseSeries(series: SeriesRow, spans: readonly Span[]): Promise<Invalidation[]> {
    return this.#cache.raise(series, spans);
  }

  /** Notes that a request is about to be sent, or that it failed. */
  putAsk(ask: Ask): Promise<void> {
    return this.#cache.putAsk(ask);
  }

  dropAsk(id: string): Promise<void> {
    return this.#cache.dropAsk(id);
  }

  /** Notes what was approved, or, with null, that nothing of the series is in progress. */
  putRun(series: string, row: RunRow | null): Promise<void> {
    return row ? this.#cache.putRun(row) : this.#cache.dropRun(series);
  }

  /** Pauses or resumes a series' run. @returns The run as it is now, null where there is none. */
  pauseRun(series: string, paused: boolean): Promise<RunRow | null> {
    return this.#cache.pauseRun(series, paused);
  }

  /** What is known of a store of Posts; begun at a revision where nothing is. */
  store(key: string, point: RevisionPoint): Promise<StoreRow> {
    return this.#cache.updateStore(key, (row) => row ?? newStoreRow(key, point));
  }

  /** Notes that spans changed up to a revision. @param before - The row about which the store was asked. */
  raise(before: StoreRow, point: RevisionPoint, spans: readonly Span[]): Promise<StoreRow> {
    return this.#cache.updateStore(before.key, (row) =>
      withChanges(row ?? before, before, point, spans),
    );
  }

  /**
   * Drops all counts of a store that does not know what was known of it, unless another tab has done so.
   *
   * @param before - The row about which the store was asked.
   * @param point - Where the store is now.
   */
  restored(before: StoreRow, point: RevisionPoint): Promise<StoreRow> {
    return this.#cache.updateStore(before.key, (row) =>
      !row || isAsBefore(row, before) ? ofNextEpoch(row ?? before, point) : row,
    );
  }

  /** Notes how many buckets a short page has. */
  shorten(key: string, granularity: Granularity, buckets: number, at: number): Promise<StoreRow> {
    return this.#cache.updateStore(key, (row) => {
      const before = row ?? newStoreRow(key, { revision: 0 });
      const least = shortest(before, granularity, at) ?? Infinity;
      const page = { buckets: Math.max(1, Math.min(least, buckets)), at };
      return { ...before, pages: { ...before.pages, [granularity]: page } };
    });
  }

  sources(): Promise<SourceInfo[] | null> {
    return this.#cache.sources();
  }

  rememberSources(sources: readonly SourceInfo[]): Promise<void> {
    return this.#cache.rememberSources(sources);
  }

  #desk(number: number): LoadedSeries {
    const desk = this.#desks.get(number);
    if (!desk) throw new RangeError(`expected an open desk, got ${number}`);
    return desk;
  }

  #receipt(desk: LoadedSeries, arrival: PageResponse, over: Partial<Receipt>): Receipt {
    const { ask, granularity, endpoint, purpose, start, end, fetched, generation, index } = arrival;
    return {
      id: arrival.receipt,
      ask,
      series: desk.opening.series.key,
      granularity,
      endpoint,
      purpose,
      asked: { start, end },
      told: { start, end: start },
      total: 0,
      at: fetched,
      generation,
      index,
      price: arrival.price,
      bytes: arrival.bytes,
      kept: true,
      noted: [],
      ...over,
    };
  }

  /** Writes and puts on the desk; where there is no room, only on the desk, and throws. */
  async #write(
    desk: LoadedSeries,
    writings: Parameters<WriteQueue['write']>[0],
  ): Promise<Revision[]> {
    const open = [...this.#desks.values()].map(({ opening }) => opening.series.key);
    const { records, revisions, full } = await this.#unsaved.write(writings, open);
    for (const record of records) desk.install(record);
    if (full) throw full;
    return revisions;
  }

  async #touch(series: SeriesRow, row: SeriesRow | null): Promise<void> {
    if (row && row.query === series.query && series.usedAt - row.usedAt < TOUCH_MS) return;
    try {
      await this.#cache.touch(series);
    } catch (error) {
      // A look needs no room; the counts that do will say so.
      if (!(error instanceof Fault)) throw error;
    }
  }
}
