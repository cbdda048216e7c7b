import { FEEDS, MOST_ROWS, reportPlaceText, type CatalogsAnswer } from '#contract/catalog/feeds.ts';
import { plainProblem } from '#contract/fault.ts';
import type { Service } from '#server/auth/store.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { feedInfo, runInfos } from '#server/catalog/feed/run-info.ts';
import { reportPlace } from '#server/catalog/feed/run-table.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';
import type { Http, Route } from '#server/http/serve.ts';
import { putFeed } from './feeds.ts';
import { addCatalog } from './merchant.ts';

export interface FeedSettingsDeps {
  readonly http: Http;
  readonly service: Service;
  readonly catalogs: Catalogs;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The reason a run ended, for its report. */
const CANCELLED = 'The run was cancelled.';

/** The catalogs on the page of developers: all of them with what their feeds did and do. */
export function feedSettings({ http, service, catalogs, now }: FeedSettingsDeps): Route[] {
  const { store, feeds } = catalogs;
  const catalogJson = ({ id, user, name }: StoredCatalog): CatalogsAnswer['catalogs'] => {
    const account = service.accountOf(user);
    // Removed with its account, a moment later.
    if (!account) return [];
    const { username } = account;
    const feed = feedInfo(store, id, feeds.progress(id), now());
    return [{ id: String(id), name, username, feed, runs: runInfos(store, id) }];
  };
  /** The number of a catalog. */
  const there = ({ id }: { readonly id: string }): number => {
    if (store.has(Number(id))) return Number(id);
    throw plainProblem(404, 'Not Found', `The catalog ${id} does not exist.`);
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
      const { id } = await putFeed(catalogs, there(params), body, now());
      return { id: String(id) };
    }),
    http.serve(FEEDS.run, ({ params }) => {
      feeds.launch(found(params));
      return { running: true };
    }),
    http.serve(FEEDS.cancel, async ({ params }) => ({
      cancelled: await feeds.cancel(found(params), CANCELLED),
    })),
    http.serve(FEEDS.rows, ({ params, query }) => {
      const run = store.runs.of(Number(params.id)).find(({ id }) => id === Number(params.run));
      if (!run) throw plainProblem(404, 'Not Found', `There is no run ${params.run}.`);
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
