import { PLATFORM } from '#contract/platform.ts';
import type { PlatformAnswer, PlatformSettings, SpendingAnswer } from '#contract/platform.ts';
import type { Client } from './client.ts';

/** What the service holds of the platform: its terms, the user's caps, and what was spent. */
export interface PlatformApi {
  /** @throws {Fault} */
  answer(): Promise<PlatformAnswer>;
  /** Changes the settings, all of them. @throws {Fault} */
  change(settings: PlatformSettings): Promise<PlatformAnswer>;
  /** @throws {Fault} */
  spending(): Promise<SpendingAnswer>;
}

/** The desk of the service that this page came from. Someone waits for each call, so a lost service is told at once. */
export function platformDesk(client: Client): PlatformApi {
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  const { settings: read, change, spending } = PLATFORM;
  return {
    answer: () => client.json(read.path, read.answer, options()),
    change: async (settings) => {
      const { method, path, answer: schema } = change;
      const answer = await client.send(method, path, settings, schema, options());
      // What waits for a cap may go on where it was raised.
      client.lookAgain();
      return answer;
    },
    spending: () => client.json(spending.path, spending.answer, options()),
  };
}
