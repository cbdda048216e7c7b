import { randomBytes } from 'node:crypto';
import { MAX_MESSAGES, type AlertSettings } from '#contract/alerts/alerts.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { openAlerts } from '#server/alerts/alerts.ts';
import { openService } from '#server/auth/store.ts';
import { openChannels } from '#server/channels/channels.ts';
import type { DbOptions } from '#server/db/driver.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';

const START = Date.parse('2026-06-15T12:10:00Z');
/** Six Posts an hour for half a year, and a burst after five minutes. */
const FIRST = START - 200 * DAY_MS;
const USUAL_MS = 10 * MINUTE_MS;
const BURST = { at: START + 5 * MINUTE_MS, posts: 30 };

/** Times at which alerts are judged: of the start, of the burst, and of each hour until its rise is over. */
const JUDGED = [
  START,
  BURST.at,
  ...Array.from({ length: 9 }, (_, hour) => START + (hour + 1) * HOUR_MS),
];

const settingsTo = (url: string): AlertSettings => ({
  name: 'Oat',
  query: 'oat',
  source: 'posts',
  zone: 'UTC',
  direction: 'rise',
  budget: 'week',
  quiet: null,
  channels: [{ kind: 'webhook', address: url }],
});

/** The number of Posts of before a time that there are at another one. */
function postsBefore(time: number, now: number): number {
  const usual = Math.max(0, Math.ceil((Math.min(time, now) - FIRST) / USUAL_MS));
  return usual + (BURST.at < time && BURST.at <= now ? BURST.posts : 0);
}

/**
 * Opens alerts over a file, with one of a topic that rises once and is over again, which a server gets to know.
 *
 * @param onStep - Called at each part of a write.
 */
export async function openAlerting(file: string, url: string, onStep?: DbOptions['onStep']) {
  let now = START;
  let look: () => unknown = () => null;
  const service = openService(file, { random: (n) => randomBytes(n) }, onStep ? { onStep } : {});
  const fetcher = testFetcher({ resolve: () => Promise.resolve(['127.0.0.1']) });
  const alerts = openAlerts({
    platform: null,
    table: service.alerts,
    count: (_, questions) =>
      Promise.resolve(
        questions.map(({ bounds }) => {
          const counts = Float64Array.from(bounds.subarray(1), (to, i) => {
            const from = bounds[i] ?? NaN;
            return from > now ? NaN : postsBefore(to, now) - postsBefore(from, now);
          });
          return {
            counts,
            states: Uint8Array.from(counts, () => STATE.settled),
            fetchedAt: counts,
          };
        }),
      ),
    revision: () => null,
    channels: openChannels({ fetcher, mail: null }),
    causes: () => Promise.resolve([]),
    site: () => '',
    isLogin: () => true,
    every: (_, task) => {
      look = task;
      return () => undefined;
    },
    now: () => now,
    log: () => undefined,
  });
  return {
    /** Judges and sends, from where an earlier process ended. */
    run: async (): Promise<void> => {
      if (alerts.list('').length === 0) await alerts.add('', settingsTo(url));
      const begun = alerts.list('')[0]?.state.at ?? START;
      for (const time of JUDGED) {
        if (time < begun) continue;
        now = time;
        await look();
      }
    },
    kinds: (): string[] => alerts.messages('', MAX_MESSAGES).map(({ message }) => message.kind),
    close: async (): Promise<void> => {
      await alerts.close();
      service.close();
      await fetcher.close();
    },
  };
}
