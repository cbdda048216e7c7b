import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { faultText } from '#app/format/fault-text.ts';
import { PLATFORM_CONNECTION, type CheckAnswer } from '#contract/counts/platform-connection.ts';
import { Loaded } from './loaded.svelte.ts';

/** The work under way. */
type Work = 'connect' | 'token' | 'archive' | 'disconnect';

export interface ConnectionOptions {
  readonly client: EndpointClient;
  /** Reads the sources again, after the platform came or went. */
  readonly reload: () => Promise<unknown>;
  readonly say: (text: string) => void;
}

/** The service's token for the platform: entering, checking and forgetting it. */
export class ConnectionSettings {
  readonly #options: ConnectionOptions;
  readonly info = new Loaded(() => call(this.#options.client, PLATFORM_CONNECTION.info));
  /** The token as typed; gone as soon as the service has it. */
  token = $state('');
  busy = $state<Work | null>(null);
  /** The reason the last action failed; empty if it did not. */
  fault = $state('');
  /** The result of the last check. */
  found = $state.raw<CheckAnswer | null>(null);

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    if (this.token.trim() === '') {
      this.fault = 'Enter the token first.';
      return;
    }
    await this.#do('connect', async () => {
      const body = { token: this.token };
      this.found = await call(this.#options.client, PLATFORM_CONNECTION.connect, { body });
      this.token = '';
      await this.#changed();
      this.#options.say('The platform is connected.');
    });
  }

  async check(what: 'token' | 'archive'): Promise<void> {
    await this.#do(what, async () => {
      this.found = null;
      this.found = await call(this.#options.client, PLATFORM_CONNECTION.check, { body: { what } });
      // The archive's answer may have set the access, and was paid for.
      if (what === 'archive') await this.#options.reload();
    });
  }

  async disconnect(): Promise<void> {
    await this.#do('disconnect', async () => {
      await call(this.#options.client, PLATFORM_CONNECTION.disconnect);
      this.found = null;
      await this.#changed();
      this.#options.say('The token is forgotten. What was bought with it stays.');
    });
  }

  async #changed(): Promise<void> {
    await Promise.all([this.info.reload(), this.#options.reload()]);
  }

  async #do(what: Work, work: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = what;
    this.fault = '';
    try {
      await work();
    } catch (error) {
      this.fault = faultText(error);
    } finally {
      this.busy = null;
    }
  }
}

/** The result of a check, in words. */
export function foundText(
  { status, detail, usage, archive, price }: CheckAnswer,
  format: Formatter,
): string {
  if (archive === true) {
    return `The token reaches the archive. This check cost ${format.money(price)}.`;
  }
  if (archive === false) {
    return `The token does not reach the archive, so access is set to “Recent only”. The check cost nothing. The platform says: ${detail}`;
  }
  if (status === 429) return 'The platform knows the token, but its limit is used up for now.';
  if (status !== 200) return `The platform refused (status ${status}): ${detail}`;
  if (!usage) return 'The platform accepts the token.';
  const days = format.counted(usage.days, 'day');
  return `The platform accepts the token. Its project has read ${format.count(usage.used)} of ${format.count(usage.cap)} Posts; the count restarts in ${days}.`;
}
