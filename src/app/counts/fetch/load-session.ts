import type { Invalidation } from '#core/counts/ledger.ts';
import { invalidate } from '#core/counts/ledger.ts';
import type { Span } from '#core/time/span.ts';
import type { SeriesRow, StoreRow } from '#app/counts/cache/records.ts';
import { coveredSpan } from '#app/counts/source-policy.ts';
import type { LoadRequest, Loaded } from '#app/counts/worker/messages.ts';
import type { Emit, LoadEvent, LoadServices, LoadTarget } from './load-request.ts';
import { RequestScheduler } from './scheduler.ts';

/** The worker's session that a run has open; null before the first. */
export interface OpenSession {
  number: number | null;
}

/** Rendering so many buckets keeps the page busy: pages that arrive are not rendered one by one. */
const MANY_BUCKETS = 200_000;
/** The rest after a rendering, in times of how long the page was busy with it. */
const REST = 6;

/** Number of the last session opened. */
let sessions = 0;

/** Loads one series: owns the worker's session, fetches what is missing, and renders what is known. */
export class LoadSession {
  readonly target: LoadTarget;
  /** What is known of the store. */
  row: StoreRow;
  /** What the worker's session began with. */
  loaded: Loaded = { known: [], pending: [], run: null, fullHead: 0, invalidated: [] };
  /** Whether pages are fetched, so that the worker's session must stay open. */
  busy = false;
  /** Whether the run of the series, in progress or paused, is this session's. */
  mine = false;
  readonly #services: LoadServices;
  readonly #open: OpenSession;
  readonly #emit: Emit;
  #scheduler: RequestScheduler | null = null;
  #opening: Promise<void> = Promise.resolve();
  #stopped = false;
  /** A span to be bought again once that is approved, and all invalidated spans with it. */
  #rebuy: { readonly span: Span; readonly invalidated: readonly Invalidation[] } | null = null;
  #dirty = false;
  #rendering: Promise<void> | null = null;
  /** Calls of {@link render} that wait. */
  #awaited = 0;
  /** Ends a rest. */
  #wake: () => void = () => undefined;

  constructor(
    target: LoadTarget,
    row: StoreRow,
    services: LoadServices,
    open: OpenSession,
    emit: Emit,
  ) {
    this.target = target;
    this.row = row;
    this.#services = services;
    this.#open = open;
    this.#emit = (event) => {
      if (!target.signal.aborted) emit(event);
    };
  }

  /** @throws {RangeError} before {@link reopen}. */
  get scheduler(): RequestScheduler {
    if (!this.#scheduler) throw new RangeError('expected an open session, got none');
    return this.#scheduler;
  }

  /** Whether everything is to be bought again, and that is not approved yet. */
  get rebuying(): boolean {
    return this.#rebuy !== null;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Ends fetching, until {@link start}. */
  stop(): void {
    this.#stopped = true;
    this.#scheduler?.stop();
  }

  start(): void {
    this.#stopped = false;
  }

  /** Reopens as if a span were invalidated, or, with null, as it is. */
  async previewRebuy(span: Span | null): Promise<void> {
    const { invalidated } = this.loaded;
    if (!span && !this.#rebuy) return;
    const highest = Math.max(0, ...invalidated.map(({ generation }) => generation));
    this.#rebuy = span && { span, invalidated: invalidate(invalidated, [span], highest + 1) };
    await this.reopen();
  }

  /** Notes that what {@link previewRebuy} showed was approved. */
  async approveRebuy(): Promise<void> {
    if (!this.#rebuy) return;
    await this.#services.store.invalidateSeries(this.series, [this.#rebuy.span]);
    this.#rebuy = null;
  }

  /** The time of which the source has data, as last heard of. */
  get covered(): Span {
    const { coverage = this.target.need.source.coverage } = this.row;
    return coveredSpan(coverage);
  }

  /** What the cache notes of the series. */
  get series(): SeriesRow {
    const { key, need } = this.target;
    const { source, query } = need;
    const usedAt = this.#services.client.now();
    const { id, store } = source;
    return { key, source: id, store, query, usedAt, fullHead: 0, raised: [] };
  }

  /**
   * Opens another session of the worker in place of the one before, which an aborted load may still write to.
   *
   * @param paid - Pages that this run fetched before.
   */
  async reopen(paid = 0): Promise<void> {
    const opening = this.#opening.then(() => this.#load(paid));
    this.#opening = opening.catch(() => undefined);
    await opening;
  }

  /** Reads and renders what another tab wrote, unless pages are fetched here. */
  async reread(): Promise<void> {
    const opening = this.#opening.then(() => (this.busy ? undefined : this.#load(0)));
    this.#opening = opening.catch(() => undefined);
    await opening;
    await this.render();
  }

  async #load(paid: number): Promise<void> {
    const { store } = this.#services;
    const { need, view, quote = false, signal } = this.target;
    const { policy } = need;
    sessions += 1;
    const session = sessions;
    const before = this.#open.number;
    const knownBy = need.minutes && policy.terms ? 'minute' : view.granularity;
    const request: LoadRequest = {
      series: this.series,
      granularity: view.granularity,
      knownBy,
      span: view.span,
      invalidated: this.row.raised,
      invalidatedIfApproved: this.#rebuy?.invalidated ?? null,
      settleMs: policy.settleMs,
      before,
      quote,
      continues: this.#scheduler !== null,
    };
    const loaded = await store.open(session, request);
    if (signal.aborted) await store.close(session);
    signal.throwIfAborted();
    this.#open.number = session;
    if (before !== null) await store.close(before);
    this.loaded = loaded;
    const { row, covered } = this;
    this.#scheduler = new RequestScheduler(
      { ...this.target, session, loaded, knownBy, store: row, covered },
      this.#services,
      (event) => this.#on(event, paid),
      this.#scheduler,
    );
    if (this.#stopped) this.#scheduler.stop();
  }

  #on(event: LoadEvent, paid: number): void {
    if (this.target.signal.aborted) return;
    if (event.kind === 'page') {
      this.#dirty = true;
      // A failure to render shows again when the run ends.
      void this.#rendered().catch(() => undefined);
    } else if (event.kind === 'short-page') {
      const { pages } = event.store;
      this.row = { ...this.row, ...(pages && { pages }) };
    } else if (event.kind === 'progress') {
      this.#emit({ ...event, done: paid + event.done, total: paid + event.total });
    } else this.#emit(event);
  }

  /** Renders what is known; calls in the meantime share one more rendering. */
  async render(): Promise<void> {
    this.#dirty = true;
    this.#awaited += 1;
    this.#wake();
    try {
      await this.#rendered();
    } finally {
      this.#awaited -= 1;
    }
    this.target.signal.throwIfAborted();
  }

  async #rendered(): Promise<void> {
    this.#rendering ??= this.#renderAll().finally(() => {
      this.#rendering = null;
    });
    await this.#rendering;
  }

  /** Leaves the page time for other things, the more the busier it was, unless a rendering is waited for. */
  async #rest(): Promise<void> {
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve));
    const busyMs = performance.now() - start;
    if (this.#awaited > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, REST * busyMs);
    });
  }

  async #renderAll(): Promise<void> {
    const { signal, view } = this.target;
    while (this.#dirty && !signal.aborted) {
      this.#dirty = false;
      const { session, reach, failures } = this.scheduler;
      const failed = failures.map(({ span }) => span);
      const { edges, cut, basis } = view;
      const { covered } = this;
      const request = { edges, cut, basis, reach, covered, failed };
      const rendered = await this.#services.store.render(session, request);
      if (signal.aborted) return;
      this.#emit({ kind: 'rendered', rendered });
      if (edges.size >= MANY_BUCKETS && this.#awaited === 0) await this.#rest();
    }
  }
}
