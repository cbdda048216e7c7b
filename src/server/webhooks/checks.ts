import { Semaphore } from '#core/semaphore.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { Machine } from '#server/machine.ts';
import { isDefinite, type CrcFault } from './crc.ts';
import type { StoredWebhook, WebhookTable } from './webhook-table.ts';

export interface ChecksDeps extends Pick<Machine, 'now' | 'timer' | 'log'> {
  readonly table: WebhookTable;
  /** Checks the receiver of a webhook; null if it succeeded. Rejects if the signal aborts. */
  readonly check: (
    webhook: Pick<StoredWebhook, 'app' | 'url'>,
    signal: AbortSignal,
  ) => Promise<CrcFault | null>;
  /** Called when a webhook became valid, or no longer is. */
  readonly onChange: (webhook: StoredWebhook) => void;
}

/** Checks at once. */
const AT_ONCE = 8;
/** The time between two searches of the service for webhooks that are due. */
const LOOK_MS = 60_000;
/** Valid webhooks are checked hourly; half-hourly when no check succeeded for a day (platform-facts, 6.4). */
const USUAL_MS = HOUR_MS;
const LATE_MS = HOUR_MS / 2;
/** Failures that may pass make a webhook invalid after this time without a success (platform-facts, 6.4). */
const PATIENCE_MS = 28 * HOUR_MS;

/** True if a webhook is to be checked: one that is not valid waits for its owner. */
function isDue({ valid, checkedAt, validatedAt }: StoredWebhook, now: number): boolean {
  if (!valid) return false;
  const every = now - validatedAt >= DAY_MS ? LATE_MS : USUAL_MS;
  // A check from the future: the clock was set back.
  return now - checkedAt >= every || checkedAt > now;
}

/** A webhook after a check that began at an instant. */
export function checked(webhook: StoredWebhook, fault: CrcFault | null, at: number): StoredWebhook {
  if (!fault) return { ...webhook, valid: true, checkedAt: at, validatedAt: at, fault: null };
  const isOver = isDefinite(fault) || at - webhook.validatedAt >= PATIENCE_MS;
  return { ...webhook, valid: webhook.valid && !isOver, checkedAt: at, fault: fault.message };
}

/** Checks webhooks again and again. */
export class WebhookChecks {
  readonly #deps: ChecksDeps;
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #running = new Map<string, Promise<StoredWebhook>>();
  readonly #stop = new AbortController();
  #cancel: () => void = () => {};

  constructor(deps: ChecksDeps) {
    this.#deps = deps;
  }

  /** Looks for webhooks that are due, now and from time to time. */
  start(): void {
    this.#look();
  }

  /** Checks a receiver that is not stored yet. */
  async first(webhook: Pick<StoredWebhook, 'app' | 'url'>): Promise<CrcFault | null> {
    const { signal } = this.#stop;
    return await this.#slots.take(() => this.#deps.check(webhook, signal), signal);
  }

  /** Checks a webhook and stores the result, which is durable when this resolves. A check that runs already is shared. */
  async again(webhook: StoredWebhook): Promise<StoredWebhook> {
    const running = this.#running.get(webhook.id) ?? this.#check(webhook);
    return await running;
  }

  /** Resolves when no check runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancel();
    await this.idle();
  }

  async #check(webhook: StoredWebhook): Promise<StoredWebhook> {
    const { table, now, onChange } = this.#deps;
    const work = (async () => {
      const at = now();
      const fault = await this.first(webhook);
      // Meanwhile it may have been removed.
      const current = table.find(webhook.id);
      if (!current) return webhook;
      const result = checked(current, fault, at);
      table.put(result);
      if (result.valid !== current.valid) onChange(result);
      return result;
    })().finally(() => this.#running.delete(webhook.id));
    this.#running.set(webhook.id, work);
    return await work;
  }

  #look(): void {
    const { table, now, timer, log } = this.#deps;
    if (this.#stop.signal.aborted) return;
    try {
      for (const webhook of table.all()) {
        if (!isDue(webhook, now()) || this.#running.has(webhook.id)) continue;
        this.#check(webhook).catch((error: unknown) => {
          if (!this.#stop.signal.aborted) log(errorMessage(error));
        });
      }
    } catch (error) {
      log(errorMessage(error));
    }
    this.#cancel = timer(LOOK_MS, () => this.#look());
  }
}
