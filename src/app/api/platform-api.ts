import { PLATFORM, type PlatformSettings } from '#contract/counts/platform.ts';
import type { Client } from './client.ts';
import { call } from './endpoint-call.ts';

/** The service's settings for the platform: its terms, the user's caps, and the spending. Each call may throw a Fault. */
export type PlatformApi = ReturnType<typeof platformApi>;

/** The {@link PlatformApi} of the service this page came from. */
export function platformApi(client: Client) {
  return {
    answer: () => call(client, PLATFORM.settings),
    /** Replaces all settings. */
    change: async (settings: PlatformSettings) => {
      const answer = await call(client, PLATFORM.change, { body: settings });
      // Calls that wait for a cap may continue if it was raised.
      client.retryBudget();
      return answer;
    },
    spending: async () => {
      const { PLATFORM_SPENDING } = await import('#contract/counts/spending.ts');
      return await call(client, PLATFORM_SPENDING);
    },
  };
}
