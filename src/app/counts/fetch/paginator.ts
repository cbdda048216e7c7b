import type { Answer, Wait } from '#app/api/client.ts';
import { Fault } from '#contract/fault.ts';
import {
  ASK_HEADER,
  BUY_HEADER,
  PLATFORM,
  PRICE_HEADER,
  UNCERTAIN,
  UNCERTAIN_HEADER,
  VAULT_HEADER,
  heldPagesOf,
} from '#contract/counts/platform.ts';
import {
  SOURCE_PREFIX,
  STORE_ID_HEADER,
  STORE_MARK_HEADER,
  STORE_REVISION_HEADER,
} from '#contract/counts/source.ts';
import { COUNTS_PATH, countsParameters } from '#contract/counts/counts.ts';
import { Allowance } from '#core/counts/allowance.ts';
import type { CircuitBreaker } from '#core/counts/circuit-breaker.ts';
import { restOf, type EmptyPolicy } from '#core/counts/empty-pages.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { headOf } from '#core/counts/head.ts';
import { usd } from '#core/counts/price.ts';
import type { HeldPage } from '#core/counts/requests.ts';
import { indexAt } from '#core/counts/seams.ts';
import { bucketCount, type Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { storeKey, type PendingRequest, type RequestSum } from '#app/counts/cache/records.ts';
import { contradicts, generationOf, samePoint } from '#app/counts/cache/store-row.ts';
import { shortest } from '#app/counts/source-policy.ts';
import type { Knowledge, PageResult } from '#app/counts/worker/messages.ts';
import { NotApproved, StoreMoved, refusedPage, stuckPages } from './faults.ts';
import type { EmitLoadEvent, FetchRequest, LoadServices, PageRequest } from './load-request.ts';

/** A page to request again after a wait. */
export interface Repeat {
  readonly page: PageRequest;
  readonly afterMs: number;
}

/**
 * Fetches a page completely: sends its request, has the answer checked and stored, follows it to further pages, and
 * repeats it if it is rejected. Notes every request that may cost something in the cache before sending it; writing the
 * answer deletes the note.
 */
export class Paginator {
  readonly #request: FetchRequest;
  readonly #services: LoadServices;
  readonly #breaker: CircuitBreaker;
  readonly #emit: EmitLoadEvent;
  /** Of new purchases: the highest generation among the invalidated spans of the series. */
  readonly #generation: number;
  /** By first request: empty answers that wait to be judged, with their prices. */
  readonly #unjudged = new Map<string, { span: Span; readonly prices: Map<string, number> }>();
  readonly #repeated = new Set<string>();
  /** Spans of the pages of this session. */
  readonly #earlier: Span[] = [];
  known: Knowledge;
  /** Of the shortest page so far; null: pages have full length. */
  pageBuckets: number | null;
  /** True if the source's own end was requested. */
  headRequested: boolean;
  /** The newest revision of the store that an answer named. */
  revision = 0;
  /** The requests that may be sent: until an approval, only those that cost nothing. */
  allowance: Allowance;

  /** @param headRequested - Whether an earlier part of the session requested the source's own end. */
  constructor(
    request: FetchRequest,
    services: LoadServices,
    breaker: CircuitBreaker,
    emit: EmitLoadEvent,
    headRequested: boolean,
  ) {
    this.#request = request;
    this.#services = services;
    this.#breaker = breaker;
    this.#emit = emit;
    this.headRequested = headRequested;
    const { need, loaded, store, bought } = request;
    const { source, policy } = need;
    this.#generation = Math.max(0, ...loaded.invalidated.map(({ generation }) => generation));
    this.known = loaded.known;
    this.pageBuckets = shortest(store, bought, services.client.now(source.id));
    this.allowance = new Allowance(policy.terms ? 0 : Infinity);
  }

  /** Spans of the empty answers that wait to be judged. */
  get unjudged(): Span[] {
    return [...this.#unjudged.values()].map(({ span }) => span);
  }

  /** Paid answers that wait to be judged: they count as bought once they are accepted. */
  get unnoted(): RequestSum {
    const prices = [...this.#unjudged.values()].flatMap((empty) => [...empty.prices.values()]);
    const paid = prices.filter((price) => price > 0);
    return { requests: paid.length, money: usd(paid.reduce((sum, price) => sum + price, 0)) };
  }

  /** Drops an empty answer whose repetition failed. */
  forget(first: string): void {
    this.#unjudged.delete(first);
  }

  newPage(endpoint: CountsEndpoint, bounds: { start: number; end: number | null }): PageRequest {
    const { need, bought } = this.#request;
    const id = this.#newId();
    return {
      id,
      first: id,
      purpose: 'count',
      endpoint,
      start: bounds.start,
      end: bounds.end,
      granularity: bought,
      query: need.query,
      generation: this.#generation,
      token: null,
      followed: false,
      buy: null,
    };
  }

  spanOf({ start, end }: Pick<PageRequest, 'start' | 'end'>): Span {
    return { start, end: end ?? this.#headEnd() };
  }

  /**
   * Fetches a page and the pages that follow it.
   *
   * @throws {Fault} if it cannot be fetched: `REFUSED_PAGE` if it failed its check twice, `STUCK_PAGES` if it promises
   *   more pages but does not deliver them.
   * @throws {NotApproved} if it takes more requests than the allowance has.
   */
  async fetch(first: PageRequest, signal: AbortSignal): Promise<void> {
    const todo: PageRequest[] = [first];
    for (let page = todo.pop(); page; page = todo.pop()) {
      const result = await this.#accepted(page, signal);
      const { reported, token, kind } = result;
      const span = { start: page.start, end: page.end ?? reported?.end ?? this.#headEnd() };
      this.#arrived(page, result, span);
      if (token !== null || page.followed) todo.push(...(await this.#rest(page, span, result)));
      if (kind !== 'empty') this.#unjudged.delete(page.first);
      this.#emit({ kind: 'page' });
    }
  }

  /** Fetches a page only if the service already has it. @returns Whether it did. */
  async fetchHeld(page: PageRequest, signal: AbortSignal): Promise<boolean> {
    const result = await this.send({ ...page, buy: 'no' }, [], signal);
    if (!result) return false;
    this.known = result.known;
    if (result.kind === 'refused') return true;
    if (result.kind !== 'empty') this.#unjudged.delete(page.first);
    this.#arrived(page, result, result.reported ?? this.spanOf(page));
    this.#emit({ kind: 'page' });
    return true;
  }

  /**
   * Judges the waiting empty answers.
   *
   * @param pending - Spans whose answers are still to come.
   * @returns The number that were accepted, and what to request again.
   */
  async judge(
    pending: readonly Span[],
    policy: EmptyPolicy,
  ): Promise<{ accepted: number; again: Repeat[] }> {
    if (this.#unjudged.size === 0) return { accepted: 0, again: [] };
    const { store } = this.#services;
    const verdicts = await store.judge(this.#request.session, pending, policy);
    this.known = verdicts.known;
    this.#emit({ kind: 'bought', tally: verdicts.bought });
    for (const id of verdicts.accepted) this.#unjudged.delete(id);
    if (verdicts.accepted.length > 0) this.#emit({ kind: 'page' });
    const again: Repeat[] = [];
    for (const { request, endpoint, start, end, afterMs } of verdicts.again) {
      if (this.#repeated.has(request)) continue;
      this.#repeated.add(request);
      const page = this.newPage(endpoint, { start, end });
      again.push({ page: { ...page, first: request, purpose: 'again', buy: 'instead' }, afterMs });
    }
    return { accepted: verdicts.accepted.length, again };
  }

  /** Settled pages of the query that the service has; none if it does not answer. */
  async heldPages(granularity: Granularity, signal: AbortSignal): Promise<HeldPage[]> {
    const search = new URLSearchParams({ query: this.#request.need.query, granularity });
    const path = `${PLATFORM.held.path}?${search.toString()}`;
    const { client } = this.#services;
    try {
      const answer = await client.json(path, PLATFORM.held.answer, { signal, impatient: true });
      return heldPagesOf(answer);
    } catch (error) {
      signal.throwIfAborted();
      // Without the list, all pages are bought. If the service is away, the request for counts reports it.
      if (error instanceof Fault) return [];
      throw error;
    }
  }

  /**
   * Requests one page and stores its answer.
   *
   * @param earlier - Spans of the session's pages for other bounds.
   * @returns Null if the page must not be bought and the service does not have it.
   * @throws {Fault} as `Client.get`, or of the cache.
   * @throws {NotApproved} if it takes more requests than the {@link allowance} has.
   * @throws {StoreMoved} if the source has another store now.
   */
  async send(
    page: PageRequest,
    earlier: readonly Span[],
    signal: AbortSignal,
  ): Promise<PageResult | null> {
    const { client, store } = this.#services;
    const { id, first, purpose, endpoint, start, end, granularity, followed, buy } = page;
    if (buy !== 'no' && !this.allowance.take()) throw new NotApproved();
    const priced = this.#request.need.policy.terms !== null;
    // A page that costs nothing needs no note: it can simply be requested again.
    if (priced && buy !== 'no') await store.putRequest(this.#row(page));
    signal.throwIfAborted();
    const { headers, body, date, fetched } = await (priced
      ? this.#buy(page, signal)
      : client.get(this.#path(page), { signal, ...this.#reports(id) }));
    if (buy === 'no' && body.byteLength === 0) return null;
    const revision = await this.#confirmed(headers);
    signal.throwIfAborted();
    const bought = headers.get(ASK_HEADER) ?? id;
    const price = bought === id ? this.#priceOf(headers, endpoint) : 0;
    // The answer was bought by another request, perhaps from another browser.
    if (bought !== id && buy !== 'no') this.allowance.release();
    const bytes = Number(headers.get('content-length') ?? NaN) || body.byteLength;
    const ownGeneration = bought === id ? page.generation : 0;
    const result = await store.accept(this.#request.session, {
      request: id,
      receipt: bought,
      first,
      granularity,
      endpoint,
      purpose,
      start,
      end,
      body,
      bytes,
      date,
      fetched,
      generation: priced ? ownGeneration : generationOf(this.#request.store, revision),
      index: priced ? indexAt(fetched) : 0,
      price,
      followed,
      earlier,
    });
    this.#emit({ kind: 'bought', tally: result.bought });
    return result;
  }

  #headEnd(): number {
    return headOf(this.#services.client.now(this.#request.need.source.id)).end;
  }

  /** A permanent id, unique across browsers. */
  #newId(): string {
    const { client, random } = this.#services;
    const suffix = Math.floor(random() * 2 ** 48).toString(36);
    return `${client.now(this.#request.need.source.id).toString(36)}-${suffix}`;
  }

  /** Sends a request until its answer passes the check, twice at most. */
  async #accepted(page: PageRequest, signal: AbortSignal): Promise<PageResult> {
    const result = await this.#page(page, signal);
    if (result.kind !== 'refused') return result;
    if (this.#breaker.countRefused(page)) {
      throw await this.#failed(page, refusedPage(result.faults));
    }
    const second: PageRequest = { ...page, id: this.#newId(), purpose: 'again', buy: 'instead' };
    const again = await this.#page(second, signal);
    if (again.kind !== 'refused') return again;
    this.#breaker.countRefused(page);
    throw await this.#failed(second, refusedPage(again.faults));
  }

  async #page(page: PageRequest, signal: AbortSignal): Promise<PageResult> {
    const { store } = this.#services;
    const earlier = this.#earlier.filter(({ start }) => start !== page.start);
    try {
      const result = await this.send(page, earlier, signal);
      if (!result) throw new RangeError('expected a page that may be bought, got none');
      this.known = result.known;
      return result;
    } catch (error) {
      const { terms } = this.#request.need.policy;
      if (error instanceof NotApproved) {
        // The paid token is lost, and starting again would pay for it again.
        if (page.followed) throw await this.#failed(page, error.fault ?? stuckPages(page.start));
        // Nothing was sent. The rest is planned again under another id.
        await store.dropRequest(page.id);
        throw error;
      }
      if (!(error instanceof Fault) || error.status < 400 || !terms) throw error;
      // A token expires with the answer that named it, which may have been bought long ago.
      if (page.followed && error.status === 400) {
        throw await this.#failed(page, stuckPages(page.start));
      }
      if (error.body[UNCERTAIN] === true) throw await this.#failed(page, error);
      // Refused before it cost anything. After a lost answer, the service may still have the page.
      await store.dropRequest(page.id);
      throw error;
    }
  }

  /** Notes a paid failure, so that no session automatically pays for it again. */
  async #failed(page: PageRequest, fault: Fault): Promise<Fault> {
    if (this.#request.need.policy.terms) {
      const failed = { ...fault.body, status: fault.status };
      await this.#services.store.putRequest({ ...this.#row(page), failed });
    }
    return fault;
  }

  #arrived(page: PageRequest, { reported, kind, price }: PageResult, span: Span): void {
    if (reported) this.#earlier.push(reported);
    if (page.end === null) this.headRequested = true;
    if (kind !== 'empty') return;
    const empty = this.#unjudged.get(page.first) ?? { span, prices: new Map<string, number>() };
    empty.span = reported ?? span;
    empty.prices.set(page.id, price);
    this.#unjudged.set(page.first, empty);
  }

  /** The pages to request after an answer that promises more, or whose request had a token. */
  async #rest(
    page: PageRequest,
    span: Span,
    { reported, token }: PageResult,
  ): Promise<PageRequest[]> {
    const { source, policy } = this.#request.need;
    const { store, client } = this.#services;
    const { followed, granularity } = page;
    const rest = restOf(span, reported, followed);
    if (rest.kind === 'stuck') throw await this.#failed(page, stuckPages(page.start));
    const next = (bounds: { start: number; end: number | null }): PageRequest =>
      this.newPage(page.endpoint, bounds);
    if (rest.kind === 'token') return [{ ...next(page), token, followed: true }];
    if (reported && !followed && rest.spans.length > 0) {
      const buckets = bucketCount(reported.start, reported.end, granularity);
      const now = client.now(source.id);
      const key = storeKey(source.id, source.store);
      const row = await store.notePageLength(key, granularity, buckets, now);
      this.pageBuckets = shortest(row, granularity, now);
      this.#emit({ kind: 'short-page', store: row });
      // The rest is planned again, within the approval.
      if (policy.terms) return [];
    }
    return rest.spans.map((bounds) => ({
      ...next(bounds),
      token: followed ? token : null,
      followed,
    }));
  }

  /**
   * The revision of an answer; 0 for the platform.
   *
   * @throws {StoreMoved} if the answer comes from neither the known state of the store nor a later one.
   */
  async #confirmed(headers: Headers): Promise<number> {
    const { need, store: row } = this.#request;
    const { source, policy } = need;
    const store = headers.get(STORE_ID_HEADER);
    const revision = Number(headers.get(STORE_REVISION_HEADER) ?? 0);
    const point = { revision, mark: headers.get(STORE_MARK_HEADER) ?? undefined };
    if (store !== null && store !== source.store) throw new StoreMoved(store, point);
    if (!policy.reportsChanges || samePoint(row, point)) return revision;
    if (contradicts(row, point) || !(await this.#services.changes.knows(source, point))) {
      throw new StoreMoved(source.store, point);
    }
    this.revision = Math.max(this.revision, revision);
    return revision;
  }

  #reports(id: string) {
    return {
      onSend: () => this.#emit({ kind: 'sent' }),
      onWait: (wait: Wait | null) => this.#emit({ kind: 'waiting', id, wait }),
    };
  }

  /**
   * Sends a request, and repeats it while the {@link allowance} lasts. A request without a complete answer may have
   * been billed: it is noted, and sending it again counts as another request. The service receives the number of noted
   * requests, so that it repeats none without this page's knowledge.
   */
  async #buy(page: PageRequest, signal: AbortSignal): Promise<Answer> {
    const { id, buy } = page;
    let known = 0;
    const headers: Record<string, string> = {
      [ASK_HEADER]: id,
      [UNCERTAIN_HEADER]: '0',
      ...(buy && { [BUY_HEADER]: buy }),
    };
    const note = async (times: number): Promise<void> => {
      if (!(times > known)) return;
      await this.#noteUncertain(page, times);
      known = times;
      headers[UNCERTAIN_HEADER] = String(times);
    };
    try {
      const answer = await this.#services.client.get(this.#path(page), {
        signal,
        headers,
        ...this.#reports(id),
        onUncertain: async (fault) => {
          const times = Number(fault.headers[UNCERTAIN_HEADER]);
          // It was another browser's request, whose answer this one would have shared.
          if (times <= known) return;
          await note(times);
          if (this.#breaker.countLost(page)) throw fault;
          if (buy !== 'no' && !this.allowance.take()) throw new NotApproved(fault);
        },
      });
      await note(Number(answer.headers.get(UNCERTAIN_HEADER) ?? 0));
      return answer;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await note(Number(error.headers[UNCERTAIN_HEADER] ?? 0));
      // Refused, so that this request cost nothing.
      const refused = error.status >= 400 && error.body[UNCERTAIN] !== true;
      if (refused && buy !== 'no') this.allowance.release();
      throw error;
    }
  }

  async #noteUncertain(page: PageRequest, times: number): Promise<void> {
    const { source, policy } = this.#request.need;
    const { store, client } = this.#services;
    const { id, first, purpose, endpoint, start, end, granularity, generation } = page;
    const at = Math.round(client.now(source.id));
    const price = policy.terms?.prices[endpoint] ?? 0;
    const sent = { request: id, first, purpose, endpoint, start, end, granularity, generation };
    const lost = { ...sent, times, at, index: indexAt(at), price };
    const tally = await store.noteUncertain(this.#request.session, lost);
    this.#emit({ kind: 'bought', tally });
  }

  #row(page: PageRequest): PendingRequest {
    const { id, first, query, granularity, endpoint, start, end } = page;
    const { purpose, generation, token, followed } = page;
    const { key: series, need } = this.#request;
    const asked = { id, first, series, query, granularity, endpoint, start, end };
    const at = this.#services.client.now(need.source.id);
    return { ...asked, purpose, generation, token, followed, at, failed: null };
  }

  /** The price of an answer to our own request: as the relay reports, or by the terms if it repeats the answer. */
  #priceOf(headers: Headers, endpoint: CountsEndpoint): number {
    const { terms } = this.#request.need.policy;
    const said = headers.get(VAULT_HEADER) === 'held' ? null : headers.get(PRICE_HEADER);
    return Number(said ?? terms?.prices[endpoint] ?? 0);
  }

  #path({ query, granularity, endpoint, token, ...bounds }: PageRequest): string {
    const search = new URLSearchParams(countsParameters(query, granularity, bounds));
    if (token !== null) search.set('next_token', token);
    return `${SOURCE_PREFIX[this.#request.need.source.id]}${COUNTS_PATH[endpoint]}?${search.toString()}`;
  }
}
