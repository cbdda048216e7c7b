import type { Client, Wait } from '#app/api/client.ts';
import { freshness } from '#core/counts/head.ts';
import type { Invalidation } from '#core/counts/ledger.ts';
import { invalidate } from '#core/counts/ledger.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { RequestScheduler } from './scheduler.ts';
import type { SeriesRow, StoreRow, Tally } from '#app/counts/cache/records.ts';
import type { SourceChanges } from '#app/counts/source-changes.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import type { Rendered, Loaded, LoadRequest } from '#app/counts/worker/messages.ts';
import { coveredSpan, shortest } from '#app/counts/source-policy.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Need, View } from '#app/counts/bucket-layout.ts';

export interface LookingDeps {
  readonly keeper: StoreClient;
  readonly client: Client;
  readonly changes: SourceChanges;
  /** In `[0, 1)`. */
  readonly random: () => number;
}

/** Who is told of what a look does; of one that was called off nothing is told. */
export interface LoadListener {
  onProgress(progress: { done: number; total: number }): void;
  onSend(): void;
  onWait(id: string, wait: Wait | null): void;
  onBought(bought: Tally): void;
  onDrawn(drawn: Rendered): void;
}

/** What a look is of. */
export interface LookedAt {
  readonly need: Need;
  readonly view: View;
  readonly key: string;
  /** Granularity that is asked. */
  readonly bought: Granularity;
  /** Whether the head is asked though it is fresh. */
  readonly force: boolean;
  /** Whether everything of the look is bought again. */
  readonly again: boolean;
  /** Whether nothing is asked at all. */
  readonly only?: boolean;
  /** Whether it is only priced: the cache then notes no use of the series. */
  readonly quote?: boolean;
  readonly signal: AbortSignal;
}

/** The desk that a run has open now; null before the first. */
export interface Seat {
  desk: number | null;
}

/** So many buckets take the page a moment to show: as pages come in they are not drawn one by one. */
const LONG = 200_000;
/** The rest after a drawing, in times of what that took the page. */
const REST = 6;

/** Number of the last desk opened. */
let desks = 0;

/** One look at one series: its desk, what is asked at it, and how it is drawn. */
export class LoadSession {
  readonly of: LookedAt;
  /** What is known of the store. */
  row: StoreRow;
  /** What the desk began with. */
  opened: Loaded = { known: [], asks: [], run: null, fullHead: 0, raised: [] };
  readonly #deps: LookingDeps;
  readonly #seat: Seat;
  readonly #watcher: LoadListener;
  #asking: RequestScheduler | null = null;
  readonly #restraint = new CircuitBreaker();
  #opening: Promise<void> = Promise.resolve();
  /** Whether pages are asked at the desk, which then must not be put away. */
  busy = false;
  /** Whether what is under way of the series, or paused, is this look's. */
  mine = false;
  #stopped = false;
  /** Spans to be bought again once that is agreed to, and the whole list with them. */
  #toRaise: { readonly span: Span; readonly raised: readonly Invalidation[] } | null = null;
  #dirty = false;
  #drawing: Promise<void> | null = null;
  /** Drawings that somebody waits for. */
  #awaited = 0;
  /** Ends a rest. */
  #wake: () => void = () => undefined;

  constructor(of: LookedAt, row: StoreRow, deps: LookingDeps, seat: Seat, watcher: LoadListener) {
    this.of = of;
    this.row = row;
    this.#deps = deps;
    this.#seat = seat;
    this.#watcher = watcher;
  }

  /** @throws {RangeError} before {@link reopen}. */
  get asking(): RequestScheduler {
    if (!this.#asking) throw new RangeError('expected an open desk, got none');
    return this.#asking;
  }

  /** Whether everything is to be bought again, and that is not agreed to yet. */
  get raising(): boolean {
    return this.#toRaise !== null;
  }

  /** Whether asking was called off for now. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Has nothing more asked by this look, now and after whatever it waits for. */
  stop(): void {
    this.#stopped = true;
    this.#asking?.stop();
  }

  /** Has asking begin again after {@link stop}. */
  start(): void {
    this.#stopped = false;
  }

  /** Looks as if a span were bought again, or, with null, as it is. */
  async raiseIfAgreed(span: Span | null): Promise<void> {
    const { raised } = this.opened;
    if (!span && !this.#toRaise) return;
    const highest = Math.max(0, ...raised.map(({ generation }) => generation));
    this.#toRaise = span && { span, raised: invalidate(raised, [span], highest + 1) };
    await this.reopen();
  }

  /** Notes that what {@link raiseIfAgreed} showed was agreed to. */
  async invalidate(): Promise<void> {
    if (!this.#toRaise) return;
    await this.#deps.keeper.raiseSeries(this.series, [this.#toRaise.span]);
    this.#toRaise = null;
  }

  /** The time of which the source has data, as last heard of. */
  get covered(): Span {
    const { coverage = this.of.need.source.coverage } = this.row;
    return coveredSpan(coverage);
  }

  /** What the cache notes of the series. */
  get series(): SeriesRow {
    const { key, need } = this.of;
    const { source, query } = need;
    const usedAt = this.#deps.client.now();
    const { id, store } = source;
    return { key, source: id, store, query, usedAt, fullHead: 0, raised: [] };
  }

  /**
   * Opens a desk in place of the one before, so that a look called off cannot touch this one's.
   *
   * @param paid - Pages that this run had asked before.
   */
  async reopen(paid = 0): Promise<void> {
    const opening = this.#opening.then(() => this.#open(paid));
    this.#opening = opening.catch(() => undefined);
    await opening;
  }

  /** Reads and draws what another tab wrote, unless pages are asked here. */
  async reread(): Promise<void> {
    const opening = this.#opening.then(() => (this.busy ? undefined : this.#open(0)));
    this.#opening = opening.catch(() => undefined);
    await opening;
    await this.draw();
  }

  async #open(paid: number): Promise<void> {
    const { keeper, client, changes, random } = this.#deps;
    const { need, view, key, bought, force, quote = false, signal } = this.of;
    const { source, endpoint, query, policy, resolution } = need;
    desks += 1;
    const desk = desks;
    const before = this.#seat.desk;
    const told = need.minutes && policy.terms ? 'minute' : view.granularity;
    const opening: LoadRequest = {
      series: this.series,
      granularity: view.granularity,
      told,
      span: view.span,
      raised: this.row.raised,
      raisedIfAgreed: this.#toRaise?.raised ?? null,
      settleMs: policy.settleMs,
      before,
      quote,
      continues: this.#asking !== null,
    };
    const opened = await keeper.open(desk, opening);
    if (signal.aborted) await keeper.close(desk);
    signal.throwIfAborted();
    this.#seat.desk = desk;
    if (before !== null) await keeper.close(before);
    this.opened = opened;
    const { raised } = opened;
    const generation = Math.max(0, ...raised.map((one) => one.generation));
    const unlessOver =
      <A extends unknown[]>(tell: (...args: A) => void) =>
      (...args: A): void => {
        if (!signal.aborted) tell(...args);
      };
    const watcher = this.#watcher;
    const earlier = this.#asking;
    this.#asking = new RequestScheduler(
      {
        desk,
        series: key,
        source,
        endpoint,
        query,
        granularity: bought,
        told,
        span: view.span,
        covered: this.covered,
        policy,
        store: this.row,
        knows: (point) => changes.knows(source, point),
        pageBuckets: shortest(this.row, bought, client.now(source.id)),
        headAsked: earlier?.headAsked ?? false,
        restraint: this.#restraint,
        keeper,
        client,
        random,
        signal,
        raised,
        generation,
        focus: need.focus ?? (() => null),
        freshMs: force || !policy.terms ? 0 : freshness(resolution),
        onProgress: unlessOver((done: number, total: number) =>
          watcher.onProgress({ done: paid + done, total: paid + total }),
        ),
        onSend: unlessOver(() => watcher.onSend()),
        onWait: unlessOver((id: string, wait: Wait | null) => watcher.onWait(id, wait)),
        onBought: unlessOver((bought: Tally) => watcher.onBought(bought)),
        onShort: unlessOver(({ pages }: StoreRow) => {
          this.row = { ...this.row, ...(pages && { pages }) };
        }),
        onArrival: unlessOver(() => {
          this.#dirty = true;
          // A failure to draw shows again when the run ends.
          void this.#drawn().catch(() => undefined);
        }),
      },
      opened,
    );
    if (this.#stopped) this.#asking.stop();
  }

  /** Draws what the keeper has; calls while it draws are answered by one more drawing. */
  async draw(): Promise<void> {
    this.#dirty = true;
    this.#awaited += 1;
    this.#wake();
    try {
      await this.#drawn();
    } finally {
      this.#awaited -= 1;
    }
    this.of.signal.throwIfAborted();
  }

  async #drawn(): Promise<void> {
    this.#drawing ??= this.#drawAll().finally(() => {
      this.#drawing = null;
    });
    await this.#drawing;
  }

  /** Leaves the page some time for other things, more after what kept it busy for longer, unless a drawing is waited for. */
  async #rest(): Promise<void> {
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve));
    const took = performance.now() - start;
    if (this.#awaited > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, REST * took);
    });
  }

  async #drawAll(): Promise<void> {
    const { signal, view } = this.of;
    while (this.#dirty && !signal.aborted) {
      this.#dirty = false;
      const { desk, reach, failures } = this.asking;
      const failed = failures.map(({ span }) => span);
      const { edges, cut, basis } = view;
      const { covered } = this;
      const drawing = { edges, cut, basis, reach, covered, failed };
      const drawn = await this.#deps.keeper.draw(desk, drawing);
      if (signal.aborted) return;
      this.#watcher.onDrawn(drawn);
      if (edges.size >= LONG && this.#awaited === 0) await this.#rest();
    }
  }
}
