import type * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import {
  BUDGET_REACHED,
  FETCHED_HEADER,
  PLATFORM_UNREACHABLE,
  UNCERTAIN,
  VAULT_HEADER,
} from '#contract/counts/platform.ts';
import { SOURCE_PREFIX, type SourceId } from '#contract/counts/source.ts';
import { DAY_MS } from '#core/time/span.ts';
import { ACCOUNT_HEADER, NO_ACCOUNT, SESSION } from '#contract/accounts/session.ts';
import type { ActingAccount } from './acting-account.svelte.ts';
import { faultOf, readBy, signedOut, unreachable } from './answer-fault.ts';
import { RetryPolicy } from './retry.ts';
import { Semaphore } from '#core/semaphore.ts';

/** The browser's functions the client uses; tests pass their own. */
export interface Environment {
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Epoch ms. */
  clock(): number;
  /** In `[0, 1)`. */
  random(): number;
  /** Rejects with the signal's reason when aborted. @param ms - A day at most. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Wait {
  /** By the client's own clock, epoch ms. */
  readonly until: number;
  /**
   * `limit`: until the rate limit's reset; `busy`: after an error; `away`: no answer came; `budget`: one of the user's
   * caps is reached; `confirm`: until an empty answer is requested again.
   */
  readonly reason: 'limit' | 'busy' | 'away' | 'cut' | 'budget' | 'confirm';
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called before every send. */
  onSend?(): void;
  /** Called when a wait begins and, with null, when it is over. */
  onWait?(wait: Wait | null): void;
  /** Called if the request may have been billed without a complete answer; rejects to give up. */
  onUncertain?(fault: Fault): Promise<void>;
  /** Give up on the first lost connection: the caller can do without the answer. */
  readonly impatient?: boolean;
  /** Give up if a cap is reached: the user is waiting, and the cap may last for weeks. */
  readonly unpaid?: boolean;
  /** Read before every send. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of status 200; nothing else has read its body. */
export interface Answer {
  readonly body: ArrayBuffer;
  readonly headers: Headers;
  /** The answer's Date, or the corrected clock if it has none; epoch ms. */
  readonly date: number;
  /** The time its content was fetched from the source: the Date, for the platform what the relay reports; epoch ms. */
  readonly fetched: number;
}

type Outcome = Answer | { readonly fault: Fault; readonly date: number | null };

/** Concurrent requests for platform pages. The service spaces archive requests a second apart, and browsers open six
 * connections to it: the other two stay free for everything else.
 */
const PLATFORM_AT_ONCE = 4;

/** The interval at which to check whether a cap was raised; checking costs nothing. */
const BUDGET_CHECK_MS = 60_000;

/** Browser timers of 25 days or more fire at once. */
const LONGEST_SLEEP_MS = DAY_MS;

/** Paths that the service passes on to the platform. */
const PLATFORM = `${SOURCE_PREFIX.platform}/2/`;

/** Paths that answer from Your posts, as the chosen account sees them. */
const OWN = `${SOURCE_PREFIX.posts}/2/`;
/** Counts name no account: the browser caches them for all accounts. */
const OWN_COUNTS = `${OWN}tweets/counts/`;

/** Calls the service: signs in if needed, waits for rate limits and temporary failures, and throws every other failure
 * as a {@link Fault}.
 */
export class Client {
  readonly #environment: Environment;
  readonly #acting: Pick<ActingAccount, 'id' | 'gone'> | null;
  /** The lead of the clocks of the service and of the platform behind it over ours, by the last Date, ms. */
  #clockSkew: { own: number; platform: number | null } = { own: 0, platform: null };
  readonly #platformTurns = new Semaphore(PLATFORM_AT_ONCE);
  /** Ends waits for a budget. */
  #budget = new AbortController();
  #signingIn: Promise<void> | null = null;
  /** The secret from the page's address, until the service has answered to it. */
  #secret: string | null;
  /** True if the last answer said that this browser is not signed in. */
  #signedOut = false;
  /** By path: no send before this, epoch ms of our clock. */
  readonly #limits = new Map<string, number>();

  /**
   * @param secret - Signs this browser in, once; null if it has a session.
   * @param acting - The account to act as; by default none.
   */
  constructor(
    environment: Environment,
    secret: string | null = null,
    acting: Pick<ActingAccount, 'id' | 'gone'> | null = null,
  ) {
    this.#environment = environment;
    this.#acting = acting;
    this.#secret = secret;
  }

  /** The current time by the clock of a source, as far as known, epoch ms; by default the service's. */
  now(source: SourceId = 'posts'): number {
    const { own, platform } = this.#clockSkew;
    return this.#environment.clock() + (source === 'platform' ? (platform ?? own) : own);
  }

  /**
   * The time for deciding what is fresh, due and settled, epoch ms: the earlier of the clocks of the service and the
   * platform, like {@link Answer.fetched}.
   */
  settleNow(source: SourceId): number {
    return Math.min(this.now(), this.now(source));
  }

  /** The lead of the platform's clock over the service's, ms; null until the platform has answered. */
  get platformSkewMs(): number | null {
    const { own, platform } = this.#clockSkew;
    return platform === null ? null : platform - own;
  }

  /** The lead of {@link now} over our own clock, ms. */
  clockSkew(source: SourceId): number {
    return this.now(source) - this.#environment.clock();
  }

  /** Makes calls that wait for a budget retry now: a cap may have been raised. */
  retryBudget(): void {
    this.#budget.abort();
    this.#budget = new AbortController();
  }

  /** Waits and reports it. Rejects with the signal's reason when aborted. */
  async pause(ms: number, reason: Wait['reason'], options: CallOptions): Promise<void> {
    await this.#wait({ until: this.#environment.clock() + ms, reason }, ms, options);
  }

  /**
   * Gets a path and gives the bytes of the answer.
   *
   * @throws The reason with which `onUncertain` rejects.
   * @throws {Fault} for every answer other than 200 and 204; with status 0 and type {@link UNREACHABLE} where no
   *   answer comes after the last try. The signal's reason when aborted.
   */
  async get(path: string, options: CallOptions): Promise<Answer> {
    const limited = path.split('?', 1)[0] ?? path;
    let signedIn = false;
    const patience = new RetryPolicy();
    for (;;) {
      await this.#passLimit(limited, options);
      options.signal.throwIfAborted();
      // A refused request would appear in the browser's log as an error.
      if (this.#signedOut) await this.signIn(options.signal);
      const isOwn = path.startsWith(OWN) && !path.startsWith(OWN_COUNTS);
      const account = isOwn ? this.#acting?.id : null;
      const headers = { ...options.headers, ...(account && { [ACCOUNT_HEADER]: account }) };
      const outcome = await this.#inTurn(path, { ...options, headers });
      if ('body' in outcome) return outcome;
      const { fault, date } = outcome;
      if (account && fault.body.type === NO_ACCOUNT) {
        this.#acting?.gone(account);
        continue;
      }
      // A token the platform rejects is not an expired session.
      const passedOn = VAULT_HEADER in fault.headers;
      if (fault.status === 401 && !signedIn && !passedOn) {
        signedIn = true;
        await this.signIn(options.signal);
        continue;
      }
      if (fault.body.type === BUDGET_REACHED) {
        if (options.unpaid) throw fault;
        await this.#waitForBudget(fault, options);
        continue;
      }
      if (fault.status === 429 && this.#setLimit(limited, fault, date)) continue;
      const { status, body } = fault;
      if (status === 0 && options.impatient) throw fault;
      if (body[UNCERTAIN] === true) await options.onUncertain?.(fault);
      const ms = patience.after(fault, date ?? this.now(), () => this.#environment.random());
      if (ms === null) throw fault;
      const cut = body.type === PLATFORM_UNREACHABLE;
      await this.pause(
        ms,
        status === 0 ? 'away' : status === 429 ? 'limit' : cut ? 'cut' : 'busy',
        options,
      );
    }
  }

  /**
   * Gets a path and reads its JSON by a schema of the contract.
   *
   * @throws {Fault} as {@link Client.get} does; of type {@link BROKEN_ANSWER} where the body is not JSON or
   *   not of the schema's form.
   */
  async json<T>(
    path: string,
    schema: v.GenericSchema<unknown, T>,
    options: CallOptions,
  ): Promise<T> {
    const { body } = await this.get(path, options);
    return readBy(schema, path, new TextDecoder().decode(body));
  }

  /** Sends JSON while the user waits: once, and once more after signing in if the session has expired.
   *
   * @throws {Fault} for every answer that is no success; of type {@link UNREACHABLE} where none comes, and of
   *   {@link BROKEN_ANSWER} as {@link Client.json} does. The signal's reason when aborted.
   */
  async send<T>(
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body: unknown,
    schema: v.GenericSchema<unknown, T>,
    { signal }: Pick<CallOptions, 'signal'>,
  ): Promise<T> {
    const init: RequestInit = {
      method,
      signal,
      credentials: 'same-origin',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    for (let tries = 1; ; tries += 1) {
      if (this.#signedOut) await this.signIn(signal);
      const response = await this.#environment.fetch(path, init).catch((error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(error);
      });
      this.#noteDate(path, response);
      if (response.status === 401 && tries === 1) {
        await response.arrayBuffer();
        await this.signIn(signal);
        continue;
      }
      if (!response.ok) throw await faultOf(response);
      const text = await response.text().catch((error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(error);
      });
      return readBy(schema, path, text);
    }
  }

  /**
   * Signs in to the own service by the secret of the page's address or the session that this browser has, which is
   * renewed; calls at the same time share one.
   *
   * @throws {Fault} of type {@link SIGNED_OUT} where it has neither, of type {@link UNREACHABLE} where no answer
   *   comes; what else the service refuses it with.
   */
  async signIn(signal: AbortSignal): Promise<void> {
    this.#signingIn ??= this.#postSession().finally(() => {
      this.#signingIn = null;
    });
    await this.#signingIn;
    signal.throwIfAborted();
  }

  async #postSession(): Promise<void> {
    const { method, path, answer } = SESSION.open;
    const response = await this.#environment
      .fetch(path, {
        method,
        credentials: 'same-origin',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(this.#secret === null ? {} : { secret: this.#secret }),
      })
      .catch((error: unknown) => {
        throw unreachable(error);
      });
    if (!response.ok) throw await faultOf(response);
    const { signedIn } = readBy(answer, path, await response.text());
    this.#secret = null;
    this.#signedOut = !signedIn;
    if (!signedIn) throw signedOut();
  }

  async #inTurn(path: string, options: CallOptions): Promise<Outcome> {
    const send = (): Promise<Outcome> => {
      options.onSend?.();
      return this.#send(path, options);
    };
    if (!path.startsWith(PLATFORM)) return await send();
    return await this.#platformTurns.take(send, options.signal);
  }

  async #send(path: string, { signal, headers }: CallOptions): Promise<Outcome> {
    try {
      const response = await this.#environment.fetch(path, {
        signal,
        credentials: 'same-origin',
        headers: { accept: 'application/json', ...headers },
      });
      const noted = this.#noteDate(path, response);
      const { status } = response;
      // 204 is the relay's answer that it stores nothing; no other success status is a complete answer.
      if (status !== 200 && status !== 204) return { fault: await faultOf(response), date: noted };
      const { headers: had } = response;
      const body = await response.arrayBuffer();
      const date = noted ?? this.now();
      const fetched = Date.parse(had.get(FETCHED_HEADER) ?? '');
      return { body, headers: had, date, fetched: Number.isNaN(fetched) ? date : fetched };
    } catch (error) {
      signal.throwIfAborted();
      return { fault: unreachable(error), date: null };
    }
  }

  /** Date has whole seconds, truncated; the clock is corrected only by more than that. */
  #noteDate(path: string, { headers }: Response): number | null {
    const date = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(date)) return null;
    // A page given again bears the Date of when it was bought; a refusal of the relay's own bears its own.
    if (headers.get(VAULT_HEADER) === 'held') return date;
    const platform = path.startsWith(PLATFORM);
    if (platform && !headers.has(VAULT_HEADER)) return date;
    const of = platform ? 'platform' : 'own';
    const skew = date - this.#environment.clock();
    const before = this.#clockSkew[of];
    if (before === null || before < skew) this.#clockSkew[of] = skew;
    else if (before > skew + 1000) this.#clockSkew[of] = skew + 1000;
    return date;
  }

  /** Notes the reset of a 429; false if it has none in the future. */
  #setLimit(limited: string, fault: Fault, date: number | null): boolean {
    // With requests remaining, the limit is the pace within the window, not the window (platform-facts 1.5).
    if (Number(fault.headers['x-rate-limit-remaining'] ?? 0) > 0) return false;
    const reset = Number(fault.headers['x-rate-limit-reset']) * 1000;
    const wait = reset - (date ?? this.now());
    if (!(wait > 0)) return false;
    this.#limits.set(limited, this.#environment.clock() + wait);
    return true;
  }

  async #passLimit(limited: string, options: CallOptions): Promise<void> {
    for (;;) {
      const until = this.#limits.get(limited) ?? 0;
      const ms = until - this.#environment.clock();
      if (ms <= 0) return;
      await this.#wait({ until, reason: 'limit' }, ms, options);
      // The wait is over, even if the clock changed, unless another answer named a later reset.
      if (this.#limits.get(limited) === until) this.#limits.delete(limited);
    }
  }

  /** Waits until the day or month of a cap ends, and checks now and then whether the cap was raised. */
  async #waitForBudget(fault: Fault, options: CallOptions): Promise<void> {
    const reset = Date.parse(String(fault.body['reset'] ?? ''));
    const left = Number.isNaN(reset) ? BUDGET_CHECK_MS : Math.max(1_000, reset - this.now());
    const wait: Wait = { until: this.#environment.clock() + left, reason: 'budget' };
    const raised = this.#budget.signal;
    const signal = AbortSignal.any([options.signal, raised]);
    options.onWait?.(wait);
    try {
      await this.#environment.sleep(Math.min(left, BUDGET_CHECK_MS), signal);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!raised.aborted) throw error;
    } finally {
      options.onWait?.(null);
    }
  }

  async #wait(wait: Wait, ms: number, options: CallOptions): Promise<void> {
    options.onWait?.(wait);
    try {
      // Over when its instant has come, which a machine may sleep through, and when it was slept through, whatever
      // became of the clock.
      for (let left = ms; left > 0 && wait.until > this.#environment.clock();) {
        const part = Math.min(left, LONGEST_SLEEP_MS);
        await this.#environment.sleep(part, options.signal);
        left -= part;
      }
    } finally {
      options.onWait?.(null);
    }
  }
}
