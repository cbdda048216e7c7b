import { openFetcher, type Fetcher, type FetcherDeps } from '#server/fetcher/fetcher.ts';
import { localNames } from '#server/fetcher/resolve.ts';
import { ANYWHERE } from '#server/fetcher/target.ts';

/** Opens a fetcher that may reach this machine, unless a test restricts it. */
export function testFetcher(over: Partial<FetcherDeps> = {}): Fetcher {
  return openFetcher({
    resolve: localNames,
    timeout: (ms) => AbortSignal.timeout(ms),
    agent: 'groundswell/test',
    rules: ANYWHERE,
    ...over,
  });
}
