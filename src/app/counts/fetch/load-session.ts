import type { Span } from '#core/time/span.ts';
import type { SeriesRow, StoreRow } from '#app/counts/cache/records.ts';
import { coveredSpans } from '#app/counts/source-policy.ts';
import type { LoadRequest, Rendered, SessionStart } from '#app/counts/worker/messages.ts';
import type { EmitLoadEvent, LoadEvent, LoadServices, LoadTarget } from './load-request.ts';
import { RequestScheduler } from './scheduler.ts';
import { invalidate, type Invalidation } from '#core/counts/invalidation.ts';

/** The worker's session of a run; null before the first. */
export interface WorkerSession {
  number: number | null;
}

/** From so many buckets on, rendering keeps the page busy, so pages are not rendered one by one as they arrive. */
const MANY_BUCKETS = 200_000;
/** The pause after a rendering, as a multiple of its duration. */
const PAUSE_FACTOR = 6;

/** Number of the last opened session. */
let sessions = 0;

/** Loads one series: manages the worker's session, fetches what is missing, and renders what is known. */
export class LoadSession {
  readonly target: LoadTarget;
  /** The last known state of the store. */
  row: StoreRow;
  /** The state that the worker's session began with. */
  loaded: SessionStart = { known: [], pending: [], run: null, fullHead: 0, invalidated: [] };
  /** True if pages are being fetched, so that the worker's session must stay open. */
  busy = false;
  /** True if the run of the series, in progress or paused, belongs to this session. */
  mine = false;
  readonly #services: LoadServices;
  readonly #open: WorkerSession;
  readonly #emit: EmitLoadEvent;
  #scheduler: RequestScheduler | null = null;
  #opening: Promise<void> = Promise.resolve();
  #stopped = false;
  /** A span to buy again once that is approved, and all invalidated spans including it. */
  #rebuy: { readonly span: Span; readonly invalidated: readonly Invalidation[] } | null = null;
  #dirty = false;
  /** True if the last rendering has counts that the store has changed since. */
  #outdated = false;
  #rendering: Promise<void> | null = null;
  /** Number of waiting calls of {@link render}. */
  #awaited = 0;
  /** Ends a pause between renderings. */
  #wake: () => void = () => undefined;

  constructor(
    target: LoadTarget,
    row: StoreRow,
    services: LoadServices,
    open: WorkerSession,
    emit: EmitLoadEvent,
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

  /** True if everything is to be bought again, but not approved yet. */
  get rebuying(): boolean {
    return this.#rebuy !== null;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Stops fetching until {@link start}. */
  stop(): void {
    this.#stopped = true;
    this.#scheduler?.stop();
  }

  start(): void {
    this.#stopped = false;
  }

  /** Reopens as if a span were invalidated; null: in the stored state. */
  async previewRebuy(span: Span | null): Promise<void> {
    const { invalidated } = this.loaded;
    if (!span && !this.#rebuy) return;
    const highest = Math.max(0, ...invalidated.map(({ generation }) => generation));
    this.#rebuy = span && { span, invalidated: invalidate(invalidated, [span], highest + 1) };
    await this.reopen();
  }

  /** Notes that the preview of {@link previewRebuy} was approved. */
  async approveRebuy(): Promise<void> {
    if (!this.#rebuy) return;
    await this.#services.store.invalidateSeries(this.series, [this.#rebuy.span]);
    this.#rebuy = null;
  }

  /** The times for which the source has data, by its last report. */
  get covered(): Span[] {
    const { coverage = this.target.need.source.coverage } = this.row;
    return coveredSpans(coverage);
  }

  /** The row of the series in the cache. */
  get series(): SeriesRow {
    const { key, need } = this.target;
    const { source, query } = need;
    const usedAt = this.#services.client.now();
    const { id, store } = source;
    return { key, source: id, store, query, usedAt, fullHead: 0, invalidated: [] };
  }

  /**
   * Opens a new session of the worker, because an aborted load may still write to the previous one.
   *
   * @param paid - Number of pages that this run has already fetched.
   */
  async reopen(paid = 0): Promise<void> {
    const opening = this.#opening.then(() => this.#load(paid));
    this.#opening = opening.catch(() => undefined);
    await opening;
  }

  /** Reads and renders what another tab wrote, unless this one is fetching pages. */
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
      invalidated: this.row.invalidated,
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
    this.loaded = loaded;
    const { row, covered } = this;
    this.#scheduler = new RequestScheduler(
      { ...this.target, session, loaded, knownBy, store: row, covered },
      this.#services,
      (event) => this.#on(event, paid),
      this.#scheduler,
    );
    if (this.#stopped) this.#scheduler.stop();
    if (before === null) return;
    // Only then: a rendering in progress reads the earlier session.
    void Promise.allSettled([this.#rendering])
      .then(() => store.close(before))
      .catch(() => undefined);
  }

  #on(event: LoadEvent, paid: number): void {
    if (this.target.signal.aborted) return;
    if (event.kind === 'page') {
      // Old counts stay until all new ones are there: a mixture of both never was the number of anything.
      if (this.#outdated) return;
      this.#dirty = true;
      // If rendering fails, it fails again and is reported when the run ends.
      void this.#rendered().catch(() => undefined);
    } else if (event.kind === 'short-page') {
      const { pages } = event.store;
      this.row = { ...this.row, ...(pages && { pages }) };
    } else if (event.kind === 'progress') {
      this.#emit({ ...event, done: paid + event.done, total: paid + event.total });
    } else this.#emit(event);
  }

  /** Renders what is known. Calls during a rendering share the next one. */
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

  /** Renders what is known now. */
  async rendering(): Promise<Rendered> {
    const { session, reach, failures } = this.scheduler;
    const failed = failures.map(({ span }) => span);
    const { edges, cut, basis } = this.target.view;
    const { covered } = this;
    const request = { edges, cut, basis, reach, covered, failed };
    return await this.#services.store.render(session, request);
  }

  async #rendered(): Promise<void> {
    this.#rendering ??= this.#renderAll().finally(() => {
      this.#rendering = null;
    });
    await this.#rendering;
  }

  /** Gives the page time for other work, in proportion to the last rendering, unless a caller waits for the next. */
  async #pause(): Promise<void> {
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve));
    const busyMs = performance.now() - start;
    if (this.#awaited > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, PAUSE_FACTOR * busyMs);
    });
  }

  async #renderAll(): Promise<void> {
    const { signal, view } = this.target;
    while (this.#dirty && !signal.aborted) {
      this.#dirty = false;
      const rendered = await this.rendering();
      if (signal.aborted) return;
      this.#outdated = rendered.outdated;
      this.#emit({ kind: 'rendered', rendered });
      if (view.edges.size >= MANY_BUCKETS && this.#awaited === 0) await this.#pause();
    }
  }
}
