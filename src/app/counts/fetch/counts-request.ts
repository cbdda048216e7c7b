import type { Answer, Client, Wait } from '#app/api/client.ts';
import { COUNTS } from '#contract/counts.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import {
  ASK_HEADER,
  BUY_HEADER,
  PLATFORM,
  PRICE_HEADER,
  UNCERTAIN,
  UNCERTAIN_HEADER,
  VAULT_HEADER,
} from '#contract/platform.ts';
import type { Buy } from '#contract/platform.ts';
import { ofSource } from '#contract/source.ts';
import type { SourceInfo } from '#contract/source.ts';
import { STORE_ID_HEADER, STORE_MARK_HEADER, STORE_REVISION_HEADER } from '#contract/source.ts';
import type { HeldPage } from '#core/counts/requests.ts';
import { indexAt } from '#core/counts/seams.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { Allowance } from './allowance.ts';
import type { Ask, Purpose, RevisionPoint, StoreRow, Tally } from '#app/counts/cache/records.ts';
import { NotAgreed, StoreMoved } from './faults.ts';
import type { PageResult, Keeping } from '#app/counts/worker/messages.ts';
import type { SourcePolicy } from '#app/counts/source-policy.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { contradicts, generationOf, samePoint } from '#app/counts/cache/store-row.ts';

/** What is asked, of whom, and who is told. */
export interface SendingContext {
  readonly desk: number;
  readonly series: string;
  readonly source: SourceInfo;
  readonly query: string;
  readonly granularity: Granularity;
  readonly policy: SourcePolicy;
  /** What is known of the source's store. */
  readonly store: StoreRow;
  /** Whether the store still knows a revision that an answer named. */
  readonly knows: (point: RevisionPoint) => Promise<boolean>;
  readonly keeper: Keeping;
  readonly client: Client;
  /** In `[0, 1)`. */
  readonly random: () => number;
  onSend(): void;
  onWait(id: string, wait: Wait | null): void;
  /** Told of every answer that was paid for or held, and of requests that may have been billed without one. */
  onBought(bought: Tally): void;
  /** How often requests for the same bounds got no whole answer in this look. */
  readonly restraint: CircuitBreaker;
}

/** One page to be asked. */
export interface PageAsk {
  readonly id: string;
  /** The ask that was not believed, where this one is sent because of that; else its own id. */
  readonly first: string;
  readonly purpose: Purpose;
  readonly endpoint: CountsEndpoint;
  readonly start: number;
  /** Null: the source's own end. */
  readonly end: number | null;
  readonly granularity: Granularity;
  readonly token: string | null;
  readonly followed: boolean;
  /** Of the query as it is sent. */
  readonly query: string;
  readonly generation: number;
  /** Null: bought unless the service holds it. */
  readonly buy: Buy | null;
}

const iso = (instant: number): string => new Date(instant).toISOString().replace('.000Z', 'Z');

/** Sends asks and has their answers kept: the ask is written first, and taken out with the answer's writing. */
export class CountsRequests {
  readonly #c: SendingContext;
  /** The newest revision of the store that an answer named. */
  revision = 0;
  /** What may be sent: nothing that costs, unless it was agreed to. */
  allowance: Allowance;

  constructor(context: SendingContext) {
    this.#c = context;
    this.allowance = new Allowance(context.policy.terms ? 0 : Infinity);
  }

  /** Ids name an ask for ever, in every browser. */
  newId(): string {
    const { client, source, random } = this.#c;
    const apart = Math.floor(random() * 2 ** 48).toString(36);
    return `${client.now(source.id).toString(36)}-${apart}`;
  }

  /**
   * Asks one page.
   *
   * @returns Null where it was not to be bought and the service has it not.
   * @param earlier - Pages of the run that answered other bounds.
   * @throws {Fault} as `Client.get`, or of the cache.
   * @throws {NotAgreed} where it would take more requests than the {@link allowance} has.
   * @throws {StoreMoved} where the source has another store by now.
   */
  async page(
    ask: PageAsk,
    earlier: readonly Span[],
    signal: AbortSignal,
  ): Promise<PageResult | null> {
    const { desk, client, keeper, policy } = this.#c;
    const { id, first, purpose, endpoint, start, end, granularity, followed, buy } = ask;
    if (buy !== 'no' && !this.allowance.take()) throw new NotAgreed();
    const priced = policy.terms !== null;
    // What is only given for nothing needs no ask to be remembered by.
    if (priced && buy !== 'no') await keeper.putAsk(this.#row(ask));
    signal.throwIfAborted();
    const { headers, body, date, fetched } = await (priced
      ? this.#buy(ask, signal)
      : client.get(this.#path(ask), { signal, ...this.#watch(id) }));
    if (buy === 'no' && body.byteLength === 0) return null;
    const revision = await this.#confirmed(headers);
    signal.throwIfAborted();
    const bought = headers.get(ASK_HEADER) ?? id;
    const price = bought === id ? this.#priceOf(headers, endpoint) : 0;
    // Bought by another ask, perhaps another browser's.
    if (bought !== id && buy !== 'no') this.allowance.giveBack();
    const bytes = Number(headers.get('content-length') ?? NaN) || body.byteLength;
    const accepted = await keeper.accept(desk, {
      ask: id,
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
      generation: priced
        ? bought === id
          ? ask.generation
          : 0
        : generationOf(this.#c.store, revision),
      index: priced ? indexAt(fetched) : 0,
      price,
      followed,
      earlier,
    });
    this.#c.onBought(accepted.bought);
    return accepted;
  }

  /**
   * The revision of an answer; 0 of the platform.
   *
   * @throws {StoreMoved} where the answer cannot be of the state that is known, or of what became of it.
   */
  async #confirmed(headers: Headers): Promise<number> {
    const { source, store: row, policy, knows } = this.#c;
    const store = headers.get(STORE_ID_HEADER);
    const revision = Number(headers.get(STORE_REVISION_HEADER) ?? 0);
    const point = { revision, mark: headers.get(STORE_MARK_HEADER) ?? undefined };
    if (store !== null && store !== source.store) throw new StoreMoved(store, point);
    if (!policy.tellsChanges || samePoint(row, point)) return revision;
    if (contradicts(row, point) || !(await knows(point))) {
      throw new StoreMoved(source.store, point);
    }
    this.revision = Math.max(this.revision, revision);
    return revision;
  }

  #watch(id: string) {
    return {
      onSend: () => this.#c.onSend(),
      onWait: (wait: Wait | null) => this.#c.onWait(id, wait),
    };
  }

  /**
   * Sends an ask, and again while that is within the {@link allowance}. A request to which no whole answer came
   * may have been billed: it is noted, and sending it again is another request. The service is told how many of
   * them are known, so that it sends none again of which this page has not heard.
   */
  async #buy(ask: PageAsk, signal: AbortSignal): Promise<Answer> {
    const { client, restraint } = this.#c;
    const { id, buy } = ask;
    const known = { times: 0 };
    const headers: Record<string, string> = {
      [ASK_HEADER]: id,
      [UNCERTAIN_HEADER]: '0',
      ...(buy && { [BUY_HEADER]: buy }),
    };
    const note = async (times: number): Promise<void> => {
      if (!(times > known.times)) return;
      await this.#noteUncertain(ask, times);
      known.times = times;
      headers[UNCERTAIN_HEADER] = String(times);
    };
    try {
      const answer = await client.get(this.#path(ask), {
        signal,
        headers,
        ...this.#watch(id),
        onUncertain: async (fault) => {
          const times = Number(fault.headers[UNCERTAIN_HEADER]);
          // Another browser's request, which this one would have shared.
          if (times <= known.times) return;
          await note(times);
          if (restraint.lost(ask)) throw fault;
          if (buy !== 'no' && !this.allowance.take()) throw new NotAgreed(fault);
        },
      });
      await note(Number(answer.headers.get(UNCERTAIN_HEADER) ?? 0));
      return answer;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await note(Number(error.headers[UNCERTAIN_HEADER] ?? 0));
      // Refused, so that this request cost nothing.
      const refused = error.status >= 400 && error.body[UNCERTAIN] !== true;
      if (refused && buy !== 'no') this.allowance.giveBack();
      throw error;
    }
  }

  async #noteUncertain(ask: PageAsk, times: number): Promise<void> {
    const { desk, keeper, policy, client, source } = this.#c;
    const { id, first, purpose, endpoint, start, end, granularity, generation } = ask;
    const at = Math.round(client.now(source.id));
    const price = policy.terms?.prices[endpoint] ?? 0;
    const sent = { ask: id, first, purpose, endpoint, start, end, granularity, generation };
    const noted = { ...sent, times, at, index: indexAt(at), price };
    this.#c.onBought(await keeper.noteUncertain(desk, noted));
  }

  /** Notes that an ask failed and is not sent again by itself. */
  async fail(ask: PageAsk, { status, body }: Fault): Promise<void> {
    await this.#c.keeper.putAsk({ ...this.#row(ask), failed: { ...body, status } });
  }

  /** Settled pages of the query that the service holds; none where it cannot be asked. */
  async held(granularity: Granularity, signal: AbortSignal): Promise<HeldPage[]> {
    const { client, query } = this.#c;
    const search = new URLSearchParams({ query, granularity });
    const path = `${PLATFORM.held.path}?${search.toString()}`;
    try {
      const { pages } = await client.json(path, PLATFORM.held.answer, { signal, impatient: true });
      return pages.map(({ endpoint, start, end, at }) => ({
        endpoint,
        start: Date.parse(start),
        end: Date.parse(end),
        at: Date.parse(at),
      }));
    } catch (error) {
      signal.throwIfAborted();
      // What is not told is bought; a service that is away says so when it is asked for counts.
      if (error instanceof Fault) return [];
      throw error;
    }
  }

  #row(page: PageAsk): Ask {
    const { series, client, source } = this.#c;
    const { id, first, query, granularity, endpoint, start, end } = page;
    const { purpose, generation, token, followed } = page;
    const asked = { id, first, series, query, granularity, endpoint, start, end };
    const at = client.now(source.id);
    return { ...asked, purpose, generation, token, followed, at, failed: null };
  }

  /** What an answer to an own ask cost: as the relay says, or, where it gives it again, by the terms. */
  #priceOf(headers: Headers, endpoint: CountsEndpoint): number {
    const { terms } = this.#c.policy;
    const said = headers.get(VAULT_HEADER) === 'held' ? null : headers.get(PRICE_HEADER);
    return Number(said ?? terms?.prices[endpoint] ?? 0);
  }

  #path({ query, endpoint, start, end, granularity, token }: PageAsk): string {
    const { source } = this.#c;
    const search = new URLSearchParams({ query, granularity, start_time: iso(start) });
    if (end !== null) search.set('end_time', iso(end));
    if (token !== null) search.set('next_token', token);
    return `${ofSource(COUNTS[endpoint], source.id).path}?${search.toString()}`;
  }
}
