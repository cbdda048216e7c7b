import type { MerchantOrder } from '#contract/catalog/feeds.ts';
import { addFeed, changeFeed } from '#server/api/catalog/feeds.ts';
import { addCatalog } from '#server/api/catalog/merchant.ts';
import type { Service } from '#server/auth/store.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { feedInfo } from '#server/catalog/feed/run-info.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';
import { catalogOf, merchantsOne } from './merchant-catalogs.ts';
import type { MerchantCatalog } from '#contract/catalog/feed-answers.ts';

/** Opens the job that creates catalogs and sets their feeds. */
export function catalogJob(
  catalogs: Catalogs,
  service: Service,
  now: () => number,
): Pick<Jobs, 'catalog'> {
  const { store, feeds } = catalogs;
  const infoOf = (username: string, catalog: StoredCatalog): MerchantCatalog => {
    const feed = feedInfo(store, catalog.id, now());
    return { id: String(catalog.id), name: catalog.name, username, feed };
  };
  const carryOut = async (order: MerchantOrder): Promise<MerchantCatalog> => {
    if (order.action === 'add') {
      // An account that is named is refused with what it needs.
      const accounts = service
        .accounts()
        .filter(({ profile }) => order.username !== null || profile.merchant_terms);
      const none =
        order.username === null
          ? 'No account has accepted the merchant terms: groundswell user set NAME --merchant-terms yes.'
          : `There is no account @${order.username}.`;
      const several = 'Several accounts may have a catalog';
      const user = merchantsOne(accounts, order.username, several, none);
      const added = await addCatalog(catalogs, service, { app: null, user }, order.name, now());
      return infoOf(user.username, added);
    }
    const catalog = catalogOf(store, service, order.username);
    if (order.action === 'set-feed') await changeFeed(catalogs, catalog.id, order.change, now());
    else await feeds.write(() => addFeed(store, catalog.id, order.feed, now()));
    return infoOf(catalog.username, catalog);
  };
  return jobsOf({
    catalog: async (order) => ({ type: 'catalog', catalog: await carryOut(order) }),
  });
}
