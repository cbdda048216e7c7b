import type { Client, Wait } from '#app/api/client.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import { SOURCE_PREFIX, STORE_ID_HEADER, STORE_REVISION_HEADER } from '#contract/source.ts';
import { restOf } from '#core/counts/doubt.ts';
import { boundsOf, headOf, lengthenHead, reachOf } from '#core/counts/head.ts';
import type { Look, Window } from '#core/counts/plan.ts';
import { dayOf, daysToAsk, neverAsked, planWindows } from '#core/counts/plan.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS } from '#core/time/span.ts';
import { CACHE_FULL, storeKey } from './cache-port.ts';
import { StoreMoved, refusedPage, stuckPages } from './faults.ts';
import type { Accepted, Keeping, Knowledge } from './keeper-port.ts';
import type { Policy } from './policy.ts';

/** What is asked, of whom, and who is told. */
export interface AskingContext {
  readonly desk: number;
  readonly source: SourceInfo;
  readonly endpoint: CountsEndpoint;
  readonly query: string;
  readonly granularity: Granularity;
  readonly span: Span;
  /** Age at which the head is stale. */
  readonly freshMs: number;
  readonly policy: Policy;
  readonly pageDays: number;
  readonly keeper: Keeping;
  readonly client: Client;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told after every send, arrival, failure. */
  onProgress(done: number, total: number): void;
  onSend(): void;
  onWait(id: string, wait: Wait | null): void;
  onArrival(): void;
}

interface Ask {
  readonly id: string;
  readonly start: number;
  /** Null: the source's own end. */
  readonly end: number | null;
  /** Wait before sending. */
  readonly afterMs: number;
}

/** Bounds of an ask still to be sent. */
interface Rest {
  readonly start: number;
  readonly end: number | null;
  readonly token: string | null;
  readonly followed: boolean;
}

export interface Failure {
  readonly span: Span;
  readonly fault: Fault;
}

const iso = (instant: number): string => new Date(instant).toISOString().replace('.000Z', 'Z');

/** Asks what a look needs: window by window, planned anew before every send. */
export class Asking {
  readonly #c: AskingContext;
  readonly #controller = new AbortController();
  readonly #flying = new Map<string, { span: Span; promise: Promise<void> }>();
  /** Empty answers that wait to be believed. */
  readonly #held = new Map<string, Span>();
  readonly #reasked = new Set<string>();
  readonly #again: Ask[] = [];
  readonly #earlier: Span[] = [];
  #known: Knowledge;
  #pageDays: number;
  #headAsked = false;
  #asks = 0;
  #done = 0;
  /** What was asked in vain. */
  readonly failures: Failure[] = [];
  /** The newest revision of the store that an answer named. */
  revision = 0;

  constructor(context: AskingContext, known: Knowledge) {
    this.#c = context;
    this.#known = known;
    this.#pageDays = context.pageDays;
  }

  get desk(): number {
    return this.#c.desk;
  }

  /** What can be asked now. */
  get reach(): Span {
    return reachOf(this.#c.endpoint, this.#c.client.now(), this.#c.granularity);
  }

  /** The windows still to be asked, newest first. */
  plan(): Window[] {
    const { endpoint, granularity, span, policy, client } = this.#c;
    const now = client.now();
    const head = headOf(now);
    const reach = reachOf(endpoint, now, granularity);
    const freshMs = this.#headAsked ? Infinity : this.#c.freshMs;
    const { settleMs } = policy;
    const look: Look = { view: span, reach, now, known: this.#known, freshMs, settleMs };
    const busy = this.#busyDays();
    const need = daysToAsk(look).filter((day) => !busy.has(day));
    const fresh = neverAsked(look);
    const windows = planWindows(need, (day) => !busy.has(day) && fresh(day), this.#pageDays);
    const [newest] = windows;
    let first = dayOf(reach.start);
    for (const day of busy) if (newest && day < newest.from) first = Math.max(first, day + 1);
    return lengthenHead(windows, head, granularity, first, this.#pageDays);
  }

  /**
   * Asks until nothing is left to ask.
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
        const windows = this.plan();
        this.#tell(windows.length);
        if (this.#flying.size < this.#c.policy.parallel && this.#sendNext(windows)) continue;
        if (this.#flying.size > 0) {
          await Promise.race([...this.#flying.values()].map(({ promise }) => promise));
        } else if (!(await this.#judge(windows))) return;
      }
    } catch (error) {
      // What is under way when the room runs out is still read and kept in memory.
      const full = error instanceof Fault && error.body.type === CACHE_FULL;
      if (!full) this.#controller.abort(error);
      await Promise.allSettled([...this.#flying.values()].map(({ promise }) => promise));
      throw error;
    } finally {
      this.#c.signal.removeEventListener('abort', stop);
    }
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

  /** Sends a repeated ask, else the newest window; false where there is neither. */
  #sendNext(windows: readonly Window[]): boolean {
    const again = this.#again.shift();
    if (again) {
      this.#fly(again);
      return true;
    }
    const { endpoint, granularity, client } = this.#c;
    const now = client.now();
    for (const window of windows) {
      const bounds = boundsOf(window, reachOf(endpoint, now, granularity), headOf(now));
      if (!bounds) continue;
      this.#asks += 1;
      this.#fly({ id: `${this.#c.desk}.${this.#asks}`, ...bounds, afterMs: 0 });
      return true;
    }
    return false;
  }

  #fly(ask: Ask): void {
    const end = ask.end ?? headOf(this.#c.client.now()).end;
    const span = { start: ask.start, end };
    const promise = this.#ask(ask)
      .catch((error: unknown) => this.#fail(span, ask.id, error))
      .then(() => {
        this.#flying.delete(ask.id);
        this.#done += 1;
      });
    // The loop may be waiting for another one when this one fails.
    promise.catch(() => undefined);
    this.#flying.set(ask.id, { span, promise });
  }

  /** Notes a failure that concerns one window; throws any other. */
  #fail(span: Span, id: string, error: unknown): void {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    if (!(error instanceof Fault)) throw error;
    const { status } = error;
    if (status < 500 && status !== 429 && status !== 200) throw error;
    this.#held.delete(id);
    this.failures.push({ span, fault: error });
    this.#c.onArrival();
  }

  async #ask(ask: Ask): Promise<void> {
    const { signal } = this.#controller;
    if (ask.afterMs > 0) await this.#c.client.sleep(ask.afterMs, signal);
    const todo: Rest[] = [{ start: ask.start, end: ask.end, token: null, followed: false }];
    for (let part = 0; todo.length > 0; part += 1) {
      const rest = todo.pop() as Rest;
      const id = part === 0 ? ask.id : `${ask.id}/${part}`;
      let accepted = await this.#page(id, rest);
      if (accepted.kind === 'refused') accepted = await this.#page(id, rest);
      if (accepted.kind === 'refused') throw refusedPage(accepted.faults);
      const { told } = accepted;
      const end = rest.end ?? told?.end ?? headOf(this.#c.client.now()).end;
      if (told) this.#earlier.push(told);
      if (rest.end === null) this.#headAsked = true;
      if (accepted.kind === 'empty') this.#held.set(id, told ?? { start: rest.start, end });
      else this.#held.delete(id);
      if (accepted.token !== null || rest.followed) {
        todo.push(...(await this.#left(rest, end, accepted)));
      }
      this.#c.onArrival();
    }
    await this.#judge(this.plan());
  }

  /** What an answer that promises more, or was had by a token, leaves to be asked. */
  async #left(rest: Rest, end: number, accepted: Accepted): Promise<Rest[]> {
    const { told, token } = accepted;
    const { source, keeper } = this.#c;
    const left = restOf({ start: rest.start, end }, told, rest.followed);
    if (left.kind === 'stuck') throw stuckPages(rest.start);
    if (left.kind === 'token') return [{ ...rest, token, followed: true }];
    if (told && !rest.followed) {
      const days = Math.max(1, Math.floor((told.end - told.start) / DAY_MS));
      const row = await keeper.shorten(storeKey(source.id, source.store), days);
      this.#pageDays = row.pageDays;
    }
    const { followed } = rest;
    return left.spans.map((span) => ({ ...span, token: followed ? token : null, followed }));
  }

  async #page(id: string, rest: Rest): Promise<Accepted> {
    const { desk, source, endpoint, client, keeper, random } = this.#c;
    const { signal } = this.#controller;
    const answer = await client.get(this.#path(rest), {
      signal,
      onSend: () => this.#c.onSend(),
      onWait: (wait) => this.#c.onWait(id, wait),
    });
    const store = answer.headers.get(STORE_ID_HEADER);
    const revision = Number(answer.headers.get(STORE_REVISION_HEADER) ?? 0);
    if (store !== null && store !== source.store) throw new StoreMoved(store, revision);
    this.revision = Math.max(this.revision, revision);
    const accepted = await keeper.accept(desk, {
      ask: id,
      receipt: `${answer.date.toString(36)}-${Math.floor(random() * 2 ** 48).toString(36)}`,
      endpoint,
      start: rest.start,
      end: rest.end,
      body: answer.body,
      date: answer.date,
      generation: revision,
      followed: rest.followed,
      earlier: this.#earlier.filter(({ start }) => start !== rest.start),
    });
    this.#known = accepted.known;
    return accepted;
  }

  #path(rest: Rest): string {
    const { source, endpoint, query, granularity } = this.#c;
    const search = new URLSearchParams({ query, granularity, start_time: iso(rest.start) });
    if (rest.end !== null) search.set('end_time', iso(rest.end));
    if (rest.token !== null) search.set('next_token', rest.token);
    return `${SOURCE_PREFIX[source.id]}/2/tweets/counts/${endpoint}?${search.toString()}`;
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
    for (const { ask, start, end, afterMs } of again) {
      if (this.#reasked.has(ask)) continue;
      this.#reasked.add(ask);
      this.#again.push({ id: ask, start, end, afterMs });
      more = true;
    }
    return more;
  }
}
