import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import { UNCERTAIN } from '#contract/platform.ts';
import { restOf } from '#core/counts/empty-pages.ts';
import type { EmptyPolicy } from '#core/counts/empty-pages.ts';
import { headOf } from '#core/counts/head.ts';
import { bucketCount } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { usd } from '#core/counts/price.ts';
import type { StoreRow, Sum } from '#app/counts/cache/records.ts';
import { storeKey } from '#app/counts/cache/records.ts';
import { NotAgreed, refusedPage, stuckPages } from './faults.ts';
import type { PageResult, Knowledge } from '#app/counts/worker/messages.ts';
import { shortest } from '#app/counts/source-policy.ts';
import type { PageAsk, SendingContext } from './counts-request.ts';
import { CountsRequests } from './counts-request.ts';

export interface PagingContext extends SendingContext {
  /** Of what is bought now: the highest to which a span of the series was raised. */
  readonly generation: number;
  /** Buckets of the longest page to be expected; null: as long as pages may be. */
  readonly pageBuckets: number | null;
  /** Whether an earlier part of the look asked the source's own end. */
  readonly headAsked: boolean;
  onArrival(): void;
  /** Told of a page that was shorter than any before. */
  onShort(row: StoreRow): void;
}

/** A page to be asked again, after a wait. */
export interface Again {
  readonly page: PageAsk;
  readonly afterMs: number;
}

/** Asks pages to their end: once more where one is refused, the rest where one is short, empty ones held back. */
export class Paginator {
  readonly sending: CountsRequests;
  readonly #c: PagingContext;
  /** Empty answers that wait to be believed, by the first ask, and the price of each ask of it. */
  readonly #held = new Map<string, { span: Span; readonly prices: Map<string, number> }>();
  readonly #reasked = new Set<string>();
  /** Pages of this run. */
  readonly #earlier: Span[] = [];
  known: Knowledge;
  /** Of the shortest page that came; null: as long as pages may be. */
  pageBuckets: number | null;
  /** Whether the source's own end was asked. */
  headAsked: boolean;

  constructor(context: PagingContext, known: Knowledge) {
    this.#c = context;
    this.sending = new CountsRequests(context);
    this.known = known;
    this.pageBuckets = context.pageBuckets;
    this.headAsked = context.headAsked;
  }

  /** Spans of the empty answers that wait. */
  get held(): Span[] {
    return [...this.#held.values()].map(({ span }) => span);
  }

  /** Answers that wait and were paid for: they are noted as bought when they are believed. */
  get unnoted(): Sum {
    const prices = [...this.#held.values()].flatMap((held) => [...held.prices.values()]);
    const paid = prices.filter((price) => price > 0);
    return { requests: paid.length, money: usd(paid.reduce((sum, price) => sum + price, 0)) };
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
   * @throws {NotAgreed} where it takes more requests than the allowance has.
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
  async #believed(page: PageAsk, signal: AbortSignal): Promise<PageResult> {
    const accepted = await this.#page(page, signal);
    if (accepted.kind !== 'refused') return accepted;
    const { restraint } = this.#c;
    if (restraint.wrong(page)) throw await this.#noted(page, refusedPage(accepted.faults));
    const id = this.sending.newId();
    const second: PageAsk = { ...page, id, purpose: 'again', buy: 'instead' };
    const again = await this.#page(second, signal);
    if (again.kind !== 'refused') return again;
    restraint.wrong(page);
    throw await this.#noted(second, refusedPage(again.faults));
  }

  async #page(page: PageAsk, signal: AbortSignal): Promise<PageResult> {
    const earlier = this.#earlier.filter(({ start }) => start !== page.start);
    try {
      const accepted = await this.sending.page(page, earlier, signal);
      if (!accepted) throw new RangeError('expected a page that may be bought, got none');
      this.known = accepted.known;
      return accepted;
    } catch (error) {
      const { terms } = this.#c.policy;
      if (error instanceof NotAgreed) {
        // The token that was paid for is lost: asking from the start again would pay for it again.
        if (page.followed) throw await this.#noted(page, error.fault ?? stuckPages(page.start));
        // Nothing of it is under way: what is left is planned again, under an id of its own.
        await this.#c.keeper.dropAsk(page.id);
        throw error;
      }
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

  #arrived(page: PageAsk, { told, kind, price }: PageResult, span: Span): void {
    if (told) this.#earlier.push(told);
    if (page.end === null) this.headAsked = true;
    if (kind !== 'empty') return;
    const held = this.#held.get(page.first) ?? { span, prices: new Map<string, number>() };
    held.span = told ?? span;
    held.prices.set(page.id, price);
    this.#held.set(page.first, held);
  }

  /** What an answer that promises more, or was had by a token, leaves to be asked. */
  async #left(page: PageAsk, span: Span, { told, token }: PageResult): Promise<PageAsk[]> {
    const { source, keeper, client, policy } = this.#c;
    const { followed, granularity } = page;
    const left = restOf(span, told, followed);
    if (left.kind === 'stuck') throw await this.#noted(page, stuckPages(page.start));
    const next = (bounds: { start: number; end: number | null }): PageAsk =>
      this.newPage(page.endpoint, bounds);
    if (left.kind === 'token') return [{ ...next(page), token, followed: true }];
    if (told && !followed && left.spans.length > 0) {
      const buckets = bucketCount(told.start, told.end, granularity);
      const now = client.now(source.id);
      const key = storeKey(source.id, source.store);
      const row = await keeper.shorten(key, granularity, buckets, now);
      this.pageBuckets = shortest(row, granularity, now);
      this.#c.onShort(row);
      // What is left is planned again, within what was agreed to.
      if (policy.terms) return [];
    }
    return left.spans.map((rest) => ({ ...next(rest), token: followed ? token : null, followed }));
  }
}
