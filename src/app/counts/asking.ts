import type { Wait } from '#app/api/client.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { queryLengthLimit } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import { NOT_HELD } from '#contract/platform.ts';
import { restOf } from '#core/counts/doubt.ts';
import { boundsOf, headOf, reachOf } from '#core/counts/head.ts';
import type { Window } from '#core/counts/plan.ts';
import { dayOf, daysToAsk } from '#core/counts/plan.ts';
import type { Endpoints, PlannedRequest, RequestNeed } from '#core/counts/requests.ts';
import { heldToTake, planRequests } from '#core/counts/requests.ts';
import type { Known } from '#core/counts/ledger.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS, GRANULARITIES } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS, intersect } from '#core/time/span.ts';
import type { Ask, Purpose } from './cache-port.ts';
import { CACHE_FULL, storeKey } from './cache-port.ts';
import { refusedPage, stuckPages } from './faults.ts';
import type { Accepted, Knowledge, Opened } from './keeper-port.ts';
import type { PageAsk, SendingContext } from './sending.ts';
import { Sending } from './sending.ts';

export interface AskingContext extends SendingContext {
  readonly endpoint: CountsEndpoint;
  readonly span: Span;
  /** The coarsest granularity that counts as known. */
  readonly told: Granularity;
  /** What is looked at now and asked first; null where that is everything. */
  readonly focus: () => Span | null;
  /** Age at which the head is stale. */
  readonly freshMs: number;
  readonly pageDays: number;
  readonly signal: AbortSignal;
  /** Told after every send, arrival, failure. */
  onProgress(done: number, total: number): void;
  onArrival(): void;
}

export interface Failure {
  readonly span: Span;
  readonly fault: Fault;
}

/** A page to be asked again, after a wait. */
interface Again {
  readonly page: PageAsk;
  readonly afterMs: number;
}

/** Asks what a look needs: window by window, planned anew before every send. */
export class Asking {
  readonly #c: AskingContext;
  readonly #sending: Sending;
  readonly #controller = new AbortController();
  readonly #flying = new Map<string, { span: Span; promise: Promise<void> }>();
  /** Empty answers that wait to be believed, by the first ask. */
  readonly #held = new Map<string, Span>();
  readonly #reasked = new Set<string>();
  #again: Again[] = [];
  readonly #earlier: Span[] = [];
  readonly #open: readonly Ask[];
  readonly #fullHead: number;
  #known: Knowledge;
  #pageDays: number;
  #headAsked = false;
  #stopping = false;
  #done = 0;
  /** What was asked in vain. */
  readonly failures: Failure[] = [];

  constructor(context: AskingContext, { known, asks, fullHead }: Opened) {
    this.#c = context;
    this.#sending = new Sending(context);
    this.#known = known;
    this.#pageDays = context.pageDays;
    this.#fullHead = fullHead;
    this.#open = asks.filter(({ failed }) => failed === null);
    for (const { failed, start, end } of asks) {
      if (!failed) continue;
      const span = { start, end: end ?? headOf(this.#now()).end };
      this.failures.push({ span, fault: new Fault(failed.status, failed) });
    }
  }

  get desk(): number {
    return this.#c.desk;
  }

  /** What is known at the granularity that is asked, ascending. */
  get owned(): readonly Known[] {
    const finer = GRANULARITIES.filter((one) => BUCKET_MS[one] <= BUCKET_MS[this.#c.told]);
    return this.#known[finer.indexOf(this.#c.granularity)] ?? [];
  }

  /** The newest revision of the store that an answer named. */
  get revision(): number {
    return this.#sending.revision;
  }

  /** What can be asked now. */
  get reach(): Span {
    return reachOf(
      this.#endpoints() === 'recent' ? 'recent' : 'all',
      this.#now(),
      this.#c.granularity,
    );
  }

  /** What is needed, for plans. */
  need(): RequestNeed {
    const { granularity, span, policy, freshMs } = this.#c;
    const now = this.#now();
    const { settleMs, terms } = policy;
    const stale = this.#headAsked ? Infinity : freshMs;
    return {
      look: { view: span, reach: this.reach, now, known: this.#known, freshMs: stale, settleMs },
      granularity,
      endpoints: this.#endpoints(),
      prices: terms?.prices ?? { recent: 0, all: 0 },
      pageDays: this.#pageDays,
      busy: this.#busyDays(),
      fullHeadToday: terms === null || this.#fullHead === dayOf(now),
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

  get stopped(): boolean {
    return this.#stopping;
  }

  /** Has what earlier runs began answered, as far as the service has it: nothing is bought. */
  async recover(): Promise<void> {
    for (const ask of this.#open) {
      const { id, endpoint, start, end, granularity, purpose } = ask;
      const page = { id, first: id, endpoint, start, end, granularity, purpose };
      if (!(await this.#given({ ...page, token: null, followed: false, buy: 'no' }))) {
        await this.#c.keeper.dropAsk(id);
      }
    }
  }

  /**
   * Takes the pages that the service holds of what is needed.
   *
   * @returns How many there were.
   */
  async takeHeld(): Promise<number> {
    const { granularity } = this.#c;
    let taken = 0;
    const finer: Granularity[] = granularity === 'hour' ? ['hour', 'minute'] : [granularity];
    for (const one of finer) {
      const need = this.need();
      const days = daysToAsk(need.look).filter((day) => !need.busy.has(day));
      if (days.length === 0) return taken;
      const held = await this.#sending.held(one, this.#c.signal);
      for (const { endpoint, start, end } of heldToTake(days, held)) {
        const page = { ...this.#newPage(endpoint, { start, end }), granularity: one };
        if (await this.#given({ ...page, buy: 'no' })) taken += 1;
      }
    }
    return taken;
  }

  /** Buys spans that are owned once more, and compares. */
  async compare(
    windows: readonly Window[],
    purpose: Purpose,
    granularity: Granularity,
  ): Promise<void> {
    for (const [i, { from, to }] of windows.entries()) {
      this.#c.onProgress(i, windows.length);
      const page = this.#newPage('all', { start: from * DAY_MS, end: to * DAY_MS });
      const sent = { ...page, granularity, purpose, buy: 'again' } as const;
      const accepted = await this.#sending.page(sent, [], this.#c.signal);
      if (accepted.kind === 'refused') throw refusedPage(accepted.faults);
      this.#c.onArrival();
    }
    this.#c.onProgress(windows.length, windows.length);
  }

  /**
   * Asks until nothing is left to ask, or it is stopped.
   *
   * @throws {Fault} where the source refuses, cannot be reached, or the cache fails. A window that fails for
   *   itself is among {@link failures} instead, and the others go on.
   * @throws {StoreMoved} The signal's reason when aborted.
   */
  async all(): Promise<void> {
    const stop = (): void => this.#controller.abort(this.#c.signal.reason);
    this.#c.signal.addEventListener('abort', stop);
    try {
      for (;;) {
        this.#c.signal.throwIfAborted();
        const requests = this.plan();
        this.#tell(requests.length);
        if (this.#flying.size < this.#c.policy.parallel && this.#sendNext(requests)) continue;
        if (this.#flying.size > 0) {
          await Promise.race([...this.#flying.values()].map(({ promise }) => promise));
        } else if (!(await this.#judge(requests))) return;
        if (this.#stopping) return;
      }
    } catch (error) {
      // What is under way when the room runs out is still read and kept in memory.
      const full = error instanceof Fault && error.body.type === CACHE_FULL;
      if (!full) this.#controller.abort(error);
      await Promise.allSettled([...this.#flying.values()].map(({ promise }) => promise));
      this.#c.signal.throwIfAborted();
      if (!this.#stopping) throw error;
    } finally {
      this.#c.signal.removeEventListener('abort', stop);
    }
  }

  #now(): number {
    return this.#c.client.now(this.#c.source.id);
  }

  #endpoints(): Endpoints {
    const { endpoint, policy, query } = this.#c;
    if (endpoint === 'recent' || policy.endpoints === 'recent') return 'recent';
    const short = [...query].length <= queryLengthLimit('recent', 'enterprise');
    return policy.endpoints === 'both' && !short ? 'all' : policy.endpoints;
  }

  #newPage(endpoint: CountsEndpoint, bounds: { start: number; end: number | null }): PageAsk {
    const { granularity } = this.#c;
    const id = this.#sending.newId();
    const rest = { token: null, followed: false, buy: null } as const;
    return { id, first: id, purpose: 'count', endpoint, ...bounds, granularity, ...rest };
  }

  #busyDays(): Set<number> {
    const days = new Set<number>();
    const spans = [
      ...[...this.#flying.values()].map(({ span }) => span),
      ...this.#held.values(),
      ...this.failures.map(({ span }) => span),
    ];
    for (const { start, end } of spans) {
      for (let day = dayOf(start); day <= dayOf(end - 1); day += 1) days.add(day);
    }
    return days;
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
    const { granularity, focus } = this.#c;
    const now = this.#now();
    const seen = focus();
    const looked = ({ from, to }: Window): boolean =>
      seen !== null && intersect(seen, { start: from * DAY_MS, end: to * DAY_MS }) !== null;
    const ordered = [...requests.filter(looked), ...requests.filter((one) => !looked(one))];
    for (const request of ordered) {
      const reach = reachOf(request.endpoint, now, granularity);
      const bounds = boundsOf(request, reach, headOf(now));
      if (!bounds) continue;
      this.#fly(this.#newPage(request.endpoint, bounds), 0);
      return true;
    }
    return false;
  }

  #fly(page: PageAsk, afterMs: number): void {
    const span = this.#spanOf(page);
    const promise = this.#ask(page, afterMs)
      .catch((error: unknown) => this.#fail(span, page, error))
      .then(() => {
        this.#flying.delete(page.id);
        this.#done += 1;
      });
    // The loop may be waiting for another one when this one fails.
    promise.catch(() => undefined);
    this.#flying.set(page.id, { span, promise });
  }

  #spanOf({ start, end }: Pick<PageAsk, 'start' | 'end'>): Span {
    return { start, end: end ?? headOf(this.#now()).end };
  }

  /** Notes a failure that concerns one window; throws any other. */
  async #fail(span: Span, page: PageAsk, error: unknown): Promise<void> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    if (!(error instanceof Fault)) throw error;
    const { status } = error;
    if (status < 500 && status !== 429 && status !== 200) throw error;
    this.#held.delete(page.first);
    this.failures.push({ span, fault: error });
    this.#c.onArrival();
  }

  /** Asks a page, once more where it is refused, and what it leaves to be asked. */
  async #ask(first: PageAsk, afterMs: number): Promise<void> {
    const { signal } = this.#controller;
    if (afterMs > 0) {
      const onWait = (wait: Wait | null): void => this.#c.onWait(first.id, wait);
      await this.#c.client.pause(afterMs, 'confirm', { signal, onWait });
    }
    const todo: PageAsk[] = [first];
    for (let page = todo.pop(); page; page = todo.pop()) {
      const accepted = await this.#believed(page);
      const { told, token, kind } = accepted;
      const span = { start: page.start, end: page.end ?? told?.end ?? headOf(this.#now()).end };
      this.#arrived(page, accepted, span);
      if (token !== null || page.followed) todo.push(...(await this.#left(page, span, accepted)));
      if (kind !== 'empty') this.#held.delete(page.first);
      this.#c.onArrival();
    }
    await this.#judge(this.plan());
  }

  /** An answer that passed its check, at the second try at the latest. */
  async #believed(page: PageAsk): Promise<Accepted> {
    const accepted = await this.#page(page);
    if (accepted.kind !== 'refused') return accepted;
    const id = this.#sending.newId();
    const second: PageAsk = { ...page, id, first: page.first, purpose: 'again', buy: 'instead' };
    const again = await this.#page(second);
    if (again.kind !== 'refused') return again;
    const fault = refusedPage(again.faults);
    if (this.#c.policy.terms) await this.#sending.fail(second, fault);
    throw fault;
  }

  async #page(page: PageAsk): Promise<Accepted> {
    const { signal } = this.#controller;
    const earlier = this.#earlier.filter(({ start }) => start !== page.start);
    try {
      const accepted = await this.#sending.page(page, earlier, signal);
      this.#known = accepted.known;
      return accepted;
    } catch (error) {
      // Refused before it cost anything; after a lost answer the service may still have it.
      if (error instanceof Fault && error.status >= 400 && this.#c.policy.terms) {
        await this.#c.keeper.dropAsk(page.id);
      }
      throw error;
    }
  }

  /** A page that costs nothing. @returns Whether it was given. */
  async #given(page: PageAsk): Promise<boolean> {
    try {
      const accepted = await this.#sending.page(page, [], this.#c.signal);
      this.#known = accepted.known;
      if (accepted.kind === 'refused') return true;
      this.#arrived(page, accepted, accepted.told ?? this.#spanOf(page));
      this.#c.onArrival();
      return true;
    } catch (error) {
      if (error instanceof Fault && error.body.type === NOT_HELD) return false;
      throw error;
    }
  }

  #arrived(page: PageAsk, { told, kind }: Accepted, span: Span): void {
    if (told) this.#earlier.push(told);
    if (page.end === null) this.#headAsked = true;
    if (kind === 'empty') this.#held.set(page.first, told ?? span);
  }

  /** What an answer that promises more, or was had by a token, leaves to be asked. */
  async #left(page: PageAsk, span: Span, { told, token }: Accepted): Promise<PageAsk[]> {
    const { source, keeper } = this.#c;
    const { followed } = page;
    const left = restOf(span, told, followed);
    if (left.kind === 'stuck') {
      const fault = stuckPages(page.start);
      if (this.#c.policy.terms) await this.#sending.fail(page, fault);
      throw fault;
    }
    const next = (bounds: { start: number; end: number | null }): PageAsk =>
      this.#newPage(page.endpoint, bounds);
    if (left.kind === 'token') return [{ ...next(page), token, followed: true }];
    if (told && !followed) {
      const days = Math.max(1, Math.floor((told.end - told.start) / DAY_MS));
      const row = await keeper.shorten(storeKey(source.id, source.store), days);
      this.#pageDays = row.pageDays;
    }
    return left.spans.map((rest) => ({ ...next(rest), token: followed ? token : null, followed }));
  }

  /** Has the empty answers judged that wait; true where that leaves something to do. */
  async #judge(planned: readonly Window[]): Promise<boolean> {
    if (this.#held.size === 0) return false;
    const { desk, keeper, policy } = this.#c;
    const pending = [
      ...[...this.#flying.values()].map(({ span }) => span),
      ...planned.map(({ from, to }) => ({ start: from * DAY_MS, end: to * DAY_MS })),
    ];
    const { believed, again, known } = await keeper.judge(desk, pending, policy.empty);
    this.#known = known;
    for (const id of believed) this.#held.delete(id);
    if (believed.length > 0) this.#c.onArrival();
    let more = believed.length > 0;
    for (const { ask, endpoint, start, end, afterMs } of again) {
      if (this.#reasked.has(ask)) continue;
      this.#reasked.add(ask);
      const page = this.#newPage(endpoint, { start, end });
      this.#again.push({
        page: { ...page, first: ask, purpose: 'again', buy: 'instead' },
        afterMs,
      });
      more = true;
    }
    return more;
  }
}
