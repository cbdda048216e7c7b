import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { Page, PageFault } from '#core/counts/check.ts';
import { checkPage, pageSpan, refuses } from '#core/counts/check.ts';
import type { EmptyPolicy } from '#core/counts/doubt.ts';
import { HEAD_MARGIN_MS } from '#core/counts/head.ts';
import type { CellRecord, Revision, Told } from '#core/counts/ledger.ts';
import { merge, raise, recordsOf } from '#core/counts/ledger.ts';
import { buildPyramid } from '#core/series/pyramid.ts';
import { rollup } from '#core/series/rollup.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { bucketCount } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { PAGE_DAYS, SECOND_MS } from '#core/time/span.ts';
import type { CountsCache, Receipt, StoreRow } from './cache-port.ts';
import { CACHE_FULL } from './cache-port.ts';
import { Desk } from './desk.ts';
import type {
  Accepted,
  Arrival,
  Drawing,
  Drawn,
  Judged,
  Keeping,
  Knowledge,
  Opening,
} from './keeper-port.ts';
import { readPage } from './page.ts';

/** An answer on its way into the cache. */
interface Writing {
  readonly records: readonly CellRecord[];
  readonly receipt: Receipt;
  readonly settleMs: number;
}

/** What a page tells; one without buckets tells zeros of what was asked (ledger rules 9 and 17). */
function toldBy(page: Page, arrival: Arrival, granularity: Granularity): Told {
  const { start, endpoint, receipt, date: at, generation } = arrival;
  const note = { at, generation, endpoint };
  const span = pageSpan(page);
  if (span) return { ...span, counts: page.counts, receipt, note };
  const end = arrival.end ?? Math.floor((at - HEAD_MARGIN_MS) / SECOND_MS) * SECOND_MS;
  const counts = new Uint8Array(bucketCount(start, end, granularity));
  return { start, end, counts, receipt, note };
}

function changedSettled(revisions: readonly Revision[]): PageFault[] {
  const [first] = revisions;
  if (!first) return [];
  const { start: at, was: expected, now: got } = first;
  return [{ kind: 'changed-settled', at, expected, got, times: revisions.length }];
}

/** The {@link Keeping} itself; `worker.ts` lets it run off the main thread. */
export class Keeper implements Keeping {
  readonly #cache: CountsCache;
  readonly #desks = new Map<number, Desk>();
  /** Answers for which the cache had no room, and the records that they make. */
  #unsaved: Writing[] = [];
  readonly #overlay = new Map<string, CellRecord>();

  constructor(cache: CountsCache) {
    this.#cache = cache;
  }

  async open(number: number, opening: Opening): Promise<Knowledge> {
    await this.#saveUnsaved();
    const desk = new Desk(opening);
    const before = opening.before === null ? undefined : this.#desks.get(opening.before);
    await desk.load(this.#cache, this.#overlay.values(), before);
    this.#desks.set(number, desk);
    return desk.knowledge();
  }

  async draw(number: number, { bounds, cut, reach, failed }: Drawing): Promise<Drawn> {
    const desk = this.#desk(number);
    const curve = rollup(desk.series(reach, failed), bounds, desk.tellable(reach.end), cut);
    return { curve, pyramid: buildPyramid(curve.counts) };
  }

  async accept(number: number, arrival: Arrival): Promise<Accepted> {
    const desk = this.#desk(number);
    const { granularity, series, settleMs } = desk.opening;
    const { ask, start, end, date, earlier, followed, endpoint, generation } = arrival;
    const answer = (
      kind: Accepted['kind'],
      faults: readonly PageFault[],
      page?: Page,
    ): Accepted => ({
      kind,
      faults,
      told: page ? pageSpan(page) : null,
      token: page?.token ?? null,
      known: desk.knowledge(),
    });
    const page = readPage(arrival.body);
    if ('kind' in page) return answer('refused', [page]);
    const faults = checkPage(page, { granularity, start, end, date, earlier, followed });
    if (faults.some(refuses)) return answer('refused', faults);
    const span = pageSpan(page);
    if (!span && page.token !== null) return answer('nothing', faults, page);
    const told = toldBy(page, arrival, granularity);
    const receipt: Receipt = {
      id: arrival.receipt,
      series,
      granularity,
      endpoint,
      asked: { start, end },
      told: { start: told.start, end: told.end },
      total: page.total ?? 0,
      at: date,
      generation,
      noted: faults,
    };
    if (page.total === 0) {
      desk.hold(ask, { told, receipt, absent: span === null, end });
      return answer('empty', faults, page);
    }
    desk.held.delete(ask);
    const records = recordsOf(series, granularity, told);
    const revisions = await this.#write(desk, { records, receipt, settleMs });
    return answer('kept', [...faults, ...changedSettled(revisions)], page);
  }

  async judge(number: number, pending: readonly Span[], policy: EmptyPolicy): Promise<Judged> {
    const desk = this.#desk(number);
    const { series, granularity, settleMs } = desk.opening;
    const believed: string[] = [];
    const again: { ask: string; start: number; end: number | null; afterMs: number }[] = [];
    for (const [ask, held] of desk.held) {
      const verdict = desk.verdict(ask, held, pending, policy);
      const { told, receipt, end } = held;
      if (verdict.kind === 'again') {
        again.push({ ask, start: told.start, end, afterMs: verdict.afterMs });
      }
      if (verdict.kind !== 'believe') continue;
      desk.held.delete(ask);
      const records = recordsOf(series, granularity, told);
      await this.#write(desk, { records, receipt, settleMs });
      believed.push(ask);
    }
    return { believed, again, known: desk.knowledge() };
  }

  async close(number: number): Promise<void> {
    this.#desks.delete(number);
  }

  store(key: string, revision: number): Promise<StoreRow> {
    return this.#cache.updateStore(
      key,
      (row) => row ?? { key, revision, raised: [], pageDays: PAGE_DAYS },
    );
  }

  raise(key: string, revision: number, spans: readonly Span[]): Promise<StoreRow> {
    return this.#cache.updateStore(key, (row) => {
      const before = row ?? { key, revision, raised: [], pageDays: PAGE_DAYS };
      // Another tab may have been here first, and know more.
      if (before.revision > revision) return before;
      return { ...before, revision, raised: raise(before.raised, spans, revision) };
    });
  }

  shorten(key: string, pageDays: number): Promise<StoreRow> {
    return this.#cache.updateStore(key, (row) => {
      const before = row ?? { key, revision: 0, raised: [], pageDays: PAGE_DAYS };
      return { ...before, pageDays: Math.max(1, Math.min(before.pageDays, pageDays)) };
    });
  }

  sources(): Promise<SourceInfo[] | null> {
    return this.#cache.sources();
  }

  rememberSources(sources: readonly SourceInfo[]): Promise<void> {
    return this.#cache.rememberSources(sources);
  }

  #desk(number: number): Desk {
    const desk = this.#desks.get(number);
    if (!desk) throw new RangeError(`expected an open desk, got ${number}`);
    return desk;
  }

  /** Writes and puts on the desk; where there is no room, only on the desk, and throws. */
  async #write(desk: Desk, writing: Writing): Promise<Revision[]> {
    const { records, receipt, settleMs } = writing;
    try {
      const written = await this.#cache.write(records, receipt, settleMs);
      for (const record of written.records) desk.install(record);
      return written.revisions;
    } catch (error) {
      if (!(error instanceof Fault) || error.body.type !== CACHE_FULL) throw error;
      this.#unsaved.push(writing);
      for (const record of records) {
        const [series, granularity, cell] = record.key;
        const key = JSON.stringify(record.key);
        const range = { series, granularity, from: cell, to: cell };
        const before = this.#overlay.get(key) ?? (await this.#cache.records(range))[0];
        const merged = before ? merge(before, record, settleMs) : record;
        this.#overlay.set(key, merged);
        desk.install(merged);
      }
      throw error;
    }
  }

  /** Tries again to write what there was no room for. */
  async #saveUnsaved(): Promise<void> {
    const waiting = this.#unsaved;
    this.#unsaved = [];
    for (const [i, { records, receipt, settleMs }] of waiting.entries()) {
      try {
        await this.#cache.write(records, receipt, settleMs);
      } catch (error) {
        this.#unsaved.push(...waiting.slice(i));
        if (error instanceof Fault && error.body.type === CACHE_FULL) return;
        throw error;
      }
    }
    this.#overlay.clear();
  }
}
