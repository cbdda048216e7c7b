import type { Wait } from '#app/api/client.ts';
import { endpointsFor } from '#contract/counts/platform-terms.ts';
import { Fault } from '#contract/fault.ts';
import { Allowance } from '#core/counts/allowance.ts';
import { CircuitBreaker } from '#core/counts/circuit-breaker.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { freshness, reachOf } from '#core/counts/head.ts';
import { pagesOf, requestCount } from '#core/counts/price.ts';
import { daysToAsk } from '#core/counts/plan.ts';
import {
  boundsToSend,
  busyIn,
  heldToTake,
  longestReach,
  pageLength,
  planRequests,
  windowSpan,
  type Endpoints,
  type PlannedRequest,
  type RequestNeed,
} from '#core/counts/requests.ts';
import { asFineAs, ceilTo, floorTo, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, intersect, union, without, type Span } from '#core/time/span.ts';
import {
  CACHE_FULL,
  type PendingRequest,
  type Purpose,
  type RequestSum,
} from '#app/counts/cache/records.ts';
import { NotApproved, REFUSED_PAGE, refusedPage, stuckPages } from './faults.ts';
import type { EmitLoadEvent, FetchRequest, LoadServices, PageRequest } from './load-request.ts';
import { Paginator, type Repeat } from './paginator.ts';
import type { Known } from '#core/counts/known-counts.ts';
import { dayOf, type DayWindow } from '#core/counts/day-windows.ts';

export interface Failure {
  readonly span: Span;
  readonly fault: Fault;
}

/** A correction of the clock by more than this means that it was wrong, not just truncated to seconds. */
const CLOCK_MS = 5_000;

/** Decides what a session requests next, in parallel, and when to stop. Plans again before every send. */
export class RequestScheduler {
  readonly #request: FetchRequest;
  readonly #services: LoadServices;
  readonly #emit: EmitLoadEvent;
  readonly #paginator: Paginator;
  readonly #breaker: CircuitBreaker;
  readonly #controller = new AbortController();
  readonly #inFlight = new Map<string, { span: Span; promise: Promise<void> }>();
  readonly #repeats: Repeat[] = [];
  /** Requests of earlier sessions that have no answer. */
  readonly #unanswered: readonly PendingRequest[];
  #stopping = false;
  /** True if the approval did not suffice for everything. */
  #exhausted = false;
  #done = 0;
  readonly failures: Failure[] = [];

  /** @param earlier - The previous scheduler of the same session. */
  constructor(
    request: FetchRequest,
    services: LoadServices,
    emit: EmitLoadEvent,
    earlier: RequestScheduler | null,
  ) {
    this.#request = request;
    this.#services = services;
    this.#emit = emit;
    this.#breaker = earlier ? earlier.#breaker : new CircuitBreaker();
    const headRequested = earlier ? earlier.#paginator.headRequested : false;
    this.#paginator = new Paginator(request, services, this.#breaker, emit, headRequested);
    const { pending } = request.loaded;
    this.#unanswered = pending.filter(({ failed }) => failed === null);
    for (const ask of pending) {
      const { failed } = ask;
      if (!failed) continue;
      const fault = new Fault(failed.status, failed);
      this.failures.push({ span: this.#paginator.spanOf(ask), fault });
    }
  }

  /** Number of the worker's session. */
  get session(): number {
    return this.#request.session;
  }

  /** The known spans at the granularity of the requests, ascending. */
  get known(): readonly Known[] {
    const { knownBy, bought } = this.#request;
    return this.#paginator.known[asFineAs(knownBy).indexOf(bought)] ?? [];
  }

  /** The newest revision of the store that an answer named. */
  get revision(): number {
    return this.#paginator.revision;
  }

  /** Paid answers that do not count as bought yet. */
  get unnoted(): RequestSum {
    return this.#paginator.unnoted;
  }

  /** The span that can be requested now. */
  get reach(): Span {
    return reachOf(this.#endpoint(), this.#now(), this.#request.bought);
  }

  /** The input for plans. */
  need(): RequestNeed {
    const { bought: granularity, need, view, loaded } = this.#request;
    const { source, policy } = need;
    const { known, pageBuckets, headRequested } = this.#paginator;
    const now = this.#now();
    const settleNow = this.#services.client.settleNow(source.id);
    const { settleMs, terms } = policy;
    const freshMs = headRequested ? Infinity : this.#freshMs();
    const covered = this.#covered();
    return {
      look: { view: view.span, reach: covered.span, now, settleNow, known, freshMs, settleMs },
      granularity,
      endpoints: this.#endpoints(),
      prices: terms?.prices ?? { recent: 0, all: 0 },
      ...pageLength(pageBuckets, granularity),
      ...busyIn([...this.#busySpans(), ...covered.gaps]),
      fullHeadToday: terms === null || loaded.fullHead === dayOf(now),
    };
  }

  /** The requests still to be sent, newest first. */
  plan(): PlannedRequest[] {
    return planRequests(this.need());
  }

  /** Ends {@link fetchAll}. The service finishes what is in flight, and {@link recover} fetches it later. */
  stop(): void {
    this.#stopping = true;
    this.#controller.abort(new Error('stopped'));
  }

  /** Fetches the answers to requests of earlier sessions, as far as the service has them. Buys nothing. */
  async recover(): Promise<void> {
    const { signal } = this.#request;
    for (const { series: _, at: __, failed: ___, ...ask } of this.#unanswered) {
      if (await this.#paginator.fetchHeld({ ...ask, buy: 'no' }, signal)) continue;
      await this.#services.store.dropRequest(ask.id);
    }
  }

  /** Fetches the needed pages that the service already has. Buys nothing. @returns Their number. */
  async fetchHeld(): Promise<number> {
    const { bought, signal } = this.#request;
    const paginator = this.#paginator;
    const finer: Granularity[] = bought === 'hour' ? ['hour', 'minute'] : [bought];
    let fetched = 0;
    for (const granularity of finer) {
      const { look, busy } = this.need();
      const days = daysToAsk(look).filter((day) => !busy.has(day) && !this.#isInvalidated(day));
      if (days.length === 0) return fetched;
      const held = await paginator.heldPages(granularity, signal);
      for (const { endpoint, start, end } of heldToTake(days, held)) {
        const page = { ...paginator.newPage(endpoint, { start, end }), granularity };
        if (await paginator.fetchHeld(page, signal)) fetched += 1;
      }
    }
    return fetched;
  }

  /** Pages to request once more before their empty answers are accepted. */
  get repeats(): readonly PageRequest[] {
    return this.#repeats.map(({ page }) => page);
  }

  /** Judges the empty pages of {@link fetchHeld}. */
  async judgeHeld(): Promise<void> {
    await this.#judge(this.plan());
  }

  /**
   * Buys known spans once more and compares. Sends one request per window, even if no answer comes.
   *
   * @throws {Fault} as {@link fetchAll}, for the first that fails.
   */
  async compare(windows: readonly DayWindow[], purpose: Purpose): Promise<void> {
    const { signal } = this.#request;
    const paginator = this.#paginator;
    const total = windows.length;
    paginator.allowance = new Allowance(total);
    for (const [done, window] of windows.entries()) {
      if (this.#stopping) return;
      this.#emit({ kind: 'progress', done, total });
      const page = paginator.newPage(this.#endpoint(), windowSpan(window));
      const sent = { ...page, purpose, buy: 'again' } as const;
      const result = await paginator.send(sent, [], signal).catch((error: unknown) => {
        throw error instanceof NotApproved && error.fault ? error.fault : error;
      });
      if (result?.kind === 'refused') throw refusedPage(result.faults);
      this.#emit({ kind: 'page' });
    }
    this.#emit({ kind: 'progress', done: total, total });
  }

  /**
   * Fetches until nothing remains, it is stopped, or the approval is used up.
   *
   * @param approved - Maximum number of requests to send, for any purpose.
   * @returns Whether nothing remains to be fetched.
   * @throws {Fault} if the source refuses or cannot be reached, or the cache fails. A failure that concerns only one
   *   window is added to {@link failures} instead, and the others continue.
   * @throws {StoreMoved} as {@link Paginator.send}.
   * @throws The signal's reason when aborted.
   */
  async fetchAll(approved = Infinity): Promise<boolean> {
    const { signal, need } = this.#request;
    const allowance = new Allowance(approved);
    this.#paginator.allowance = allowance;
    const stop = (): void => this.#controller.abort(signal.reason);
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#stopping) return false;
        const requests = this.plan();
        this.#reportProgress(pagesOf(requestCount(requests)));
        const room = this.#inFlight.size < need.policy.parallel;
        const allowed = allowance.remaining > 0 && !this.#exhausted;
        if (room && allowed && this.#sendNext(requests)) continue;
        if (this.#inFlight.size > 0) {
          await Promise.race([...this.#inFlight.values()].map(({ promise }) => promise));
        } else if (!(await this.#judge(requests))) {
          const nothing = requests.length + this.#repeats.length === 0;
          return !this.#exhausted && (allowed || nothing);
        } else if (!allowed) return false;
      }
    } catch (error) {
      // Requests in flight when the cache becomes full are still read, and stay in memory.
      const full = error instanceof Fault && error.body.type === CACHE_FULL;
      if (!full) this.#controller.abort(error);
      await Promise.allSettled([...this.#inFlight.values()].map(({ promise }) => promise));
      signal.throwIfAborted();
      if (!this.#stopping) throw error;
      return false;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #now(): number {
    return this.#services.client.now(this.#request.need.source.id);
  }

  /** Age at which the head is stale. */
  #freshMs(): number {
    const { force, need } = this.#request;
    return force || !need.policy.terms ? 0 : freshness(need.resolution);
  }

  /** The span that can be requested now and has data, and the gaps in it: whole days that the source does not cover. */
  #covered(): { readonly span: Span; readonly gaps: Span[] } {
    const days = this.#request.covered.map(({ start, end }) => ({
      start: floorTo(start, 'day'),
      end: ceilTo(end, 'day'),
    }));
    const { start, end } = this.reach;
    const span = {
      start: Math.max(start, days[0]?.start ?? Infinity),
      end: Math.min(end, days.at(-1)?.end ?? -Infinity),
    };
    return { span, gaps: span.start < span.end ? without([span], union(days)) : [] };
  }

  #endpoints(): Endpoints {
    const { endpoint, policy, query } = this.#request.need;
    return endpoint === 'recent' ? 'recent' : endpointsFor(policy.endpoints, query);
  }

  /** The endpoint with the longest reach. */
  #endpoint(): CountsEndpoint {
    return longestReach(this.#endpoints());
  }

  #isInvalidated(day: number): boolean {
    const at = day * DAY_MS;
    return this.#request.loaded.invalidated.some(({ start, end }) => start <= at && at < end);
  }

  /** True if a request covers days to buy again, for which the service's existing page will not do. */
  #buysAgain({ from, to }: DayWindow): boolean {
    if (this.#request.loaded.invalidated.length === 0) return false;
    const needed = daysToAsk(this.need().look);
    return needed.some((day) => from <= day && day < to && this.#isInvalidated(day));
  }

  /** The spans that are in flight, wait to be judged, or failed. */
  #busySpans(): Span[] {
    return [
      ...[...this.#inFlight.values()].map(({ span }) => span),
      ...this.#paginator.unjudged,
      ...this.failures.map(({ span }) => span),
    ];
  }

  #reportProgress(planned: number): void {
    const total = this.#done + this.#inFlight.size + this.#repeats.length + planned;
    this.#emit({ kind: 'progress', done: this.#done, total });
  }

  /** Sends a repetition, else what the user is viewing, else the newest. @returns False if there is nothing to send. */
  #sendNext(requests: readonly PlannedRequest[]): boolean {
    const repeat = this.#repeats.shift();
    if (repeat) {
      this.#send(repeat.page, repeat.afterMs);
      return true;
    }
    const { bought, need } = this.#request;
    const { pageBuckets } = this.#paginator;
    const focus = need.focus?.() ?? null;
    const inFocus = (window: PlannedRequest): boolean =>
      focus !== null && intersect(focus, windowSpan(window)) !== null;
    const ordered = [
      ...requests.filter(inFocus),
      ...requests.filter((request) => !inFocus(request)),
    ];
    for (const request of ordered) {
      const bounds = boundsToSend(request, this.#now(), bought, pageBuckets);
      if (!bounds) continue;
      if (!this.#breaker.countWindow(request)) throw stuckPages(windowSpan(request).start);
      const page = this.#paginator.newPage(request.endpoint, bounds);
      const instead = this.#buysAgain(request) || this.#breaker.wasRefused(page);
      this.#send({ ...page, buy: instead ? 'instead' : null }, 0);
      return true;
    }
    return false;
  }

  #send(page: PageRequest, afterMs: number): void {
    const span = this.#paginator.spanOf(page);
    const { client } = this.#services;
    const { id } = this.#request.need.source;
    const skew = client.clockSkew(id);
    const promise = this.#fetch(page, afterMs)
      .catch((error: unknown) => {
        if (error instanceof NotApproved) {
          this.#exhausted = true;
          return;
        }
        // Refused because our clock was wrong and the bounds lay in the future. The refusal has corrected the clock.
        const corrected = Math.abs(client.clockSkew(id) - skew) > CLOCK_MS;
        if (corrected && error instanceof Fault && error.status === 400) return;
        this.#fail(span, page, error);
      })
      .then(() => {
        this.#inFlight.delete(page.id);
        this.#done += 1;
      });
    // The loop may be waiting for another promise when this one rejects.
    promise.catch(() => undefined);
    this.#inFlight.set(page.id, { span, promise });
  }

  async #fetch(page: PageRequest, afterMs: number): Promise<void> {
    const { signal } = this.#controller;
    if (afterMs > 0) {
      const onWait = (wait: Wait | null): void =>
        this.#emit({ kind: 'waiting', id: page.id, wait });
      await this.#services.client.pause(afterMs, 'confirm', { signal, onWait });
    }
    await this.#paginator.fetch(page, signal);
    this.#breaker.succeeded();
    await this.#judge(this.plan());
  }

  /** Notes a failure that concerns only one window; throws any other. */
  #fail(span: Span, page: PageRequest, error: unknown): void {
    this.#controller.signal.throwIfAborted();
    if (!(error instanceof Fault)) throw error;
    const { status } = error;
    if (status < 500 && status !== 429 && status !== 200) throw error;
    this.#paginator.forget(page.first);
    this.failures.push({ span, fault: error });
    this.#emit({ kind: 'page' });
    const refused = this.#request.need.policy.terms && error.body.type === REFUSED_PAGE;
    if (refused && this.#breaker.failed()) throw error;
  }

  /** Judges the waiting empty answers. @returns Whether that leaves something to do. */
  async #judge(planned: readonly DayWindow[]): Promise<boolean> {
    const inFlight = [...this.#inFlight.values()].map(({ span }) => span);
    const pending = [...inFlight, ...planned.map(windowSpan)];
    const { empty } = this.#request.need.policy;
    const { accepted, again } = await this.#paginator.judge(pending, empty);
    // A failed repetition is not sent again automatically.
    const open = again.filter(
      ({ page }) =>
        !this.failures.some(({ span }) => intersect(span, this.#paginator.spanOf(page))),
    );
    this.#repeats.push(...open);
    return accepted > 0 || open.length > 0;
  }
}
