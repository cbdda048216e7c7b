import { RECENT_DAYS } from '#contract/counts/reach.ts';
import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { answerMeaning } from '#core/counts/answer.ts';
import { pageSpan, refuses, type Page, type PageFault } from '#core/counts/check.ts';
import type { EmptyPolicy } from '#core/counts/empty-pages.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { seamsOf } from '#core/counts/seams.ts';
import { draw } from '#core/series/draw.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, PAGE_DAYS, type Span } from '#core/time/span.ts';
import type {
  PendingRequest,
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
import type { LiveAnswer } from './live-buckets.ts';
import type {
  PageResult,
  PageResponse,
  RenderRequest,
  Rendered,
  EmptyVerdicts,
  LostSend,
  SessionStart,
  LoadRequest,
} from './messages.ts';
import { shortest } from '#app/counts/source-policy.ts';
import { isAsBefore, newStoreRow, ofNextEpoch, withChanges } from '#app/counts/cache/store-row.ts';
import { withReceipt } from '#app/counts/cache/merge-series.ts';
import { WriteQueue } from './write-queue.ts';
import type { Invalidation } from '#core/counts/invalidation.ts';
import type { Revision } from '#core/counts/count-revisions.ts';
import { dayOf } from '#core/counts/day-windows.ts';

/** The time between two notes of the use of a series: deleting the least recently opened needs no exact times. */
const TOUCH_MS = 10 * MINUTE_MS;

/** Changes in this last time are new Posts, which arrive all the time. */
const NEW_MS = HOUR_MS;

/** Minimum length of a full head of minutes; recent covers seven days less a minute. */
const FULL_HEAD_MS = {
  recent: (RECENT_DAYS - 1) * DAY_MS,
  all: (PAGE_DAYS - 1) * DAY_MS,
} as const;

function changedSettled(revisions: readonly Revision[]): PageFault[] {
  const [first] = revisions;
  if (!first) return [];
  const { start: at, was: expected, now: got } = first;
  return [{ kind: 'changed-settled', at, expected, got, times: revisions.length }];
}

/** The tally of receipts that cost something. */
function boughtBy(receipts: readonly Receipt[]): Tally {
  const paid = receipts.filter(({ price }) => price > 0);
  return paid.reduce<Tally>(withReceipt, { requests: 0, money: 0, bytes: 0 });
}

/** The receipt of an empty page that turned out to be wrong. */
function rejected(receipt: Receipt): Receipt {
  const { start: at } = receipt.reported;
  const faults: PageFault[] = [
    { kind: 'empty-among-busy', at, expected: 'Posts', got: 0, times: 1 },
  ];
  return { ...receipt, accepted: false, faults };
}

/**
 * The counts of all series: reads answers, checks and merges them, writes them to the cache, and renders curves from
 * them. The browser runs it in a worker (`worker.ts`), so its arguments and results are plain data.
 *
 * Every method throws a `Fault` of one of the cache's types. What does not fit into the cache stays in memory, is
 * shown, and is written by a later {@link open}.
 */
export class CountsStore {
  readonly #cache: CountsCache;
  readonly #sessions = new Map<number, LoadedSeries>();
  readonly #queue: WriteQueue;

  constructor(cache: CountsCache) {
    this.#cache = cache;
    this.#queue = new WriteQueue(cache);
  }

  async open(session: number, request: LoadRequest): Promise<SessionStart> {
    await this.#queue.save();
    const { key } = request.series;
    const row = await this.#cache.seriesRow(key);
    // Never both: the store invalidates the user's own Posts, and the user those of the platform.
    const invalidated = request.invalidatedIfApproved ?? row?.invalidated ?? [];
    const loaded = new LoadedSeries(invalidated.length > 0 ? { ...request, invalidated } : request);
    const before = request.before === null ? undefined : this.#sessions.get(request.before);
    const [pending, run] = await Promise.all([
      this.#cache.pendingRequests(key),
      this.#cache.run(key),
      loaded.load(this.#cache, this.#queue.records(), before),
    ]);
    this.#sessions.set(session, loaded);
    if (!request.quote) await this.#touch(request.series, row);
    return { known: loaded.knowledge(), pending, run, fullHead: row?.fullHead ?? 0, invalidated };
  }

  async render(session: number, request: RenderRequest): Promise<Rendered> {
    const { reach, covered, failed } = request;
    const loaded = this.#session(session);
    const series = loaded.series(reach, failed, covered);
    const drawn = draw(series, request, loaded.fetchedUpTo(reach.end), covered);
    const known = series.fetched.map((run) => ({ ...run, generation: 0 }));
    const priced = loaded.request.series.source === 'platform';
    const seams = priced ? seamsOf(known) : [];
    // Counts that the user buys again were right until then.
    const outdated = !priced && loaded.outdated(reach.end - NEW_MS, covered);
    return { ...drawn, seams, upperBounds: priced && loaded.upperBounds(), outdated };
  }

  /** Takes newer counts to render, without storing them. @returns False if they are the same as before. */
  async takeLive(session: number, answer: LiveAnswer): Promise<boolean> {
    const { LiveBuckets } = await import('./live-buckets.ts');
    const loaded = this.#session(session);
    loaded.live ??= new LiveBuckets(loaded.request.granularity);
    return loaded.live.take(answer);
  }

  /** Checks and stores an answer. In a worker, its body is transferred: the caller's buffer is empty afterwards. */
  async accept(session: number, response: PageResponse): Promise<PageResult> {
    const loaded = this.#session(session);
    const { settleMs } = loaded.request;
    const { granularity, start, end, date, purpose, first } = response;
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
      reported: page ? pageSpan(page) : null,
      token: page?.token ?? null,
      known: loaded.knowledge(),
      bought: boughtBy(receipts),
      price: response.price,
    });
    const refuse = async (faults: readonly PageFault[]): Promise<PageResult> => {
      await note(this.#receipt(loaded, response, { faults, accepted: false }));
      return answer('refused', faults);
    };
    const { readCountsPage } = await import('#contract/counts/counts-page.ts');
    const { fetched: at, generation, endpoint } = response;
    const order = { at, generation, endpoint };
    const read = readCountsPage(response.body);
    const meaning = answerMeaning(read, response, response.receipt, order);
    if (meaning.kind === 'refused') return await refuse(meaning.faults);
    const { kind, faults, page, absent, reported } = meaning;
    const span = { start: reported.start, end: reported.end };
    const receipt = this.#receipt(loaded, response, {
      faults,
      reported: span,
      total: page.total ?? 0,
    });
    if (kind === 'nothing') {
      await note({ ...receipt, reported: { start, end: start } });
      return answer('nothing', faults, page);
    }
    const records = loaded.recordsOf(granularity, reported);
    if (purpose === 'audit' || purpose === 'probe') {
      const revisions = await note(receipt, records);
      return answer('compared', [...faults, ...changedSettled(revisions)], page);
    }
    if (kind === 'empty') {
      loaded.holdEmpty(first, { reported, receipt, absent });
      return answer('empty', faults, page);
    }
    const against = await comparedWith(this.#cache, records, settleMs);
    const contradicts = against.filter(refuses);
    if (contradicts.length > 0 && purpose === 'count') return await refuse(contradicts);
    // An answer with Posts proves the empty ones wrong.
    for (const empty of loaded.empties.get(first) ?? []) await note(rejected(empty.receipt));
    loaded.empties.delete(first);
    const noted = [...faults, ...against];
    receipts.push(receipt);
    const revisions = await this.#write(loaded, [
      { records, receipt: { ...receipt, faults: noted }, settleMs },
    ]);
    const length = reported.end - reported.start;
    if (granularity === 'minute' && end === null && length >= FULL_HEAD_MS[response.endpoint]) {
      await this.#cache.noteFullHead(loaded.request.series, dayOf(date));
    }
    return answer('accepted', [...noted, ...changedSettled(revisions)], page);
  }

  /** Notes requests that may have been billed, each only once. @returns The tally of those that are new. */
  async noteUncertain(
    session: number,
    { request, first, times, ...sent }: LostSend,
  ): Promise<Tally> {
    const loaded = this.#session(session);
    let noted: Tally = { requests: 0, money: 0, bytes: 0 };
    for (let time = 1; time <= times; time += 1) {
      const { granularity, endpoint, purpose, start, end, at, generation, index, price } = sent;
      const receipt: Receipt = {
        id: `${request}!${time}`,
        request: '',
        series: loaded.request.series.key,
        granularity,
        endpoint,
        purpose: first === request ? purpose : 'again',
        requested: { start, end },
        reported: { start, end: start },
        total: 0,
        at,
        generation,
        index,
        price: 0,
        bytes: 0,
        uncertain: price,
        accepted: false,
        faults: [],
      };
      const { added } = await this.#cache.write([], receipt, loaded.request.settleMs);
      if (added) noted = withReceipt(noted, receipt);
    }
    return noted;
  }

  /** Judges the waiting empty answers. @param pending - Spans whose answers are still to come. */
  async judge(
    session: number,
    pending: readonly Span[],
    policy: EmptyPolicy,
  ): Promise<EmptyVerdicts> {
    const loaded = this.#session(session);
    const { settleMs } = loaded.request;
    const accepted: string[] = [];
    const receipts: Receipt[] = [];
    const again: EmptyVerdicts['again'][number][] = [];
    for (const [request, empties] of loaded.empties) {
      const verdict = loaded.verdict(request, empties, pending, policy);
      if (verdict.kind === 'again') {
        const [{ receipt }] = empties;
        const { endpoint, requested } = receipt;
        again.push({ request, endpoint, ...requested, afterMs: verdict.afterMs });
      }
      if (verdict.kind !== 'believe') continue;
      loaded.empties.delete(request);
      const writings = empties.map(({ reported, receipt }) => ({
        records: loaded.recordsOf(receipt.granularity, reported),
        receipt,
        settleMs,
      }));
      await this.#write(loaded, writings);
      receipts.push(...empties.map(({ receipt }) => receipt));
      accepted.push(request);
    }
    return { accepted, again, known: loaded.knowledge(), bought: boughtBy(receipts) };
  }

  async close(session: number): Promise<void> {
    this.#sessions.delete(session);
  }

  /** Marks spans of a series to be bought again. @returns All marked spans of the series. */
  invalidateSeries(series: SeriesRow, spans: readonly Span[]): Promise<Invalidation[]> {
    return this.#cache.invalidate(series, spans);
  }

  /** Notes that a request is about to be sent, or that it failed. */
  putRequest(ask: PendingRequest): Promise<void> {
    return this.#cache.putRequest(ask);
  }

  dropRequest(id: string): Promise<void> {
    return this.#cache.dropRequest(id);
  }

  /** Notes what was approved; null: nothing of the series is in progress. */
  putRun(series: string, row: RunRow | null): Promise<void> {
    return row ? this.#cache.putRun(row) : this.#cache.dropRun(series);
  }

  /** Pauses or resumes a series' run. @returns The updated run; null if there is none. */
  pauseRun(series: string, paused: boolean): Promise<RunRow | null> {
    return this.#cache.pauseRun(series, paused);
  }

  /** The row of a store of Posts; if there is none, a new one at the given revision. */
  storeRow(key: string, point: RevisionPoint): Promise<StoreRow> {
    return this.#cache.updateStore(key, (row) => row ?? newStoreRow(key, point));
  }

  /** Notes that spans changed up to a revision. @param before - The row that the request was about. */
  noteChanges(before: StoreRow, point: RevisionPoint, spans: readonly Span[]): Promise<StoreRow> {
    return this.#cache.updateStore(before.key, (row) =>
      withChanges(row ?? before, before, point, spans),
    );
  }

  /**
   * Drops all counts of a store that does not know the revision of its row, unless another tab already has.
   *
   * @param before - The row that the request was about.
   * @param point - The store's current revision.
   */
  resetStore(before: StoreRow, point: RevisionPoint): Promise<StoreRow> {
    return this.#cache.updateStore(before.key, (row) =>
      !row || isAsBefore(row, before) ? ofNextEpoch(row ?? before, point) : row,
    );
  }

  /** Notes how many buckets a short page has. */
  notePageLength(
    key: string,
    granularity: Granularity,
    buckets: number,
    at: number,
  ): Promise<StoreRow> {
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

  #session(session: number): LoadedSeries {
    const loaded = this.#sessions.get(session);
    if (!loaded) throw new RangeError(`expected an open session, got ${session}`);
    return loaded;
  }

  #receipt(loaded: LoadedSeries, response: PageResponse, over: Partial<Receipt>): Receipt {
    const { request, granularity, endpoint, purpose, start, end, fetched, generation, index } =
      response;
    return {
      id: response.receipt,
      request,
      series: loaded.request.series.key,
      granularity,
      endpoint,
      purpose,
      requested: { start, end },
      reported: { start, end: start },
      total: 0,
      at: fetched,
      generation,
      index,
      price: response.price,
      bytes: response.bytes,
      accepted: true,
      faults: [],
      ...over,
    };
  }

  /** Writes records and installs them in the session. If the cache is full, only installs them, and throws. */
  async #write(
    loaded: LoadedSeries,
    writings: Parameters<WriteQueue['write']>[0],
  ): Promise<Revision[]> {
    const open = [...this.#sessions.values()].map(({ request }) => request.series.key);
    const { records, revisions, full } = await this.#queue.write(writings, open);
    for (const record of records) loaded.install(record);
    if (full) throw full;
    return revisions;
  }

  async #touch(series: SeriesRow, row: SeriesRow | null): Promise<void> {
    if (row && row.query === series.query && series.usedAt - row.usedAt < TOUCH_MS) return;
    try {
      await this.#cache.touch(series);
    } catch (error) {
      // Opening works without room; writing counts will report the fault.
      if (!(error instanceof Fault)) throw error;
    }
  }
}
