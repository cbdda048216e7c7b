import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import { UNCERTAIN } from '#contract/platform.ts';
import { restOf } from '#core/counts/doubt.ts';
import type { EmptyPolicy } from '#core/counts/doubt.ts';
import { headOf } from '#core/counts/head.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { StoreRow } from './cache-port.ts';
import { storeKey } from './cache-port.ts';
import { refusedPage, stuckPages } from './faults.ts';
import type { Accepted, Knowledge } from './keeper-port.ts';
import type { PageAsk, SendingContext } from './sending.ts';
import { Sending } from './sending.ts';

export interface PagingContext extends SendingContext {
  /** Of what is bought now: the highest to which a span of the series was raised. */
  readonly generation: number;
  readonly pageDays: number;
  onArrival(): void;
  /** Told of a page that was shorter than any before, in whole days. */
  onShort(row: StoreRow): void;
}

/** A page to be asked again, after a wait. */
export interface Again {
  readonly page: PageAsk;
  readonly afterMs: number;
}

/** Asks pages to their end: once more where one is refused, the rest where one is short, empty ones held back. */
export class Paging {
  readonly sending: Sending;
  readonly #c: PagingContext;
  /** Empty answers that wait to be believed, by the first ask. */
  readonly #held = new Map<string, Span>();
  readonly #reasked = new Set<string>();
  /** Pages of this run. */
  readonly #earlier: Span[] = [];
  known: Knowledge;
  /** Whole days of the shortest page that came. */
  pageDays: number;
  /** Whether the source's own end was asked. */
  headAsked = false;

  constructor(context: PagingContext, known: Knowledge) {
    this.#c = context;
    this.sending = new Sending(context);
    this.known = known;
    this.pageDays = context.pageDays;
  }

  /** Spans of the empty answers that wait. */
  get held(): Iterable<Span> {
    return this.#held.values();
  }

  /** Lets go of an empty answer whose asking came to nothing. */
  forget(first: string): void {
    this.#held.delete(first);
  }

  newPage(endpoint: CountsEndpoint, bounds: { start: number; end: number | null }): PageAsk {
    const { granularity, query, generation } = this.#c;
    const { start, end } = bounds;
    const id = this.sending.newId();
    const asked = { endpoint, start, end, granularity, query, generation };
    return {
      id,
      first: id,
      purpose: 'count',
      ...asked,
      token: null,
      followed: false,
      buy: null,
    };
  }

  spanOf({ start, end }: Pick<PageAsk, 'start' | 'end'>): Span {
    return { start, end: end ?? this.#headEnd() };
  }

  /**
   * Asks a page and what it leaves to be asked.
   *
   * @throws {Fault} where it cannot be had; `REFUSED_PAGE` where it failed its check twice, `STUCK_PAGES`
   *   where it promises more and does not give it.
   */
  async ask(first: PageAsk, signal: AbortSignal): Promise<void> {
    const todo: PageAsk[] = [first];
    for (let page = todo.pop(); page; page = todo.pop()) {
      const accepted = await this.#believed(page, signal);
      const { told, token, kind } = accepted;
      const span = { start: page.start, end: page.end ?? told?.end ?? this.#headEnd() };
      this.#arrived(page, accepted, span);
      if (token !== null || page.followed) todo.push(...(await this.#left(page, span, accepted)));
      if (kind !== 'empty') this.#held.delete(page.first);
      this.#c.onArrival();
    }
  }

  /**
   * Takes a page if it costs nothing.
   *
   * @returns Whether it was given.
   */
  async take(page: PageAsk, signal: AbortSignal): Promise<boolean> {
    const accepted = await this.sending.page({ ...page, buy: 'no' }, [], signal);
    if (!accepted) return false;
    this.known = accepted.known;
    if (accepted.kind === 'refused') return true;
    if (accepted.kind !== 'empty') this.#held.delete(page.first);
    this.#arrived(page, accepted, accepted.told ?? this.spanOf(page));
    this.#c.onArrival();
    return true;
  }

  /**
   * Has the empty answers judged that wait.
   *
   * @param pending - Spans whose answers are still to come.
   * @returns How many were believed, and what is to be asked again.
   */
  async judge(
    pending: readonly Span[],
    policy: EmptyPolicy,
  ): Promise<{ believed: number; again: Again[] }> {
    if (this.#held.size === 0) return { believed: 0, again: [] };
    const { desk, keeper } = this.#c;
    const judged = await keeper.judge(desk, pending, policy);
    this.known = judged.known;
    this.#c.onBought(judged.bought);
    for (const id of judged.believed) this.#held.delete(id);
    if (judged.believed.length > 0) this.#c.onArrival();
    const again: Again[] = [];
    for (const { ask, endpoint, start, end, afterMs } of judged.again) {
      if (this.#reasked.has(ask)) continue;
      this.#reasked.add(ask);
      const page = this.newPage(endpoint, { start, end });
      again.push({ page: { ...page, first: ask, purpose: 'again', buy: 'instead' }, afterMs });
    }
    return { believed: judged.believed.length, again };
  }

  #headEnd(): number {
    const { client, source } = this.#c;
    return headOf(client.now(source.id)).end;
  }

  /** An answer that passed its check, at the second try at the latest. */
  async #believed(page: PageAsk, signal: AbortSignal): Promise<Accepted> {
    const accepted = await this.#page(page, signal);
    if (accepted.kind !== 'refused') return accepted;
    const id = this.sending.newId();
    const second: PageAsk = { ...page, id, purpose: 'again', buy: 'instead' };
    const again = await this.#page(second, signal);
    if (again.kind !== 'refused') return again;
    throw await this.#noted(second, refusedPage(again.faults));
  }

  async #page(page: PageAsk, signal: AbortSignal): Promise<Accepted> {
    const earlier = this.#earlier.filter(({ start }) => start !== page.start);
    try {
      const accepted = await this.sending.page(page, earlier, signal);
      if (!accepted) throw new RangeError('expected a page that may be bought, got none');
      this.known = accepted.known;
      return accepted;
    } catch (error) {
      const { terms } = this.#c.policy;
      if (!(error instanceof Fault) || error.status < 400 || !terms) throw error;
      // A token dies with the answer that named it, which may have been bought long ago.
      if (page.followed && error.status === 400) {
        throw await this.#noted(page, stuckPages(page.start));
      }
      if (error.body[UNCERTAIN] === true) throw await this.#noted(page, error);
      // Refused before it cost anything; after a lost answer the service may still have it.
      await this.#c.keeper.dropAsk(page.id);
      throw error;
    }
  }

  /** Notes a failure that was paid for, so that it is not paid again by itself. */
  async #noted(page: PageAsk, fault: Fault): Promise<Fault> {
    if (this.#c.policy.terms) await this.sending.fail(page, fault);
    return fault;
  }

  #arrived(page: PageAsk, { told, kind }: Accepted, span: Span): void {
    if (told) this.#earlier.push(told);
    if (page.end === null) this.headAsked = true;
    if (kind === 'empty') this.#held.set(page.first, told ?? span);
  }

  /** What an answer that promises more, or was had by a token, leaves to be asked. */
  async #left(page: PageAsk, span: Span, { told, token }: Accepted): Promise<PageAsk[]> {
    const { source, keeper, client } = this.#c;
    const { followed } = page;
    const left = restOf(span, told, followed);
    if (left.kind === 'stuck') throw await this.#noted(page, stuckPages(page.start));
    const next = (bounds: { start: number; end: number | null }): PageAsk =>
      this.newPage(page.endpoint, bounds);
    if (left.kind === 'token') return [{ ...next(page), token, followed: true }];
    if (told && !followed && left.spans.length > 0) {
      const days = Math.max(1, Math.floor((told.end - told.start) / DAY_MS));
      const now = client.now(source.id);
      const row = await keeper.shorten(storeKey(source.id, source.store), days, now);
      this.pageDays = row.pageDays;
      this.#c.onShort(row);
      // What is left of whole days is planned anew, within what was agreed to.
      if (this.#c.policy.terms && told.end - told.start >= DAY_MS) return [];
    }
    return left.spans.map((rest) => ({ ...next(rest), token: followed ? token : null, followed }));
  }
}
