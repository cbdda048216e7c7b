import { AD_READS } from '#contract/ads.ts';
import type { AdPath } from '#contract/ads.ts';
import { AD_KINDS } from '#contract/ad-kinds.ts';
import type { AdKind, AdKindName } from '#contract/ad-kinds.ts';
import { quarterHour } from '#contract/paging.ts';
import { advertiserFault } from '#server/advertising/advertiser-fault.ts';
import type { AdvertiserCode } from '#server/advertising/advertiser-fault.ts';
import { entity as entityAnswer, listing } from '#server/advertising/envelope.ts';
import { sealBy } from '#server/http/page-token.ts';
import type { Http, Route } from '#server/http/serve.ts';
import { accountOpener } from './account.ts';
import { entityJson } from './entity-json.ts';
import { readListing } from './listing.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';

interface AdsDeps {
  readonly http: Http;
  readonly ads: AdsStore;
  /** Epoch ms. */
  readonly now: () => number;
  /** Seals cursors. */
  readonly pageKey: Uint8Array;
}

/** Listings with a total may be asked for only so often (platform-facts, section 10). */
const TOTALS = quarterHour(200);

/**
 * The entity of an ad account.
 *
 * @throws {@link Fault} 404 with the code of its kind if there is none, or it was deleted.
 */
function entityIn(
  ads: AdsStore,
  name: AdKindName,
  holder: string,
  id: string,
  withDeleted = false,
): AdEntity {
  const found = ads.find(name, id);
  if (found && found.holder === holder && (withDeleted || !found.deleted)) return found;
  const { key, missing }: AdKind = AD_KINDS[name];
  const message = `There is no entity of the id "${id}" in this ad account`;
  throw advertiserFault(404, missing as AdvertiserCode, message, { parameter: key, value: id });
}

/** Serves the entities of advertisers. */
export function ads({ http, ads: store, now, pageKey }: AdsDeps): Route[] {
  const seal = sealBy(pageKey);
  const opener = accountOpener(store, now);
  const forTotals = opener(TOTALS);

  const reads = (name: AdKindName): Route[] => {
    const kind: AdKind = AD_KINDS[name];
    const open = opener(quarterHour(kind.reads));
    const ofAccount = name === 'ACCOUNT';
    const accountOf = ({ account_id: id = '' }: AdPath): string => id;
    return [
      http.serve(AD_READS[name].list, (call) => {
        const { caller, params, query, texts } = call;
        const openThis = query.with_total_count ? forTotals : open;
        const holder = ofAccount ? caller.user.id : openThis(call, accountOf(params)).id;
        const page = readListing(store, { kind: name, holder, query, texts }, seal);
        const { entities, ...rest } = page;
        return listing(call, { ...rest, data: entities.map(entityJson(store, now())) });
      }),
      http.serve(AD_READS[name].one, (call) => {
        const withDeleted = call.query.with_deleted;
        const account = open(call, accountOf(call.params), ofAccount && withDeleted);
        const id = call.params[kind.key] ?? '';
        const found = ofAccount ? account : entityIn(store, name, account.id, id, withDeleted);
        return entityAnswer(call, entityJson(store, now())(found));
      }),
    ];
  };
  return (Object.keys(AD_KINDS) as AdKindName[]).flatMap(reads);
}
