import { setMaxListeners } from 'node:events';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Fault, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { MAX_HELD_PAGES, PLATFORM_UNREACHABLE, UNCERTAIN } from '#contract/platform.ts';
import type { Buy, HeldAnswer, PlatformAnswer } from '#contract/platform.ts';
import type { PlatformSettings, SpendingAnswer } from '#contract/platform.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { StoreError } from '#server/db/driver.ts';
import type { BoughtPage, PlatformStore } from './store.ts';
import type { PlatformAccess } from './access.ts';
import { moneyOf, refuseBeyond, spentOf, sumOf } from './budget.ts';
import { Pools } from './pools.ts';
import { ALL_FIELDS, meaningOf, settledFrom } from './request.ts';
import type { RelayCall } from './request.ts';
import { NoReply, sendingTo } from './sending.ts';
import type { PlatformReply, SendingDeps, SentReply } from './sending.ts';
import { readSettings, refuseUnread } from './settings.ts';
import type { StoredSettings } from './settings.ts';
import { Spacing } from './spacing.ts';
import { limitOf, pathOf, poolOf, priceOf, roomOf } from './terms.ts';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Days that the spending is told of one by one. */
const DAYS_TOLD = 62;

/** Of an answer that is given again: where the limits stood is no longer so. */
const PASSED = /^(?:x-rate-limit-|x-app-limit-|retry-after$)/;

export interface RelayDeps extends Omit<SendingDeps, 'access'> {
  readonly access: PlatformAccess;
  readonly store: PlatformStore;
  /** Epoch ms. */
  readonly now: () => number;
  readonly random: (n: number) => Uint8Array;
  /** Waits; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Takes a line about what failed; never given anything of the token. */
  readonly log: (line: string) => void;
}

/** What a client asks of the relay. */
export interface RelayAsk {
  readonly call: RelayCall;
  /** Null where the client named none. */
  readonly ask: string | null;
  readonly buy: Buy | null;
  /** How many uncertain requests of the ask the client knows of; null or absent: it is sent whatever there were. */
  readonly known?: number | null;
}

/** What the relay answers. */
export interface RelayReply extends PlatformReply {
  /** For which the page was bought. */
  readonly ask: string;
  readonly vault: 'bought' | 'held';
  /** When the page was fetched, by the earlier of the platform's clock and the service's; epoch ms. */
  readonly fetched: number;
  /** USD. */
  readonly price: number;
}

interface RunningJobs {
  readonly request: string;
  readonly reply: Promise<RelayReply>;
}

function ending(): Fault {
  return plainProblem(503, 'Service Unavailable', 'The service is ending.');
}

function noRoom(): Fault {
  const detail =
    'The disk has no room to keep another page of the platform, so nothing was sent or paid. Free some space, then try again.';
  return plainProblem(507, 'Insufficient Storage', detail);
}

function unheard(ask: string): Fault {
  const title = 'The platform gave no whole answer';
  const detail = `An earlier request of the ask ${ask} got no whole answer and may have been billed.`;
  const body = { title, detail, type: PLATFORM_UNREACHABLE, status: 502, [UNCERTAIN]: true };
  return new Fault(502, body);
}

/** The same answer for who did not buy it. */
function shared(reply: RelayReply): RelayReply {
  return { ...reply, vault: 'held', price: 0 };
}

/**
 * The platform, asked through this service: what is held is given again, what is not is bought within the
 * limits and the budget, kept, and logged.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #send: (path: string, ending: AbortSignal) => Promise<SentReply>;
  readonly #pools: Pools;
  /** Of requests of the archive: counts must not wait for search, nor search for counts. */
  readonly #spacing: Readonly<Record<RelayCall['product'], Spacing>>;
  /** Aborted when nothing more is taken on, and when what is under way is given up. */
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();
  #purchases = 0;
  #clockAheadMs: number | null = null;
  /** Asks under way, by id; windows under way whose page will be settled. */
  readonly #asks = new Map<string, RunningJobs>();
  readonly #windows = new Map<string, Promise<RelayReply>>();

  constructor(deps: RelayDeps) {
    const { now, sleep } = deps;
    this.#deps = deps;
    // Every request under way listens.
    setMaxListeners(0, this.#ending.signal);
    this.#send = sendingTo(deps);
    this.#pools = new Pools(now);
    const spaced = (): Spacing => new Spacing(now, (ms) => sleep(ms, this.#closing.signal));
    this.#spacing = { counts: spaced(), search: spaced() };
  }

  /** Where the requests go. */
  get host(): string {
    return this.#deps.access.host;
  }

  /** Requests that were sent and whose answer has not come and been kept. */
  get purchases(): number {
    return this.#purchases;
  }

  /**
   * Answers a request for counts or search from what is held or under way, else by buying it. What was begun is
   * finished whether or not anybody still waits for it.
   *
   * @returns Null where nothing may be bought and nothing is held or under way.
   * @throws {@link Fault} 400 for an ask that stands for another request; 429 where a pool is empty or a cap
   *   is reached; 502 and 504 where the platform gave no whole answer, or gave none to an earlier request of the
   *   ask of which the client does not know: then nothing is sent; 503 where too many wait, the caps cannot
   *   be read, or the service is ending; 507 where the disk has no room for the page.
   */
  async answer({ call, ask, buy, known = null }: RelayAsk): Promise<RelayReply | null> {
    for (;;) {
      const own = ask === null ? undefined : this.#asks.get(ask);
      const before = own?.request ?? (ask === null ? undefined : this.#deps.store.requestOf(ask));
      if (before !== undefined && before !== call.key) {
        const detail = `The ask ${ask} stands for another request: give each request an id of its own.`;
        throw plainProblem(400, 'Bad Request', detail);
      }
      if (own) return shared(await own.reply);
      const kept = ask === null ? undefined : this.#deps.store.pageOf(ask);
      if (kept) return await this.#giveAgain(kept);

      const fresh = buy === 'again' || buy === 'instead';
      const settled = fresh ? undefined : this.#settled(call);
      if (settled) return await this.#giveAgain(settled);
      const sameWindow = fresh || !call.window ? undefined : this.#windows.get(windowKey(call));
      if (!sameWindow) {
        if (buy === 'no') return null;
        if (known !== null && ask !== null && this.uncertain(ask) > known) throw unheard(ask);
        return await this.#begin(call, ask ?? this.#newAsk(), buy === 'instead');
      }
      const reply = await sameWindow;
      if (reply.status !== 200) return shared(reply);
      // Bought meanwhile, unless the platform's clock says that it is not settled yet.
    }
  }

  /** Requests of an ask that were sent and got no whole answer. */
  uncertain(ask: string): number {
    return this.#deps.store.uncertainOf(ask);
  }

  /** The terms and caps, and where spending and limits stand. */
  settings(): PlatformAnswer {
    const { store, now } = this.#deps;
    const at = now();
    return {
      host: this.host,
      settings: this.#settings,
      today: spentOf(sumOf(store, 'day', at)),
      month: spentOf(sumOf(store, 'month', at)),
      clockAheadMs: this.#clockAheadMs,
      pools: { recent: this.#pools.state('recent'), all: this.#pools.state('all') },
    };
  }

  change(settings: PlatformSettings): PlatformAnswer {
    this.#deps.store.putSettings(settings);
    return this.settings();
  }

  spending(): SpendingAnswer {
    const { store, now } = this.#deps;
    const at = now();
    return {
      today: spentOf(sumOf(store, 'day', at)),
      month: spentOf(sumOf(store, 'month', at)),
      days: store.days(DAYS_TOLD).map(({ day, ...sum }) => ({
        day: formatInstant(day * DAY_MS).slice(0, 10),
        ...spentOf(sum),
      })),
      months: store.months().map(({ month, ...sum }) => ({ month, ...spentOf(sum) })),
      queries: store.queries().map(({ query, last, ...sum }) => ({
        query,
        ...spentOf(sum),
        last: formatInstant(last),
      })),
      uncertain: spentOf(store.uncertain()),
    };
  }

  /** Settled pages of a query that are given for nothing, newest windows first, {@link MAX_HELD_PAGES} at most. */
  held(query: string, granularity: Granularity): HeldAnswer {
    const settleMs = this.#settings.settleHours * HOUR_MS;
    const of = { meaning: meaningOf(query), granularity, fields: ALL_FIELDS };
    const pages = this.#deps.store.pages(of, settleMs, MAX_HELD_PAGES);
    return {
      pages: pages.map(({ endpoint, start, end, date }) => ({
        endpoint,
        start: formatInstant(start),
        end: formatInstant(end),
        at: formatInstant(date),
      })),
    };
  }

  /** Takes on nothing more; what was sent has so many ms to finish, then it is given up. */
  async close(patience: number): Promise<void> {
    this.#closing.abort();
    const left = [...this.#asks.values()].map(({ reply }) => reply);
    if (left.length > 0) {
      const enough = new AbortController();
      const over = this.#deps.sleep(patience, enough.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(left), over]);
      enough.abort();
    }
    this.#ending.abort();
    await Promise.allSettled(left);
  }

  #stored(): StoredSettings {
    return readSettings(this.#deps.store.settings());
  }

  get #settings(): PlatformSettings {
    return this.#stored().settings;
  }

  #newAsk(): string {
    return Buffer.from(this.#deps.random(18)).toString('base64url');
  }

  #settled({ window }: RelayCall): BoughtPage | undefined {
    if (!window) return undefined;
    const from = settledFrom(window.end, this.#settings.settleHours);
    return this.#deps.store.settledPage(window, from);
  }

  async #giveAgain({ ask, date, headers, body }: BoughtPage): Promise<RelayReply> {
    const kept = Object.entries(headers).filter(([name]) => !PASSED.test(name));
    return {
      status: 200,
      headers: Object.fromEntries(kept),
      body: await unpack(body),
      ask,
      vault: 'held',
      fetched: date,
      price: 0,
    };
  }

  /** Buys a page and lets others with the same ask or the same closed window wait for it. */
  async #begin(call: RelayCall, ask: string, instead: boolean): Promise<RelayReply> {
    const reply = this.#buy(call, ask, instead);
    const closed =
      call.window !== null &&
      this.#deps.now() >= settledFrom(call.window.end, this.#settings.settleHours);
    const key = windowKey(call);
    this.#asks.set(ask, { request: call.key, reply });
    const leads = closed && !this.#windows.has(key);
    if (leads) this.#windows.set(key, reply);
    try {
      return await reply;
    } finally {
      this.#asks.delete(ask);
      if (leads) this.#windows.delete(key);
    }
  }

  async #buy(call: RelayCall, ask: string, instead: boolean): Promise<RelayReply> {
    const { store, now } = this.#deps;
    const { endpoint, key: request, query } = call;
    const pool = poolOf(call);
    // What a page of search brings is known when it has come: until then room is kept for the most.
    const mostNow = (): number => priceOf(call, this.#settings.prices, call.brings);
    const refuse = (): void => {
      if (this.#closing.signal.aborted) throw ending();
      const stored = this.#stored();
      refuseUnread(stored);
      this.#pools.refuseEmpty(pool);
      refuseBeyond(store, stored.settings.caps, mostNow(), now());
    };
    refuse();
    if (endpoint === 'all') await this.#turn(call, refuse);

    const { limits, caps, prices } = this.#settings;
    const [most, at] = [mostNow(), now()];
    this.#pools.take(pool, limitOf(call, limits));
    let purchase: number;
    try {
      const room = roomOf(call);
      const order = { ask, request, endpoint: pool, query, at, price: most, room };
      purchase = store.reserve(order, () => refuseBeyond(store, caps, most, at));
    } catch (error) {
      this.#pools.giveBack(pool);
      throw error instanceof StoreError && error.reason === 'full' ? noRoom() : error;
    }
    this.#purchases += 1;
    try {
      const { reply, fetched, price } = await this.#finish(purchase, call, prices, instead);
      return { ...reply, ask, vault: 'bought', fetched, price: moneyOf(price) };
    } finally {
      this.#purchases -= 1;
    }
  }

  /** Sends what was reserved, and notes how it ended and what it came to, in millionths of a dollar. */
  async #finish(
    purchase: number,
    call: RelayCall,
    prices: PlatformSettings['prices'],
    instead: boolean,
  ): Promise<{ reply: PlatformReply; fetched: number; price: number }> {
    const { store, now, log } = this.#deps;
    const pool = poolOf(call);
    let sent: SentReply;
    try {
      sent = await this.#send(pathOf(call), this.#ending.signal);
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      if (!error.sent) this.#pools.giveBack(pool);
      this.#note(() => store.end(purchase, error.sent ? 'uncertain' : 'released', null));
      log(`Platform: ${error.message}`);
      throw error.fault;
    }
    const { continued, brought, ...reply } = sent;
    const { status, headers, body } = reply;
    const told = Date.parse(headers['date'] ?? '');
    const answered = now();
    const date = Number.isNaN(told) ? answered : told;
    if (!Number.isNaN(told)) this.#clockAheadMs = told - answered;
    this.#pools.tell(pool, status, headers, date);
    const fetched = Math.min(date, answered);
    if (status !== 200) {
      this.#note(() => store.end(purchase, 'released', status));
      return { reply, fetched, price: 0 };
    }
    const price = priceOf(call, prices, brought ?? call.brings);
    const page = { date: fetched, headers, body: await pack(body) };
    this.#note(() => store.bill(purchase, call.parts, page, { instead, continued }, price));
    return { reply, fetched, price };
  }

  async #turn({ product }: RelayCall, refuse: () => void): Promise<void> {
    try {
      await this.#spacing[product].turn(this.#settings.archiveSpacingMs, refuse);
    } catch (error) {
      throw this.#closing.signal.aborted && !(error instanceof Fault) ? ending() : error;
    }
  }

  /** Notes how a purchase ended. Where that cannot be written it stays reserved, and the answer is given all the same. */
  #note(write: () => void): void {
    try {
      write();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#deps.log(`Platform: a purchase could not be noted: ${why}`);
    }
  }
}

function windowKey({ window }: RelayCall): string {
  return JSON.stringify(window);
}
