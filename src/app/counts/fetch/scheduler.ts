import type { Wait } from '#app/api/client.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { queryLength, queryLengthLimit } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import { boundsOf, headOf, HEAD_MARGIN_MS, reachOf } from '#core/counts/head.ts';
import type { Bounds } from '#core/counts/head.ts';
import type { Known, Invalidation } from '#core/counts/ledger.ts';
import type { DayWindow } from '#core/counts/plan.ts';
import { dayOf, daysToAsk } from '#core/counts/plan.ts';
import type { Endpoints, PlannedRequest, RequestNeed } from '#core/counts/requests.ts';
import { heldToTake, newestPage, planRequests } from '#core/counts/requests.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS, GRANULARITIES, ceilTo, floorTo } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS, PAGE_DAYS, intersect } from '#core/time/span.ts';
import { Allowance } from './allowance.ts';
import type { Ask, Purpose, Sum } from '#app/counts/cache/records.ts';
import { CACHE_FULL } from '#app/counts/cache/records.ts';
import { NotAgreed, refusedPage } from './faults.ts';
import type { Loaded } from '#app/counts/worker/messages.ts';
import type { Again, PagingContext } from './paginator.ts';
import { Paginator } from './paginator.ts';
import type { PageAsk } from './counts-request.ts';

export interface AskingContext extends PagingContext {
  readonly endpoint: CountsEndpoint;
  readonly span: Span;
  /** The time of which the source has data. */
  readonly covered: Span;
  /** The coarsest granularity that counts as known. */
  readonly told: Granularity;
  /** What is looked at now and asked first; null where that is everything. */
  readonly focus: () => Span | null;
  /** Age at which the head is stale. */
  readonly freshMs: number;
  readonly signal: AbortSignal;
  /** Spans that are bought again. */
  readonly raised: readonly Invalidation[];
  /** Told after every send, arrival, failure. */
  onProgress(done: number, total: number): void;
}

export interface Failure {
  readonly span: Span;
  readonly fault: Fault;
}

/** A clock that is corrected by more than this was wrong, not only unknown to the second. */
const CLOCK_MS = 5_000;

const windowSpan = ({ from, to, part }: DayWindow & { readonly part?: Span }): Span =>
  part ?? { start: from * DAY_MS, end: to * DAY_MS };

/** How many requests there are to send. */
const countOf = (requests: readonly PlannedRequest[]): number =>
  requests.reduce((sum, { requests: n = 1 }) => sum + n, 0);

/** The UTC days that spans touch, in days since 1970. */
function daysIn(spans: readonly Span[]): Set<number> {
  const days = new Set<number>();
  for (const { start, end } of spans) {
    for (let day = dayOf(start); day <= dayOf(end - 1); day += 1) days.add(day);
  }
  return days;
}

/** Asks what a look needs: window by window, planned anew before every send. */
export class RequestScheduler {
  readonly #c: AskingContext;
  readonly #paging: Paginator;
  readonly #controller = new AbortController();
  readonly #flying = new Map<string, { span: Span; promise: Promise<void> }>();
  readonly #again: Again[] = [];
  readonly #open: readonly Ask[];
  readonly #fullHead: number;
  #stopping = false;
  /** Whether something was not sent because no more was agreed to. */
  #usedUp = false;
  #done = 0;
  /** What was asked in vain. */
  readonly failures: Failure[] = [];

  constructor(context: AskingContext, { known, asks, fullHead }: Loaded) {
    this.#c = context;
    this.#paging = new Paginator(context, known);
    this.#fullHead = fullHead;
    this.#open = asks.filter(({ failed }) => failed === null);
    for (const ask of asks) {
      const { failed } = ask;
      if (!failed) continue;
      const fault = new Fault(failed.status, failed);
      this.failures.push({ span: this.#paging.spanOf(ask), fault });
    }
  }

  get desk(): number {
    return this.#c.desk;
  }

  /** What is known at the granularity that is asked, ascending. */
  get owned(): readonly Known[] {
    const finer = GRANULARITIES.filter((one) => BUCKET_MS[one] <= BUCKET_MS[this.#c.told]);
    return this.#paging.known[finer.indexOf(this.#c.granularity)] ?? [];
  }

  /** The newest revision of the store that an answer named. */
  get revision(): number {
    return this.#paging.sending.revision;
  }

  /** Whether the source's own end was asked. */
  get headAsked(): boolean {
    return this.#paging.headAsked;
  }

  /** Answers that were paid for and are not noted as bought yet. */
  get unnoted(): Sum {
    return this.#paging.unnoted;
  }

  /** What can be asked now. */
  get reach(): Span {
    const endpoint = this.#endpoints() === 'recent' ? 'recent' : 'all';
    return reachOf(endpoint, this.#now(), this.#c.granularity);
  }

  /** What is needed, for plans. */
  need(): RequestNeed {
    const { granularity, span: view, policy, freshMs } = this.#c;
    const { known, pageBuckets, headAsked } = this.#paging;
    const now = this.#now();
    const settleNow = this.#c.client.settleNow(this.#c.source.id);
    const { settleMs, terms } = policy;
    const stale = headAsked ? Infinity : freshMs;
    const busySpans = this.#busySpans();
    const pageMs = (pageBuckets ?? Infinity) * BUCKET_MS[granularity];
    return {
      look: { view, reach: this.#telling, now, settleNow, known, freshMs: stale, settleMs },
      granularity,
      endpoints: this.#endpoints(),
      prices: terms?.prices ?? { recent: 0, all: 0 },
      pageDays: Math.max(1, Math.min(PAGE_DAYS, Math.floor(pageMs / DAY_MS))),
      pageBuckets: pageMs < DAY_MS ? pageBuckets : null,
      busy: daysIn(busySpans),
      busySpans,
      fullHeadToday: terms === null || this.#fullHead === dayOf(now),
    };
  }

  /** What can be asked now and tells anything: the whole days of what the source covers. */
  get #telling(): Span {
    const { start, end } = this.reach;
    const { covered } = this.#c;
    return {
      start: Math.max(start, floorTo(covered.start, 'day')),
      end: Math.min(end, ceilTo(covered.end, 'day')),
    };
  }

  /** The requests still to be sent, newest first. */
  plan(): PlannedRequest[] {
    return planRequests(this.need());
  }

  /** Ends {@link all}: what is under way is finished by the service, which gives it to {@link recover}. */
  stop(): void {
    this.#stopping = true;
    this.#controller.abort(new Error('stopped'));
  }

  /** Has what earlier runs began answered, as far as the service has it: nothing is bought. */
  async recover(): Promise<void> {
    const { signal, keeper } = this.#c;
    for (const { series: _, at: __, failed: ___, ...ask } of this.#open) {
      if (await this.#paging.take({ ...ask, buy: 'no' }, signal)) continue;
      await keeper.dropAsk(ask.id);
    }
  }

  /**
   * Takes the pages that the service holds of what is needed.
   *
   * @returns How many there were.
   */
  async takeHeld(): Promise<number> {
    const { granularity, signal } = this.#c;
    const paging = this.#paging;
    const finer: Granularity[] = granularity === 'hour' ? ['hour', 'minute'] : [granularity];
    let taken = 0;
    for (const one of finer) {
      const { look, busy } = this.need();
      const days = daysToAsk(look).filter((day) => !busy.has(day) && !this.#isRaised(day));
      if (days.length === 0) return taken;
      const held = await paging.sending.held(one, signal);
      for (const { endpoint, start, end } of heldToTake(days, held)) {
        const page = { ...paging.newPage(endpoint, { start, end }), granularity: one };
        if (await paging.take(page, signal)) taken += 1;
      }
    }
    return taken;
  }

  /** Pages that are to be asked once more before what they said is believed. */
  get doubted(): readonly PageAsk[] {
    return this.#again.map(({ page }) => page);
  }

  /** Has the empty pages judged that were given. */
  async judgeGiven(): Promise<void> {
    await this.#judge(this.plan());
  }

  /**
   * Buys spans that are owned once more, and compares.
   *
   * No more is sent than there are windows, whether an answer comes or not.
   *
   * @throws {Fault} as {@link all}, at the first that fails.
   */
  async compare(windows: readonly DayWindow[], purpose: Purpose): Promise<void> {
    const { signal, onProgress, onArrival } = this.#c;
    const endpoint = this.#endpoints() === 'recent' ? 'recent' : 'all';
    const { sending } = this.#paging;
    sending.allowance = new Allowance(windows.length);
    for (const [i, window] of windows.entries()) {
      if (this.#stopping) return;
      onProgress(i, windows.length);
      const page = this.#paging.newPage(endpoint, windowSpan(window));
      const sent = { ...page, purpose, buy: 'again' } as const;
      const accepted = await sending.page(sent, [], signal).catch((error: unknown) => {
        throw error instanceof NotAgreed && error.fault ? error.fault : error;
      });
      if (accepted?.kind === 'refused') throw refusedPage(accepted.faults);
      onArrival();
    }
    onProgress(windows.length, windows.length);
  }

  /**
   * Asks until nothing is left to ask, it is stopped, or what was agreed to is used up.
   *
   * @param agreed - Requests: no more are sent, whatever they are for.
   * @returns Whether nothing is left to ask.
   * @throws {Fault} where the source refuses, cannot be reached, or the cache fails. A window that fails for
   *   itself is among {@link failures} instead, and the others go on.
   * @throws {StoreMoved} The signal's reason when aborted.
   */
  async all(agreed = Infinity): Promise<boolean> {
    const { signal, policy } = this.#c;
    const { sending } = this.#paging;
    sending.allowance = new Allowance(agreed);
    const stop = (): void => this.#controller.abort(signal.reason);
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#stopping) return false;
        const requests = this.plan();
        this.#tell(countOf(requests));
        const room = this.#flying.size < policy.parallel;
        const allowed = sending.allowance.left > 0 && !this.#usedUp;
        if (room && allowed && this.#sendNext(requests)) continue;
        if (this.#flying.size > 0) {
          await Promise.race([...this.#flying.values()].map(({ promise }) => promise));
        } else if (!(await this.#judge(requests))) {
          const nothing = requests.length + this.#again.length === 0;
          return !this.#usedUp && (allowed || nothing);
        } else if (!allowed) return false;
      }
    } catch (error) {
      // What is under way when the room runs out is still read and kept in memory.
      const full = error instanceof Fault && error.body.type === CACHE_FULL;
      if (!full) this.#controller.abort(error);
      await Promise.allSettled([...this.#flying.values()].map(({ promise }) => promise));
      signal.throwIfAborted();
      if (!this.#stopping) throw error;
      return false;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #now(): number {
    return this.#c.client.now(this.#c.source.id);
  }

  #endpoints(): Endpoints {
    const { endpoint, policy, query } = this.#c;
    if (endpoint === 'recent' || policy.endpoints === 'recent') return 'recent';
    const short = queryLength(query) <= queryLengthLimit('recent', 'enterprise');
    return policy.endpoints === 'both' && !short ? 'all' : policy.endpoints;
  }

  #isRaised(day: number): boolean {
    const at = day * DAY_MS;
    return this.#c.raised.some(({ start, end }) => start <= at && at < end);
  }

  /** Whether a request needs days that are bought again: then what the service holds does not do. */
  #buysAgain({ from, to }: DayWindow): boolean {
    if (this.#c.raised.length === 0) return false;
    const needed = daysToAsk(this.need().look);
    return needed.some((day) => from <= day && day < to && this.#isRaised(day));
  }

  /** What is under way, waits to be believed, or failed. */
  #busySpans(): Span[] {
    return [
      ...[...this.#flying.values()].map(({ span }) => span),
      ...this.#paging.held,
      ...this.failures.map(({ span }) => span),
    ];
  }

  #tell(planned: number): void {
    const total = this.#done + this.#flying.size + this.#again.length + planned;
    this.#c.onProgress(this.#done, total);
  }

  /** Sends a repeated ask, else what is looked at, else the newest; false where there is nothing. */
  #sendNext(requests: readonly PlannedRequest[]): boolean {
    const again = this.#again.shift();
    if (again) {
      this.#fly(again.page, again.afterMs);
      return true;
    }
    const { focus, restraint } = this.#c;
    const seen = focus();
    const looked = (window: PlannedRequest): boolean =>
      seen !== null && intersect(seen, windowSpan(window)) !== null;
    const ordered = [...requests.filter(looked), ...requests.filter((one) => !looked(one))];
    for (const request of ordered) {
      const bounds = this.#boundsOf(request);
      if (!bounds) continue;
      restraint.count(request);
      const page = this.#paging.newPage(request.endpoint, bounds);
      const instead = this.#buysAgain(request) || restraint.wasWrong(page);
      this.#fly({ ...page, buy: instead ? 'instead' : null }, 0);
      return true;
    }
    return false;
  }

  /** The bounds to send for a request; of one that takes several, for the newest page of it. */
  #boundsOf(request: PlannedRequest): Bounds | null {
    const { granularity } = this.#c;
    const { part, endpoint } = request;
    const now = this.#now();
    const head = headOf(now);
    const reach = reachOf(endpoint, now, granularity);
    const { pageBuckets } = this.#paging;
    if (!part || pageBuckets === null) return boundsOf(request, reach, head);
    const page = newestPage(part, granularity, pageBuckets);
    const start = Math.max(page.start, reach.start);
    const end = page.end > head.end - HEAD_MARGIN_MS ? head.send : page.end;
    return start < (end ?? head.end) ? { start, end } : null;
  }

  #fly(page: PageAsk, afterMs: number): void {
    const span = this.#paging.spanOf(page);
    const { client, source } = this.#c;
    const ahead = client.ahead(source.id);
    const promise = this.#ask(page, afterMs)
      .catch((error: unknown) => {
        if (error instanceof NotAgreed) {
          this.#usedUp = true;
          return;
        }
        // Refused for bounds that lay in the future of a wrong clock, which the refusal has put right.
        const moved = Math.abs(client.ahead(source.id) - ahead) > CLOCK_MS;
        if (moved && error instanceof Fault && error.status === 400) return;
        this.#fail(span, page, error);
      })
      .then(() => {
        this.#flying.delete(page.id);
        this.#done += 1;
      });
    // The loop may be waiting for another one when this one fails.
    promise.catch(() => undefined);
    this.#flying.set(page.id, { span, promise });
  }

  async #ask(page: PageAsk, afterMs: number): Promise<void> {
    const { signal } = this.#controller;
    if (afterMs > 0) {
      const onWait = (wait: Wait | null): void => this.#c.onWait(page.id, wait);
      await this.#c.client.pause(afterMs, 'confirm', { signal, onWait });
    }
    await this.#paging.ask(page, signal);
    this.#c.restraint.believed();
    await this.#judge(this.plan());
  }

  /** Notes a failure that concerns one window; throws any other. */
  #fail(span: Span, page: PageAsk, error: unknown): void {
    this.#controller.signal.throwIfAborted();
    if (!(error instanceof Fault)) throw error;
    const { status } = error;
    if (status < 500 && status !== 429 && status !== 200) throw error;
    this.#paging.forget(page.first);
    this.failures.push({ span, fault: error });
    this.#c.onArrival();
    if (this.#c.policy.terms && this.#c.restraint.failed(error)) throw error;
  }

  /** Has the empty answers judged that wait; true where that leaves something to do. */
  async #judge(planned: readonly DayWindow[]): Promise<boolean> {
    const flying = [...this.#flying.values()].map(({ span }) => span);
    const pending = [...flying, ...planned.map(windowSpan)];
    const { believed, again } = await this.#paging.judge(pending, this.#c.policy.empty);
    // What failed when it was asked again is not asked again by itself.
    const open = again.filter(
      ({ page }) => !this.failures.some(({ span }) => intersect(span, this.#paging.spanOf(page))),
    );
    this.#again.push(...open);
    return believed > 0 || open.length > 0;
  }
}
