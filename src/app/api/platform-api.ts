import {
  PLATFORM,
  type PlatformAnswer,
  type PlatformSettings,
  type SpendingAnswer,
} from '#contract/counts/platform.ts';
import type { Client } from './client.ts';

/** The service's settings for the platform: its terms, the user's caps, and the spending. */
export interface PlatformApi {
  /** @throws {Fault} */
  answer(): Promise<PlatformAnswer>;
  /** Replaces all settings. @throws {Fault} */
  change(settings: PlatformSettings): Promise<PlatformAnswer>;
  /** @throws {Fault} */
  spending(): Promise<SpendingAnswer>;
}

/**
 * The {@link PlatformApi} of the service this page came from. The user waits for each call, so it fails at once if
 * the service is offline.
 */
export function platformApi(client: Client): PlatformApi {
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  const { settings: read, change, spending } = PLATFORM;
  return {
    answer: () => client.json(read.path, read.answer, options()),
    change: async (settings) => {
      const { method, path, answer: schema } = change;
      const answer = await client.send(method, path, settings, schema, options());
      // Calls that wait for a cap may continue if it was raised.
      client.retryBudget();
      return answer;
    },
    spending: () => client.json(spending.path, spending.answer, options()),
  };
}
