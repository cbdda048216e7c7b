import { rename } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import {
  FEEDS,
  MOST_COUNTED,
  MOST_ROWS,
  reportPlaceText,
  type CatalogsAnswer,
} from '#contract/catalog/feeds.ts';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Service } from '#server/auth/store.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { FeedBusy } from '#server/catalog/feed/feed-jobs.ts';
import { feedInfo, progressInfo, runInfos } from '#server/catalog/feed/run-info.ts';
import { runCsv } from '#server/catalog/feed/run-csv.ts';
import { reportPlace, type FeedRun } from '#server/catalog/feed/run-table.ts';
import type { StoredProduct } from '#server/catalog/product-reader.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';
import { receiveFile } from '#server/http/sent-file.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Uploads } from '#server/import/uploads.ts';
import { putFeed } from './feeds.ts';
import { addCatalog } from './merchant.ts';
import { countMembers, productsOf } from './sets.ts';

export interface FeedSettingsDeps {
  readonly http: Http;
  readonly service: Service;
  readonly catalogs: Catalogs;
  /** Receives files that the page sends; null if the service takes none. */
  readonly uploads: Uploads | null;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The reason a run ended, for its report. */
const CANCELLED = 'The run was cancelled.';

/** Products of a page, and the earlier values of each; sets of a catalog. */
const PRODUCTS_SHOWN = 50;
const CHANGES_SHOWN = 10;
const SETS_SHOWN = 100;

/** Products that are searched at once, which takes some milliseconds. */
const SEARCHED = 2000;

/** The catalogs on the page of developers: all of them with what their feeds did and do. */
export function feedSettings({ http, service, catalogs, uploads, now }: FeedSettingsDeps): Route[] {
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
      cancelled: await feeds.cancel(there(params), CANCELLED),
    })),
    ...(uploads
      ? [
          http.serve(FEEDS.file, async ({ c, params, query: { format } }) => {
            const catalog = there(params);
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
        ]
      : []),
    http.serve(FEEDS.csv, ({ params }) => ({
      csv: runCsv(store.runs, storedRun(params).id),
    })),
    http.serve(FEEDS.products, async ({ params, query }) => {
      const catalog = there(params);
      const text = query.search?.trim().toLowerCase() ?? '';
      let after: number | null = Number(query.after ?? 0);
      const found: StoredProduct[] = [];
      while (after !== null && found.length < PRODUCTS_SHOWN) {
        const among = text === '' ? PRODUCTS_SHOWN : SEARCHED;
        const [some, next]: readonly [StoredProduct[], number | null] = store.products.search(
          catalog,
          text,
          { after, among },
        );
        found.push(...some);
        after = next;
        // Other requests come in between.
        await setImmediate();
      }
      const shown = found.slice(0, PRODUCTS_SHOWN);
      if (found.length > PRODUCTS_SHOWN) after = shown.at(-1)?.key ?? null;
      const products = shown.map(({ key, product }) => {
        const { id, title, price, sale_price, availability } = product;
        const changes = store.products.history(key).toReversed();
        return {
          key: String(key),
          id,
          title,
          price,
          sale_price,
          availability,
          changes: changes.slice(0, CHANGES_SHOWN).map((each) => ({
            until: formatInstant(each.until),
            price: each.price,
            sale_price: each.salePrice,
            availability: each.availability,
          })),
        };
      });
      const total = store.products.count(catalog);
      return { total, products, next: after === null ? null : String(after) };
    }),
    http.serve(FEEDS.sets, ({ params }) => ({
      sets: store.sets.page(there(params), 0, SETS_SHOWN).map(({ id, name, type, filters }) => ({
        id: String(id),
        name,
        type,
        filters: filters.map(
          ({ attribute, operator, value }) => `${attribute} ${operator} ${value}`,
        ),
      })),
    })),
    http.serve(FEEDS.setProducts, ({ params, query }) => {
      const catalog = there(params);
      const set = store.sets.find(catalog, Number(params.set));
      if (!set) throw plainProblem(404, 'Not Found', `There is no set ${params.set}.`);
      const part = { after: Number(query.after ?? 0), limit: PRODUCTS_SHOWN };
      const [members, next] = productsOf(store, catalog, set, part);
      const products = members.flatMap(({ key }) => {
        const found = store.products.find(catalog, key);
        if (!found) return [];
        const { id, title, price, sale_price, availability } = found.product;
        return [{ key: String(key), id, title, price, sale_price, availability }];
      });
      const total = countMembers(store, catalog, set, MOST_COUNTED);
      return { total, products, next: next === null ? null : String(next) };
    }),
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
