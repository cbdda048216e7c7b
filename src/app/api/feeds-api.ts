import { FEEDS, type CatalogsAnswer, type FeedRowsAnswer } from '#contract/catalog/feeds.ts';
import type { Client } from './client.ts';
import { pathWith } from './endpoint-path.ts';

/** The feeds of all product catalogs. Calls throw a `Fault`, at once if no answer comes. */
export interface FeedsApi {
  catalogs(): Promise<CatalogsAnswer['catalogs']>;
  /** Reads the feed of a catalog now. @throws {Fault} 404 if it has none. */
  run(catalog: string): Promise<void>;
  /** Ends the run of a catalog's feed. @returns Whether it was running. @throws {Fault} as {@link run}. */
  cancel(catalog: string): Promise<boolean>;
  /** A page of a run's rows with errors or warnings. @param after - `next` of the page before; null for the first. */
  rows(catalog: string, run: string, after: string | null): Promise<FeedRowsAnswer>;
}

/** The {@link FeedsApi} of the service this page came from. */
export function feedsApi(client: Pick<Client, 'send' | 'json'>): FeedsApi {
  const { catalogs, run, cancel, rows } = FEEDS;
  // The page asks again every few seconds.
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  return {
    catalogs: async () => (await client.json(catalogs.path, catalogs.answer, options())).catalogs,
    run: async (id) => {
      await client.send(run.method, pathWith(run, { id }), undefined, run.answer, options());
    },
    cancel: async (id) => {
      const { method, answer } = cancel;
      return (await client.send(method, pathWith(cancel, { id }), undefined, answer, options()))
        .cancelled;
    },
    rows: (id, number, after) => {
      const path = pathWith(rows, { id, run: number });
      const query = after === null ? '' : `?${new URLSearchParams({ after }).toString()}`;
      return client.json(path + query, rows.answer, options());
    },
  };
}
