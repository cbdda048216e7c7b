import { setMaxListeners } from 'node:events';
import * as v from 'valibot';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Fault, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import {
  MAX_HELD_PAGES,
  PLATFORM_UNREACHABLE,
  UNCERTAIN,
  type Buy,
  type HeldAnswer,
  type PlatformAnswer,
  type PlatformSettings,
  type Spent,
} from '#contract/counts/platform.ts';
import type { SpendingAnswer } from '#contract/counts/spending.ts';
import { END_LAG_MS } from '#contract/counts/counts.ts';
import type { OwnPostsAnswer } from '#contract/counts/own-posts.ts';
import type { AnswerPost } from '#contract/posts/search.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Machine } from '#server/machine.ts';
import { randomText } from '#server/random.ts';
import type { BoughtCounts, BoughtPage, VaultWindow } from './page-table.ts';
import type { PlatformStore } from './store.ts';
import type { PlatformAccess } from './access.ts';
import { dollarsOf, refuseBeyond, spentOf, sumSpent, sumsByLogin, type Spender } from './budget.ts';
import { Pools } from './pools.ts';
import { ownAccount, readTimeline } from './own-posts.ts';
import { ALL_FIELDS, meaningOf, settledFrom } from './request.ts';
import {
  NoReply,
  sendingTo,
  type PlatformReply,
  type SendingDeps,
  type SentReply,
} from './sending.ts';
import { readSettings, refuseUnread, type StoredSettings } from './settings.ts';
import { Spacing } from './spacing.ts';
import { poolSize, callPath, ownPrice, poolOf, priceOf, roomOf } from './terms.ts';
import { StoreError } from '#server/db/store-error.ts';
import { ME, TIMELINE, timelineOf, userWindow } from './own-request.ts';
import type { RelayCall } from './relay-call.ts';

const BoughtUser = v.object({ data: v.object({ id: v.string(), username: v.string() }) });

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Number of days listed one by one in the spending. */
const LISTED_DAYS = 62;

/** Headers with the state of limits, which are outdated when an answer is returned again. */
const OUTDATED = /^(?:x-rate-limit-|x-app-limit-|retry-after$)/;

export interface RelayDeps
  extends Omit<SendingDeps, 'access'>, Pick<Machine, 'now' | 'random' | 'sleep'> {
  readonly access: PlatformAccess;
  readonly store: PlatformStore;
  /** Takes a line about a failure; never given any part of the token. */
  readonly log: (line: string) => void;
}

/** A client's request to the relay. */
export interface RelayAsk {
  readonly call: RelayCall;
  /** Null if the client sent none. */
  readonly ask: string | null;
  readonly buy: Buy | null;
  /** The number of uncertain requests of the ask that the client knows of; null or absent: it is sent in any case. */
  readonly known?: number | null;
  /** Whose budget pays; null or absent for the service's alone. */
  readonly spender?: Spender | null;
}

/** The relay's answer. */
export interface RelayReply extends PlatformReply {
  /** The ask that bought the page. */
  readonly ask: string;
  readonly vault: 'bought' | 'held';
  /** The time at which the page was fetched, by the earlier of the platform's clock and the service's; epoch ms. */
  readonly fetched: number;
  /** USD. */
  readonly price: number;
}

/** The page to buy, the ask under which it is bought, and the buyer. */
interface Purchase {
  readonly call: RelayCall;
  readonly ask: string;
  readonly spender: Spender | null;
}

interface RunningAsk {
  readonly request: string;
  readonly reply: Promise<RelayReply>;
}

function ending(): Fault {
  return plainProblem(503, 'Service Unavailable', 'The service is stopping.');
}

function diskFull(): Fault {
  const detail =
    'The disk has no space for another page of the platform, so nothing was sent or paid. Free some space, then try again.';
  return plainProblem(507, 'Insufficient Storage', detail);
}

function unheard(ask: string): Fault {
  const title = 'The platform gave no complete answer';
  const detail = `An earlier request of the ask ${ask} got no complete answer and may have been billed.`;
  const body = { title, detail, type: PLATFORM_UNREACHABLE, status: 502, [UNCERTAIN]: true };
  return new Fault(502, body);
}

/** The same answer for a client that did not buy it. */
function shared(reply: RelayReply): RelayReply {
  return { ...reply, vault: 'held', price: 0 };
}

/**
 * Relays requests to the platform: what is stored is returned again; the rest is bought within the
 * limits and the budget, stored, and logged.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #send: (path: string, ending: AbortSignal) => Promise<SentReply>;
  readonly #pools: Pools;
  /**
   * Spaces out archive requests; separate, so that counts need not wait for search, nor search for
   * counts.
   */
  readonly #spacing: Readonly<Record<RelayCall['product'], Spacing>>;
  /** Aborted when no new request is accepted, and when running requests are abandoned. */
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();
  #purchases = 0;
  #clockSkewMs: number | null = null;
  /** Running asks, by id, and running windows whose page will be settled. */
  readonly #asks = new Map<string, RunningAsk>();
  readonly #windows = new Map<string, Promise<RelayReply>>();

  constructor(deps: RelayDeps) {
    const { now, sleep } = deps;
    this.#deps = deps;
    // Every running request listens.
    setMaxListeners(0, this.#ending.signal);
    this.#send = sendingTo(deps);
    this.#pools = new Pools(now);
    const spaced = (): Spacing => new Spacing(now, (ms) => sleep(ms, this.#closing.signal));
    this.#spacing = { counts: spaced(), search: spaced(), own: spaced() };
  }

  /** Host of the platform. */
  get host(): string {
    return this.#deps.access.host;
  }

  /** Platform's Date minus the service's clock at the last answer, ms; null before the first answer. */
  get clockAheadMs(): number | null {
    return this.#clockSkewMs;
  }

  /** Number of requests whose answer has not been received and stored yet. */
  get purchases(): number {
    return this.#purchases;
  }

  /**
   * Answers a request for counts or search from what is stored or running, else by buying it. A
   * purchase is finished even if nobody waits for it any more.
   *
   * @returns Null if nothing may be bought and nothing is stored or running.
   * @throws {@link Fault} 400 for an ask of another request; 429 if a pool is empty or a cap is
   *   reached; 502 and 504 if the platform gave no complete answer, or gave none to an earlier request
   *   of the ask that the client does not know of (then nothing is sent); 503 if too many wait, the
   *   caps cannot be read, or the service is stopping; 507 if the disk has no space for the page.
   */
  async answer({
    call,
    ask,
    buy,
    known = null,
    spender = null,
  }: RelayAsk): Promise<RelayReply | null> {
    for (;;) {
      const own = ask === null ? undefined : this.#asks.get(ask);
      const before = own?.request ?? (ask === null ? undefined : this.#deps.store.requestOf(ask));
      if (before !== undefined && before !== call.key) {
        const detail = `The ask ${ask} belongs to another request: give each request its own id.`;
        throw plainProblem(400, 'Bad Request', detail);
      }
      if (own) return shared(await own.reply);
      const stored = ask === null ? undefined : this.#deps.store.pageOf(ask);
      if (stored) return await this.#reuse(stored);

      const fresh = buy === 'again' || buy === 'instead';
      const settled = fresh ? undefined : this.#settled(call);
      if (settled) return await this.#reuse(settled);
      const sameWindow = fresh || !call.window ? undefined : this.#windows.get(windowKey(call));
      if (!sameWindow) {
        if (buy === 'no') return null;
        if (known !== null && ask !== null && this.uncertain(ask) > known) throw unheard(ask);
        const order = { call, ask: ask ?? this.#newAsk(), spender };
        return await this.#begin(order, buy === 'instead');
      }
      const reply = await sameWindow;
      if (reply.status !== 200) return shared(reply);
      // Bought meanwhile, unless it is not settled yet by the platform's clock.
    }
  }

  /** Number of requests of an ask that were sent and got no complete answer. */
  uncertain(ask: string): number {
    return this.#deps.store.uncertainOf(ask);
  }

  /** The terms and caps, and the state of spending and limits. @param spender - Whose own spending to state, too. */
  settings(spender: Spender | null = null): PlatformAnswer {
    const { store, now } = this.#deps;
    const at = now();
    return {
      host: this.host,
      settings: this.#settings,
      today: spentOf(sumSpent(store, 'day', at)),
      month: spentOf(sumSpent(store, 'month', at)),
      ...(spender && {
        own: {
          month: spentOf(sumSpent(store, 'month', at, spender.id)),
          budget: spender.budget === null ? null : dollarsOf(spender.budget),
        },
      }),
      clockAheadMs: this.clockAheadMs,
      pools: { recent: this.#pools.state('recent'), all: this.#pools.state('all') },
    };
  }

  change(settings: PlatformSettings, spender: Spender | null = null): PlatformAnswer {
    this.#deps.store.putSettings(settings);
    return this.settings(spender);
  }

  /** The sums that were spent. @param login - Only for the login with this id. */
  spending(login?: string): SpendingAnswer {
    const { store, now } = this.#deps;
    const at = now();
    return {
      today: spentOf(sumSpent(store, 'day', at, login)),
      month: spentOf(sumSpent(store, 'month', at, login)),
      days: store.days(LISTED_DAYS, login).map(({ day, ...sum }) => ({
        day: formatInstant(day * DAY_MS).slice(0, 10),
        ...spentOf(sum),
      })),
      months: store.months(login).map(({ month, ...sum }) => ({ month, ...spentOf(sum) })),
      queries: store.queries(login).map(({ query, last, ...sum }) => ({
        query,
        ...spentOf(sum),
        last: formatInstant(last),
      })),
      uncertain: spentOf(store.uncertain(login)),
    };
  }

  /** The spending of each login in this UTC month; null for what was for none. */
  monthByLogin(): readonly ({ readonly login: string | null } & Spent)[] {
    const { store, now } = this.#deps;
    return sumsByLogin(store, now()).map(({ login, ...sum }) => ({ login, ...spentOf(sum) }));
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

  /** The pages of counts of a query in a span, also those whose counts may still change. */
  counts(query: string, granularity: Granularity, span: Span): BoughtCounts[] {
    const of = { meaning: meaningOf(query), granularity, fields: ALL_FIELDS };
    return this.#deps.store.counts(of, span);
  }

  /** A page that was bought before. @throws {@link RangeError} if there is none. */
  async bought({ purchase }: BoughtCounts): Promise<RelayReply> {
    const page = this.#deps.store.pageOfPurchase(purchase);
    if (page) return await this.#reuse(page);
    throw new RangeError(`expected the page of purchase ${purchase}, got none`);
  }

  /** The price of the requests since an instant whose asks begin with a name and a dot, USD. */
  spentBy(name: string, since: number): number {
    return dollarsOf(this.#deps.store.sumOfAsks(name, since).price);
  }

  /** Changes with every stored page, and with the settings that decide which are settled. */
  get state(): string {
    return JSON.stringify([this.host, this.#deps.store.newest(), this.#settings]);
  }

  /** Accepts no new requests. Running ones have `patience` ms to finish and are then abandoned. */
  async close(patience: number): Promise<void> {
    this.#closing.abort();
    const running = [...this.#asks.values()].map(({ reply }) => reply);
    if (running.length > 0) {
      const enough = new AbortController();
      const over = this.#deps.sleep(patience, enough.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(running), over]);
      enough.abort();
    }
    this.#ending.abort();
    await Promise.allSettled(running);
  }

  #stored(): StoredSettings {
    return readSettings(this.#deps.store.settings());
  }

  get #settings(): PlatformSettings {
    return this.#stored().settings;
  }

  #newAsk(): string {
    return randomText(this.#deps.random, 18);
  }

  #settled(call: RelayCall): BoughtPage | undefined {
    return call.window
      ? this.#deps.store.settledPage(call.window, this.#settledFrom(call, call.window.end))
      : undefined;
  }

  /** The earliest time at which a page of a window with this end is final. Posts are there at once, counts are not. */
  #settledFrom({ product }: RelayCall, end: number): number {
    return product === 'own' ? end : settledFrom(end, this.#settings.settleHours);
  }

  async #jsonOf(page: BoughtPage | undefined): Promise<unknown> {
    return page && JSON.parse(new TextDecoder().decode(await unpack(page.body)));
  }

  /** An account of the vault; undefined if none was bought, null if the platform knew none. */
  async #boughtUser(window: VaultWindow): Promise<{ id: string; name: string } | null | undefined> {
    const page = this.#deps.store.settledPage(window, 0);
    if (!page) return undefined;
    const read = v.safeParse(BoughtUser, await this.#jsonOf(page));
    return read.success ? { id: read.output.data.id, name: read.output.data.username } : null;
  }

  /** Id of the account that the token is for; null if that was not bought yet. */
  async owner(): Promise<string | null> {
    return (await this.#boughtUser(ME))?.id ?? null;
  }

  /**
   * The Posts of accounts that were bought, and what of a time was not. Buys nothing.
   *
   * @param usernames - Without a leading @.
   */
  async ownPosts(usernames: readonly string[], asked: Span): Promise<OwnPostsAnswer> {
    const { store, now } = this.#deps;
    const me = await this.#boughtUser(ME);
    const { prices } = this.#settings;
    const end = Math.floor((now() - END_LAG_MS) / SECOND_MS) * SECOND_MS;
    const span = { start: asked.start, end: Math.min(asked.end, end) };
    const accounts: OwnPostsAnswer['accounts'] = [];
    const data: AnswerPost[] = [];
    for (const username of usernames) {
      const isMe = me?.name.toLowerCase() === username.toLowerCase();
      const user = isMe ? me : await this.#boughtUser(userWindow(username));
      const window = { meaning: timelineOf(user?.id ?? ''), granularity: TIMELINE };
      const pages = user ? store.overlapping(window, span) : [];
      const read = readTimeline(
        await Promise.all(
          pages.map(async (page) => ({
            asked: page.asked,
            fetched: page.date,
            body: await this.#jsonOf(page),
          })),
        ),
      );
      const price = ownPrice(prices, me?.id !== undefined && user?.id === me.id);
      const account = { username, id: user?.id ?? null, found: user !== null };
      accounts.push(ownAccount(account, price, span, read));
      for (const post of read.posts.values()) {
        const at = Date.parse(post.created_at);
        if (at >= asked.start && at < asked.end) data.push({ ...post, origin: { username } });
      }
    }
    data.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
    return { data, accounts, known: me !== undefined };
  }

  async #reuse({ ask, date, headers, body }: BoughtPage): Promise<RelayReply> {
    const valid = Object.entries(headers).filter(([name]) => !OUTDATED.test(name));
    return {
      status: 200,
      headers: Object.fromEntries(valid),
      body: await unpack(body),
      ask,
      vault: 'held',
      fetched: date,
      price: 0,
    };
  }

  /** Buys a page and lets others with the same ask or the same closed window wait for it. */
  async #begin(order: Purchase, instead: boolean): Promise<RelayReply> {
    const { call, ask } = order;
    const reply = this.#buy(order, instead);
    const closed =
      call.window !== null && this.#deps.now() >= this.#settledFrom(call, call.window.end);
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

  async #buy({ call, ask, spender }: Purchase, instead: boolean): Promise<RelayReply> {
    const { store, now } = this.#deps;
    const { endpoint, key: request, query } = call;
    const pool = poolOf(call);
    // The size of a search page is unknown until it arrives: the maximum is reserved until then.
    const maxPrice = (): number => priceOf(call, this.#settings.prices, call.brings);
    const refuse = (): void => {
      if (this.#closing.signal.aborted) throw ending();
      const stored = this.#stored();
      refuseUnread(stored);
      this.#pools.refuseEmpty(pool);
      refuseBeyond(store, stored.settings.caps, maxPrice(), now(), spender);
    };
    refuse();
    if (endpoint === 'all') await this.#turn(call, refuse);

    const { limits, caps, prices } = this.#settings;
    const [reserved, at] = [maxPrice(), now()];
    this.#pools.take(pool, poolSize(call, limits));
    let purchase: number;
    try {
      const room = roomOf(call);
      const by = spender && { login: spender.id };
      const order = { ask, request, endpoint: pool, query, at, price: reserved, room, ...by };
      purchase = store.reserve(order, () => refuseBeyond(store, caps, reserved, at, spender));
    } catch (error) {
      this.#pools.giveBack(pool);
      throw error instanceof StoreError && error.reason === 'full' ? diskFull() : error;
    }
    this.#purchases += 1;
    try {
      const { reply, fetched, price } = await this.#finish(purchase, call, prices, instead);
      return { ...reply, ask, vault: 'bought', fetched, price: dollarsOf(price) };
    } finally {
      this.#purchases -= 1;
    }
  }

  /** Sends a reserved request, and records its outcome and its price in millionths of a dollar. */
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
      sent = await this.#send(callPath(call), this.#ending.signal);
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      if (!error.sent) this.#pools.giveBack(pool);
      this.#record(() => store.end(purchase, error.sent ? 'uncertain' : 'released', null));
      log(`Platform: ${error.message}`);
      throw error.fault;
    }
    const { continued, brought, ...reply } = sent;
    const { status, headers, body } = reply;
    const stated = Date.parse(headers['date'] ?? '');
    const answered = now();
    const date = Number.isNaN(stated) ? answered : stated;
    if (!Number.isNaN(stated)) this.#clockSkewMs = stated - answered;
    this.#pools.report(pool, status, headers, date);
    const fetched = Math.min(date, answered);
    if (status !== 200) {
      this.#record(() => store.end(purchase, 'released', status));
      return { reply, fetched, price: 0 };
    }
    const price = priceOf(call, prices, brought ?? call.brings);
    const page = { date: fetched, headers, body: await pack(body) };
    // The rest of a timeline is bought by its bounds, and the page stays for everyone.
    const sharing = { instead, continued: continued && call.product !== 'own' };
    this.#record(() => store.bill(purchase, call.parts, page, sharing, price));
    return { reply, fetched, price };
  }

  async #turn({ product }: RelayCall, refuse: () => void): Promise<void> {
    try {
      await this.#spacing[product].turn(this.#settings.archiveSpacingMs, refuse);
    } catch (error) {
      throw this.#closing.signal.aborted && !(error instanceof Fault) ? ending() : error;
    }
  }

  /**
   * Records how a purchase ended. If that cannot be written, it stays reserved, and the answer is
   * returned all the same.
   */
  #record(write: () => void): void {
    try {
      write();
    } catch (error) {
      const why = errorMessage(error);
      this.#deps.log(`Platform: a purchase could not be recorded: ${why}`);
    }
  }
}

function windowKey({ window }: RelayCall): string {
  return JSON.stringify(window);
}
