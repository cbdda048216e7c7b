import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS } from '#core/time/span.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { Machine } from '#server/machine.ts';
import type { DeliveryQueue, PendingDelivery } from './delivery-queue.ts';
import type { DeliverySubject } from './delivery-subject.ts';

/** The destination of deliveries to a webhook. */
export interface Receiver {
  readonly url: string;
  /** The app's consumer secret, which signs each delivery. */
  readonly secret: string;
  /** True if its last check succeeded; others get nothing. */
  readonly valid: boolean;
}

export interface DelivererDeps extends Pick<
  Machine,
  'now' | 'elapsed' | 'random' | 'timer' | 'log'
> {
  readonly queue: DeliveryQueue;
  /** The receiver of a webhook; null if there is no such webhook. */
  readonly receiver: (webhook: string) => Receiver | null;
  /** True if deliveries of a subscription may still be sent; otherwise they are dropped. By default all may. */
  readonly isWanted?: (webhook: string, subscription: string) => boolean;
  /** True if everybody may see the subject of a delivery now; otherwise that one is dropped. By default all may. */
  readonly isOpen?: (subject: DeliverySubject) => boolean;
  readonly send: Fetcher['send'];
}

/** Name of the header with the signature (platform-facts, 6.4). */
const SIGNATURE_HEADER = 'x-twitter-webhooks-signature';

/**
 * Deliveries at once: to a webhook at first, which each success raises by one; to a webhook at most; to all that are
 * not slow; and of all together, which are 128 MiB with the largest bodies.
 */
const AT_ONCE = { first: 4, webhook: 32, fast: 256, all: 512 };
/** Deliveries at once of webhooks whose last one failed or was slow. */
const SLOW_AT_ONCE = { webhook: 2, all: 64 };
/** From this many ms a delivery is slow. */
const SLOW_MS = 1000;

/** The time for which a delivery is tried again. */
export const RETRIED_MS = DAY_MS;
/** The first wait after a failure, which doubles up to the longest; jitter takes up to half of it. */
const FIRST_WAIT_MS = 1000;
export const LONGEST_WAIT_MS = 30 * 60_000;
/** The time between two checks of the age of deliveries that wait for an invalid webhook. */
const INVALID_MS = 60_000;
/** Least time between two lines about dead letters of a webhook. */
const LOGGED_MS = 60_000;
/** The time that a webhook waits when the queue cannot be read or written. */
const BROKEN_MS = 10_000;

const EXPIRED = 'The webhook was not valid for 24 hours.';

/** The deliveries that run for a webhook. */
interface Hook {
  readonly busy: Set<string>;
  /** True if the last delivery failed or took long. */
  slow: boolean;
  /** Deliveries at once while it is not slow. */
  limit: number;
  /** The time at which to look for work, epoch ms; null where only what runs now can bring some. */
  nextAt: number | null;
  /** The time at which the line about dead letters was last logged, epoch ms. */
  loggedAt: number;
}

function newHook(): Hook {
  return { busy: new Set(), slow: false, limit: AT_ONCE.first, nextAt: 0, loggedAt: -Infinity };
}

/** The signature of a body, and the answer to a `crc_token`: HMAC-SHA256 by the consumer secret (platform-facts, 6.4). */
export function signatureOf(secret: string, body: Uint8Array | string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;
}

/**
 * Sends what the queue has.
 *
 * Each webhook has a limit of deliveries at once, and those that fail or are slow share a part of all. A delivery that
 * becomes slow gives its place to another, so receivers that hang delay no other for longer than a second, as long as
 * fewer than {@link AT_ONCE} of all begin to hang within ten. Bodies are read when they are sent. A delivery that the receiver accepted before the process ended is
 * sent again if that was not recorded: at least once.
 */
export class Deliverer {
  readonly #deps: DelivererDeps;
  readonly #hooks = new Map<string, Hook>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #slowRunning = 0;
  #accepted: PendingDelivery[] = [];
  #recorded: Promise<void> | null = null;
  #cancel: () => void = () => {};

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
  }

  /** Continues what an earlier process left. */
  start(): void {
    this.wake(this.#deps.queue.webhooks());
  }

  /** Looks for deliveries to webhooks: call it after some were added, and when one became valid or was removed. */
  wake(webhooks: Iterable<string>): void {
    for (const webhook of webhooks) {
      const hook = this.#hooks.get(webhook);
      if (hook) hook.nextAt = 0;
      else this.#hooks.set(webhook, newHook());
    }
    this.#fill();
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Ends what is being sent; it is sent again after the next start. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancel();
    await this.idle();
  }

  /** Starts whatever may run now, and waits for the next that is due. */
  #fill(): void {
    if (this.#stop.signal.aborted) return;
    this.#cancel();
    const now = this.#deps.now();
    try {
      this.#startAll(now);
    } catch (error) {
      // The file, such as on a full disk: nothing is lost, and the next attempt may find room.
      this.#deps.log(`Webhooks wait: ${errorMessage(error)}`);
      this.#cancel = this.#deps.timer(BROKEN_MS, () => this.#fill());
      return;
    }
    let next = Infinity;
    for (const hook of this.#hooks.values()) {
      // Those without room continue when something that runs has ended.
      if (hook.nextAt !== null && hook.nextAt > now) next = Math.min(next, hook.nextAt);
    }
    if (next < Infinity) this.#cancel = this.#deps.timer(next - now, () => this.#fill());
  }

  /** Starts one delivery of each webhook after another, until there is no more room or nothing is due. */
  #startAll(now: number): void {
    let some = true;
    while (some) {
      some = false;
      for (const [webhook, hook] of this.#hooks) {
        // Later than any wait: the clock was set back.
        if (hook.nextAt !== null && hook.nextAt > now + LONGEST_WAIT_MS) hook.nextAt = 0;
        if (hook.nextAt === null || hook.nextAt > now || !this.#hasRoom(hook)) continue;
        if (this.#startOne(webhook, hook, now)) some = true;
      }
    }
  }

  #hasRoom({ busy, slow, limit }: Hook): boolean {
    if (this.#running.size >= AT_ONCE.all) return false;
    if (!slow) return busy.size < limit && this.#running.size - this.#slowRunning < AT_ONCE.fast;
    return busy.size < SLOW_AT_ONCE.webhook && this.#slowRunning < SLOW_AT_ONCE.all;
  }

  /** Starts the next delivery of a webhook; false if it has none that is due. */
  #startOne(webhook: string, hook: Hook, now: number): boolean {
    const { queue, receiver, isWanted, isOpen } = this.#deps;
    const to = receiver(webhook);
    if (!to) {
      // The rest is removed in the next round, so that requests come in between.
      if (queue.forget(webhook)) hook.nextAt = now + 1;
      else if (hook.busy.size === 0) this.#hooks.delete(webhook);
      else hook.nextAt = null;
      return false;
    }
    if (!to.valid) {
      const expired = queue.expire(webhook, now - RETRIED_MS, EXPIRED, now);
      if (expired > 0) this.#logDead(webhook, hook, EXPIRED, now);
      hook.nextAt = now + (expired > 0 ? 1 : INVALID_MS);
      return false;
    }
    const delivery = queue.next(webhook, now, hook.busy);
    if (!delivery) {
      hook.nextAt = queue.nextAt(webhook, hook.busy);
      if (hook.nextAt !== null && hook.nextAt > now + LONGEST_WAIT_MS) {
        queue.hurry(webhook, now + LONGEST_WAIT_MS, now);
        hook.nextAt = 0;
        return true;
      }
      if (hook.nextAt === null && hook.busy.size === 0) this.#hooks.delete(webhook);
      return false;
    }
    if (isWanted?.(webhook, delivery.subscription) === false) {
      queue.drop(webhook, delivery.subscription);
      // The rest is removed in the next round, so that requests come in between.
      hook.nextAt = now + 1;
      return false;
    }
    if (delivery.subject && isOpen?.(delivery.subject) === false) {
      queue.skip(delivery, now);
      hook.nextAt = now + 1;
      return false;
    }
    hook.busy.add(delivery.subscription);
    const work = this.#deliver(delivery, to, hook).finally(() => {
      hook.busy.delete(delivery.subscription);
      this.#running.delete(work);
      hook.nextAt ??= 0;
      this.#fill();
    });
    this.#running.add(work);
    return true;
  }

  async #deliver(delivery: PendingDelivery, { url, secret }: Receiver, hook: Hook): Promise<void> {
    const { send, elapsed, now, log, timer } = this.#deps;
    const { body } = delivery;
    const began = elapsed();
    let isSlow = hook.slow;
    if (isSlow) this.#slowRunning += 1;
    const cancel = timer(SLOW_MS, () => {
      hook.slow = true;
      if (isSlow) return;
      isSlow = true;
      this.#slowRunning += 1;
      this.#fill();
    });
    try {
      const headers = {
        'content-type': 'application/json',
        [SIGNATURE_HEADER]: signatureOf(secret, body),
      };
      await send({ method: 'POST', url, headers, body, signal: this.#stop.signal });
      hook.slow = elapsed() - began >= SLOW_MS;
      await this.#record(delivery);
      if (!hook.slow) hook.limit = Math.min(hook.limit + 1, AT_ONCE.webhook);
      hook.nextAt = 0;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      hook.slow = true;
      hook.limit = AT_ONCE.first;
      try {
        if (!(error instanceof FetchError)) throw error;
        this.#failed(delivery, hook, error.message);
        hook.nextAt = 0;
      } catch (broken) {
        log(`Webhooks wait: ${errorMessage(broken)}`);
        hook.nextAt = now() + BROKEN_MS;
      }
    } finally {
      cancel();
      if (isSlow) this.#slowRunning -= 1;
    }
  }

  /** Records that a delivery was accepted, with the others of this turn of the event loop: one commit for all. */
  async #record(delivery: PendingDelivery): Promise<void> {
    this.#accepted.push(delivery);
    this.#recorded ??= setImmediate().then(() => {
      const accepted = this.#accepted;
      this.#accepted = [];
      this.#recorded = null;
      this.#deps.queue.delivered(accepted, this.#deps.now());
    });
    await this.#recorded;
  }

  #failed(delivery: PendingDelivery, hook: Hook, fault: string): void {
    const { queue, random } = this.#deps;
    const now = this.#deps.now();
    if (now - delivery.queuedAt >= RETRIED_MS) {
      queue.giveUp(delivery, fault, now);
      this.#logDead(delivery.webhook, hook, fault, now);
      return;
    }
    const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(delivery.attempts, 20), LONGEST_WAIT_MS);
    const jitter = (random(1)[0] ?? 0) / 512;
    queue.failed(delivery, fault, now + Math.round(wait * (1 - jitter)));
  }

  #logDead(webhook: string, hook: Hook, fault: string, now: number): void {
    if (Math.abs(now - hook.loggedAt) < LOGGED_MS) return;
    hook.loggedAt = now;
    this.#deps.log(`Deliveries to the webhook ${webhook} were given up after 24 hours: ${fault}`);
  }
}
