import type { Wait } from '#app/api/client.ts';
import { isAway } from '#app/api/answer-fault.ts';
import { Fault } from '#contract/fault.ts';
import { boughtGranularity } from '#core/counts/requests.ts';
import { datedChangesOf, probeOf, type DatedChange, type Seam } from '#core/counts/seams.ts';
import { RULES_VERSION, format } from '#core/query/format.ts';
import type { Basis } from '#core/series/basis.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { addTallies } from './agreement.ts';
import type { RequestScheduler } from './scheduler.ts';
import {
  seriesKey,
  storeKey,
  type Plan,
  type Purpose,
  type StoreRow,
  type Tally,
} from '#app/counts/cache/records.ts';
import { generationOf } from '#app/counts/cache/store-row.ts';
import { StoreMoved, faultFrom } from './faults.ts';
import { fetchAgain, fetchOwn, type FetchServices } from './free-fetch.ts';
import type { LoadEvent } from './load-request.ts';
import type { Rendered } from '#app/counts/worker/messages.ts';
import { LoadSession, type WorkerSession } from './load-session.ts';
import { OtherTabs } from '#app/counts/other-tabs.svelte.ts';
import { astOf, type Need } from '#app/counts/need.ts';
import { viewOf } from '#core/series/bucket-layout.ts';
import type { Known } from '#core/counts/known-counts.ts';
import type { DayWindow } from '#core/counts/day-windows.ts';

/** The number of times a run reloads because the source's store has changed. */
const ROUNDS = 3;

const NOTHING: Tally = { requests: 0, money: 0, bytes: 0 };

/** The way to load: with the head even if it is fresh, with everything even if it is known. */
interface LoadOptions {
  readonly force: boolean;
  readonly again: boolean;
  /** True to fetch nothing. */
  readonly only?: boolean;
}

type Phase =
  | 'idle'
  | 'reading'
  | 'planned'
  | 'fetching'
  | 'paused'
  | 'done'
  | 'cancelled'
  | 'failed';

/** One series of the board: shows what is known at once, fetches what is missing, and renders again as pages arrive. */
export class SeriesRun {
  phase = $state<Phase>('idle');
  /** In pages of this run. */
  progress = $state.raw({ done: 0, total: 0 });
  /** The longest of the waits. */
  wait = $state.raw<Wait | null>(null);
  /** Set in phase `failed`. */
  fault = $state.raw<Fault | null>(null);
  /** The service cannot be reached; only cached counts are shown. */
  offline = $state(false);
  /** Replaced whole as pages arrive. */
  curve = $state.raw<Curve | null>(null);
  pyramid = $state.raw<Pyramid | null>(null);
  /** The buckets that figures of the whole range are computed from; null if those are the curve's. */
  basis = $state.raw<Basis | null>(null);
  /** Counts requests sent by this run. */
  requests = $state(0);
  /** Of the current or last run; null if nothing was missing or requests cost nothing. */
  plan = $state.raw<Plan | null>(null);
  /** The purchases under the plan, and what else may have been billed in this run. */
  made = $state.raw<Tally>(NOTHING);
  seams = $state.raw<readonly Seam[]>([]);
  /** Dated changes of the platform that affect the query. */
  changes = $state.raw<readonly DatedChange[]>([]);
  upperBounds = $state(false);
  /** True if counts are shown that the store has changed since, other than the newest. */
  outdated = $state(false);
  /** The lead of the platform's clock over the service's, ms; null until the platform has answered this tab. */
  platformSkewMs = $state<number | null>(null);
  /** Key of the series; empty before the first load. */
  key = $state('');
  /** A fetched span to buy again, to compare different indexes of the platform; null if there is none. */
  probeOffer = $state.raw<DayWindow | null>(null);

  readonly #name: () => string;
  readonly #deps: FetchServices;
  readonly #waits = new Map<string, Wait>();
  readonly #open: WorkerSession = { number: null };
  #controller: AbortController | null = null;
  readonly #others: OtherTabs;
  #session: LoadSession | null = null;
  #unsubscribe: (() => void) | null = null;
  #unfollow: (() => void) | null = null;

  /** @param name - Of its plan. */
  constructor(deps: FetchServices, name: () => string = () => '') {
    this.#deps = deps;
    this.#name = name;
    this.#others = new OtherTabs(deps.tabs, {
      key: () => this.key,
      fetching: () => (this.phase === 'fetching' && this.#session?.busy ? this.progress : null),
      onWritten: () => void this.#reread(),
    });
  }

  /** Progress of another tab that is fetching this series. */
  get elsewhere(): { done: number; total: number } | null {
    return this.#others.progress;
  }

  set elsewhere(progress: { done: number; total: number } | null) {
    this.#others.progress = progress;
  }

  /** Shows a need and fetches what is missing. Replaces the load in progress. */
  async ask(need: Need): Promise<void> {
    await this.#begin(need, { force: false, again: false });
  }

  /** As {@link ask}, but also fetches the newest counts even if they are fresh, and what failed before. */
  async refresh(need: Need): Promise<void> {
    await this.#begin(need, { force: true, again: false });
  }

  /** Shows what is stored for a need. Fetches nothing. */
  async peek(need: Need): Promise<void> {
    await this.#begin(need, { force: false, again: false, only: true });
  }

  /**
   * Plans what a need would buy, without fetching or showing anything; null if it costs nothing.
   *
   * @throws {Fault} if the cache cannot be read.
   * @throws The signal's reason when aborted.
   */
  async quote(need: Need, signal: AbortSignal): Promise<Plan | null> {
    const { terms } = need.policy;
    if (!terms) return null;
    const { quotePlan } = await import('./quote.ts');
    signal.throwIfAborted();
    return await quotePlan(need, terms, this.#deps, signal);
  }

  /** Plans to buy everything of the last load again. Once approved, the new counts replace the known ones. */
  async rebuy(): Promise<void> {
    const need = this.#session?.target.need;
    if (this.phase === 'done' && need?.policy.terms) {
      await this.#begin(need, { force: false, again: true });
    }
  }

  /** Buys nothing until {@link resume}, even after a reload. Free fetches are not paused. */
  pause(): void {
    const session = this.#session;
    if (this.phase === 'fetching' && session?.target.need.policy.terms) session.stop();
  }

  /** Continues where {@link pause} stopped. */
  async resume(): Promise<void> {
    const session = this.#session;
    if (this.phase !== 'paused' || !session) return;
    const { key, need, force, signal } = session.target;
    try {
      await this.#deps.store.pauseRun(key, false);
    } catch (error) {
      this.#failed(error, signal);
      return;
    }
    await this.#begin(need, { force, again: false });
  }

  /** Stops fetching. What has arrived stays. */
  cancel(): void {
    if (!['reading', 'planned', 'fetching', 'paused'].includes(this.phase)) return;
    this.#controller?.abort();
    this.phase = 'cancelled';
    this.wait = null;
    const session = this.#session;
    if (!session?.mine) return;
    const { key } = session.target;
    void this.#deps.store.putRun(key, null).catch(() => undefined);
    // Uses the session's key, because a later load may have set another.
    this.#deps.tabs.send({ series: key, progress: null });
  }

  /** Stops, and frees the worker's memory. The run can load again. */
  dispose(): void {
    if (this.phase !== 'paused') this.cancel();
    this.#controller?.abort();
    this.#others.leave();
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.#unfollow?.();
    this.#unfollow = null;
    this.#session = null;
    const { number } = this.#open;
    if (number !== null) void this.#deps.store.close(number).catch(() => undefined);
    this.#open.number = null;
  }

  /** Aborted as soon as another tab reports that it is buying this series. */
  overtaken(): AbortSignal {
    return this.#others.overtaken();
  }

  /** Buys a few random settled spans again and compares them. */
  async audit(windows: number): Promise<void> {
    await this.#compare('audit', async ({ scheduler, target }) => {
      const { auditWindows } = await import('#core/counts/audit.ts');
      const { source, policy } = target.need;
      const { client, random } = this.#deps;
      const now = client.settleNow(source.id);
      return auditWindows(reachable(scheduler), now, policy.settleMs, windows, random);
    });
  }

  /** Buys {@link probeOffer} again, to see whether counts depend on the date of the bucket or of the request. */
  async probe(): Promise<void> {
    const offer = this.probeOffer;
    await this.#compare('probe', () => Promise.resolve(offer ? [offer] : []));
  }

  async #begin(need: Need, options: LoadOptions): Promise<void> {
    this.#others.listen();
    this.#unsubscribe ??= this.#deps.changes.onRestored((key) => this.#onRestored(key));
    this.#unfollow ??= this.#deps.changes.onFollowed((row) => this.#onFollowed(row));
    // Announced first, so that the approval waits for the plan that replaces a withdrawn one.
    const read =
      need.policy.terms && !options.only ? this.#deps.approval.reading() : () => undefined;
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = controller;
    this.phase = 'reading';
    this.progress = { done: 0, total: 0 };
    this.wait = null;
    this.#waits.clear();
    this.fault = null;
    this.requests = 0;
    this.made = NOTHING;
    this.plan = null;
    try {
      await this.#loadAndFetch(need, options, signal, read);
    } catch (error) {
      this.#failed(error, signal);
    } finally {
      read();
    }
  }

  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.wait = null;
    this.fault = faultFrom(error);
    this.offline = isAway(this.fault);
    this.phase = 'failed';
  }

  /** Loads and fetches. Starts again if the source has another store than expected, or was restored from a backup. */
  async #loadAndFetch(
    need: Need,
    options: LoadOptions,
    signal: AbortSignal,
    read: () => void,
  ): Promise<void> {
    let { source } = need;
    for (let round = 1; ; round += 1) {
      try {
        const session = await this.#load({ ...need, source }, options, signal);
        if (options.only) this.phase = 'done';
        else await this.#fetch(session, read);
        return;
      } catch (error) {
        if (!(error instanceof StoreMoved) || round === ROUNDS) throw error;
        source = { ...source, store: error.store, ...error.point };
      }
    }
  }

  /** Shows what is known. */
  async #load(need: Need, options: LoadOptions, signal: AbortSignal): Promise<LoadSession> {
    const { source, policy, minutes } = need;
    const view = viewOf(need);
    const ast = astOf(need);
    const key = seriesKey(source.id, source.store, format(ast), RULES_VERSION);
    if (key !== this.key) {
      this.key = key;
      this.curve = null;
      this.pyramid = null;
      this.basis = null;
      this.outdated = false;
      this.elsewhere = null;
      this.probeOffer = null;
    }
    this.changes = policy.terms ? datedChangesOf(ast) : [];
    if (policy.terms) this.#others.requestProgress();
    const { store, revision, mark } = source;
    const point = { revision, mark };
    const row = await this.#deps.store.storeRow(storeKey(source.id, store), point);
    signal.throwIfAborted();
    const bought = boughtGranularity(view.granularity, policy.terms !== null, minutes);
    const target = { need, view, key, bought, ...options, signal };
    const session = new LoadSession(target, row, this.#deps, this.#open, (event) =>
      this.#on(event, policy.terms !== null),
    );
    await session.reopen();
    this.#session = session;
    await session.render();
    return session;
  }

  async #fetch(session: LoadSession, read: () => void): Promise<void> {
    const { need } = session.target;
    const { terms } = need.policy;
    let over = true;
    if (!terms) await fetchOwn(this, session, this.#deps);
    else {
      const name = this.#name() || need.query;
      const { fetchPriced } = await import('./paid-fetch.ts');
      session.target.signal.throwIfAborted();
      over = await fetchPriced({ run: this, session, terms, deps: this.#deps, name, read });
      this.offline = false;
    }
    await this.#end(session, over);
  }

  async #end(session: LoadSession, over: boolean): Promise<void> {
    await session.render();
    this.wait = null;
    this.elsewhere = null;
    if (!over) return;
    const { scheduler, target } = session;
    const { source, policy } = target.need;
    const now = this.#deps.client.settleNow(source.id);
    this.probeOffer = policy.terms ? probeOf(reachable(scheduler), now, policy.settleMs) : null;
    const [failure] = scheduler.failures;
    if (failure) throw failure.fault;
    this.phase = 'done';
  }

  async #compare(
    purpose: Purpose,
    choose: (session: LoadSession) => Promise<readonly DayWindow[]>,
  ): Promise<void> {
    const session = this.#session;
    if (this.phase !== 'done' || !session) return;
    session.start();
    this.phase = 'fetching';
    try {
      const windows = await choose(session);
      session.target.signal.throwIfAborted();
      if (windows.length === 0) {
        this.phase = 'done';
        return;
      }
      this.made = NOTHING;
      this.plan = null;
      await fetchAgain(session, windows, purpose, this.#deps);
      await this.#end(session, true);
    } catch (error) {
      this.#failed(error, session.target.signal);
    }
  }

  /** Shows what another tab has written, unless this one is fetching. */
  async #reread(): Promise<void> {
    const session = this.#session;
    if (!session || session.busy) return;
    try {
      await session.reread();
    } catch (error) {
      // The next load reads it, or reports the fault.
      if (!(error instanceof Fault) && !session.target.signal.aborted) throw error;
    }
  }

  /** Loads again after all counts of a store were dropped, unless a load is already in progress. */
  #onRestored(key: string): void {
    const session = this.#session;
    if (session?.row.key !== key || !['done', 'failed', 'cancelled'].includes(this.phase)) return;
    const only = this.phase === 'cancelled' || session.target.only === true;
    void this.#begin(session.target.need, { force: false, again: false, only });
  }

  /** Notes that the store has changed what is shown: the board loads it again. */
  #onFollowed(row: StoreRow): void {
    const session = this.#session;
    if (session?.row.key !== row.key) return;
    const { span } = session.target.view;
    const generation = generationOf(session.row, session.row.revision);
    const end = Math.min(span.end, this.#deps.client.now() - HOUR_MS);
    this.outdated ||= row.invalidated.some(
      (invalidation) =>
        invalidation.generation > generation &&
        invalidation.start < end &&
        invalidation.end > span.start,
    );
  }

  #on(event: LoadEvent, priced: boolean): void {
    switch (event.kind) {
      case 'progress': {
        const { done, total } = event;
        this.progress = { done, total };
        if (priced) this.#others.report(this.progress);
        break;
      }
      case 'sent':
        this.requests += 1;
        break;
      case 'waiting':
        this.#noteWait(event.id, event.wait);
        break;
      case 'bought':
        this.made = addTallies(this.made, event.tally);
        break;
      case 'rendered':
        this.show(event.rendered);
        this.platformSkewMs = priced ? this.#deps.client.platformSkewMs : null;
        break;
    }
  }

  show({ curve, pyramid, basis, seams, upperBounds, outdated }: Rendered): void {
    [this.curve, this.pyramid, this.basis] = [curve, pyramid, basis];
    [this.seams, this.upperBounds, this.outdated] = [seams, upperBounds, outdated];
  }

  /** The last load, if it is complete. */
  get loaded(): LoadSession | null {
    return this.phase === 'done' ? this.#session : null;
  }

  /** The last load, if its newest buckets can be counted: it is complete, or shows what is known while it loads for free. */
  get live(): LoadSession | null {
    const session = this.#session;
    if (!session || session.target.signal.aborted) return null;
    const loads = this.phase === 'reading' || this.phase === 'fetching';
    return loads && !session.target.need.policy.terms ? session : this.loaded;
  }

  #noteWait(id: string, wait: Wait | null): void {
    if (wait) this.#waits.set(id, wait);
    else this.#waits.delete(id);
    const all = [...this.#waits.values()];
    this.wait = all.reduce<Wait | null>((a, b) => (a && a.until >= b.until ? a : b), null);
  }
}

/** The members of a run that the board uses. */
export type Run = Readonly<Omit<SeriesRun, 'overtaken' | LiveMember>> &
  Partial<Pick<SeriesRun, LiveMember>>;

/** Runs whose counts never change lack these. */
type LiveMember = 'loaded' | 'live' | 'show';

/** The known spans that can be requested again. */
function reachable({ known, reach }: RequestScheduler): Known[] {
  return known.flatMap((span) =>
    span.to > reach.start ? [{ ...span, from: Math.max(span.from, reach.start) }] : [],
  );
}
