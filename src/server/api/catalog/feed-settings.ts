import { rename } from 'node:fs/promises';
import { FEEDS } from '#contract/catalog/feeds.ts';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { FeedBusy } from '#server/catalog/feed/feed-jobs.ts';
import { feedInfo, progressInfo, runInfos } from '#server/catalog/feed/run-info.ts';
import { runCsv } from '#server/catalog/feed/run-csv.ts';
import { reportPlace, type FeedRun } from '#server/catalog/feed/run-table.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';
import { receiveFile } from '#server/http/sent-file.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { putFeed } from './feeds.ts';
import { addCatalog } from './merchant.ts';
import { catalogIn } from './product-settings.ts';
import { MOST_ROWS, reportPlaceText, type CatalogsAnswer } from '#contract/catalog/feed-answers.ts';

/** The reason a run ended, for its report. */
const CANCELLED = 'The run was cancelled.';

/** The catalogs on the page of developers: all of them with what their feeds did and do. */
export function feedSettings({ http, service, catalogs, uploads, now }: ServiceContext): Route[] {
  const { store, feeds } = catalogs;
  const catalogJson = ({ id, user, name }: StoredCatalog): CatalogsAnswer['catalogs'] => {
    const account = service.accountOf(user);
    // Removed with its account, a moment later.
    if (!account) return [];
    const { username } = account;
    const feed = feedInfo(store, id, now());
    const going = feeds.progress(id);
    const progress = going && progressInfo(going);
    return [{ id: String(id), name, username, feed, progress, runs: runInfos(store, id) }];
  };
  const storedRun = (params: { readonly id: string; readonly run: string }): FeedRun => {
    const run = store.runs.of(Number(params.id)).find(({ id }) => id === Number(params.run));
    if (run) return run;
    throw plainProblem(404, 'Not Found', `There is no run ${params.run}.`);
  };
  /** The number of a catalog that has a feed. */
  const found = ({ id }: { readonly id: string }): number => {
    if (store.feeds.of(Number(id))) return Number(id);
    throw plainProblem(404, 'Not Found', `The catalog ${id} does not exist, or has no feed.`);
  };
  return [
    http.serve(FEEDS.catalogs, () => ({ catalogs: store.all().flatMap(catalogJson) })),
    http.serve(FEEDS.add, async ({ body: { name, username } }) => {
      const user = service.findAccount(username);
      if (!user) throw plainProblem(404, 'Not Found', `There is no account @${username}.`);
      const { id } = await addCatalog(catalogs, service, { app: null, user }, name, now());
      return { id: String(id) };
    }),
    http.serve(FEEDS.putFeed, async ({ params, body }) => {
      const { id } = await putFeed(catalogs, catalogIn(store, params), body, now());
      return { id: String(id) };
    }),
    http.serve(FEEDS.run, ({ params }) => {
      feeds.launch(found(params));
      return { running: true };
    }),
    http.serve(FEEDS.cancel, async ({ params }) => ({
      cancelled: await feeds.cancel(catalogIn(store, params), CANCELLED),
    })),
    http.serve(FEEDS.file, async ({ c, params, query: { format } }) => {
      const catalog = catalogIn(store, params);
      const busy = ({ message }: Error): Fault => plainProblem(409, 'Conflict', message);
      // Before a gigabyte is sent.
      if (feeds.progress(catalog)) throw busy(new FeedBusy());
      const upload = await receiveFile(c, uploads);
      const place = (path: string): Promise<void> => rename(upload.path, path);
      try {
        await feeds.take(catalog, { format, place });
      } catch (error) {
        throw error instanceof FeedBusy ? busy(error) : error;
      } finally {
        await upload.remove();
      }
      return { running: true };
    }),
    http.serve(FEEDS.csv, ({ params }) => ({
      csv: runCsv(store.runs, storedRun(params).id),
    })),
    http.serve(FEEDS.rows, ({ params, query }) => {
      const run = storedRun(params);
      const { after = null, kind, rule } = query;
      const part = { after, limit: MOST_ROWS + 1, rule: kind && rule ? { kind, rule } : null };
      const rows = store.runs.rows(run.id, part);
      const page = rows.slice(0, MOST_ROWS);
      const last = page.at(-1);
      return {
        rows: page.map(({ number, errors, warnings, ...rest }) => ({
          row: number,
          ...rest,
          errors: [...errors],
          warnings: [...warnings],
        })),
        next: rows.length > MOST_ROWS && last ? reportPlaceText(reportPlace(last)) : null,
      };
    }),
  ];
}
