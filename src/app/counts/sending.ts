import type { Client, Wait } from '#app/api/client.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault } from '#contract/fault.ts';
import {
  ASK_HEADER,
  BUY_HEADER,
  HeldAnswer,
  PRICE_HEADER,
  VAULT_HEADER,
} from '#contract/platform.ts';
import type { Buy } from '#contract/platform.ts';
import { ROUTES, countsPath } from '#contract/routes.ts';
import type { SourceInfo } from '#contract/source.ts';
import { STORE_ID_HEADER, STORE_MARK_HEADER, STORE_REVISION_HEADER } from '#contract/source.ts';
import type { HeldPage } from '#core/counts/requests.ts';
import { indexAt } from '#core/counts/seams.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import type { Ask, Purpose, RevisionPoint, StoreRow, Tally } from './cache-port.ts';
import { StoreMoved } from './faults.ts';
import type { Accepted, Keeping } from './keeper-port.ts';
import type { Policy } from './policy.ts';
import { contradicts, generationOf, samePoint } from './store-row.ts';

/** What is asked, of whom, and who is told. */
export interface SendingContext {
  readonly desk: number;
  readonly series: string;
  readonly source: SourceInfo;
  readonly query: string;
  readonly granularity: Granularity;
  readonly policy: Policy;
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
  /** Told of every answer that was paid for or held. */
  onBought(bought: Tally): void;
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
export class Sending {
  readonly #c: SendingContext;
  /** The newest revision of the store that an answer named. */
  revision = 0;
  #sent = 0;

  constructor(context: SendingContext) {
    this.#c = context;
  }

  /** Pages that were asked and may have been bought. */
  get sent(): number {
    return this.#sent;
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
   * @throws {StoreMoved} where the source has another store by now.
   */
  async page(
    ask: PageAsk,
    earlier: readonly Span[],
    signal: AbortSignal,
  ): Promise<Accepted | null> {
    const { desk, client, keeper, policy } = this.#c;
    const { id, first, purpose, endpoint, start, end, granularity, followed, buy } = ask;
    this.#sent += buy === 'no' ? 0 : 1;
    const priced = policy.terms !== null;
    // What is only given for nothing needs no ask to be remembered by.
    if (priced && buy !== 'no') await keeper.putAsk(this.#row(ask));
    signal.throwIfAborted();
    const answer = await client.get(this.#path(ask), {
      signal,
      ...(priced && { headers: { [ASK_HEADER]: id, ...(buy && { [BUY_HEADER]: buy }) } }),
      onSend: () => this.#c.onSend(),
      onWait: (wait) => this.#c.onWait(id, wait),
    });
    const { headers, body, date, fetched } = answer;
    if (buy === 'no' && body.byteLength === 0) return null;
    const revision = await this.#confirmed(headers);
    signal.throwIfAborted();
    const bought = headers.get(ASK_HEADER) ?? id;
    const price = bought === id ? this.#priceOf(headers, endpoint) : 0;
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

  /** Notes that an ask failed and is not sent again by itself. */
  async fail(ask: PageAsk, { status, body }: Fault): Promise<void> {
    await this.#c.keeper.putAsk({ ...this.#row(ask), failed: { ...body, status } });
  }

  /** Settled pages of the query that the service holds; none where it cannot be asked. */
  async held(granularity: Granularity, signal: AbortSignal): Promise<HeldPage[]> {
    const { client, query } = this.#c;
    const search = new URLSearchParams({ query, granularity });
    const path = `${ROUTES.held.path}?${search.toString()}`;
    try {
      const { pages } = await client.json(path, HeldAnswer, { signal, impatient: true });
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
    return `${countsPath(source.id, endpoint)}?${search.toString()}`;
  }
}
