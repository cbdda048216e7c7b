import type { Client } from '#app/api/client.ts';
import type { LiveDeps } from '#app/board/state/live.svelte.ts';
import { countLive } from '#app/counts/fetch/live-counts.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import { LiveStream, type LiveMessage, type LiveStreamDeps } from './live-stream.ts';
import { tabsOver } from './tabs.ts';

/** The parts with which boards follow changes as they are made. */
export interface LiveConnection {
  readonly client: Pick<Client, 'send' | 'now' | 'signIn'>;
  readonly send: LiveStreamDeps['send'];
  readonly store: Pick<StoreClient, 'takeLive'>;
  /** Id of the login of the page. */
  readonly login: string;
}

/** Least time between two counts, so that the page has time for the user. */
const REST_MS = 30;

/** Resolves after some ms, or when the signal is aborted. */
const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Follows changes in this browser. */
export function browserLive({
  client,
  send,
  store,
  login,
}: LiveConnection): Pick<LiveDeps, 'stream' | 'count' | 'drawn'> {
  const name = `groundswell-live${login}`;
  return {
    stream: (onLine) =>
      new LiveStream(
        {
          send,
          signIn: (signal) => client.signIn(signal),
          tabs: tabsOver<LiveMessage>(name),
          // Outside a secure context there are no locks, and each tab has a stream.
          alone: async (signal, work) => {
            if ('locks' in navigator) await navigator.locks.request(name, { signal }, work);
            else await work();
          },
          now: () => performance.now(),
          sleep,
          random: () => Math.random(),
        },
        onLine,
      ),
    count: (runs, from) => countLive(runs, from, { client, store }),
    drawn: () => sleep(REST_MS),
  };
}
