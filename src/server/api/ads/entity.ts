import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import { advertiserFault, type AdvertiserCode } from '#server/ads/advertiser-fault.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';

/**
 * The entity of an ad account, by its id or key.
 *
 * @param at - Whether to find a deleted one too, and the parameter that names it, if that is not of the path.
 * @throws {@link Fault} 404 with the code of its kind if there is none, or it was deleted.
 */
export function entityIn(
  ads: AdsStore,
  name: AdKindName,
  holder: string,
  id: string,
  { withDeleted = false, parameter }: { withDeleted?: boolean; parameter?: string } = {},
): AdEntity {
  const { key, keyed, missing }: AdKind = AD_KINDS[name];
  const found = keyed ? ads.bySource(name, holder, id) : ads.find(name, id);
  if (found && found.holder === holder && (withDeleted || !found.deleted)) return found;
  const message = `There is no entity of the id "${id}" in this ad account`;
  throw advertiserFault(404, missing as AdvertiserCode, message, {
    parameter: parameter ?? key,
    value: id,
  });
}

/**
 * The entity of an ad account that a request for statistics names; a deleted one too.
 *
 * @param kind - As statistics name it: the account itself, a kind of entity, or one that this service has none of.
 * @throws {@link Fault} 404 with the code of its kind if the account has no such entity.
 */
export function entityWithFigures(
  ads: AdsStore,
  account: AdEntity,
  kind: string,
  id: string,
  parameter: string,
): AdEntity {
  if (kind === 'ACCOUNT' && id === account.id) return account;
  const known = kind !== 'ACCOUNT' && kind in AD_KINDS;
  if (known)
    return entityIn(ads, kind as AdKindName, account.id, id, { withDeleted: true, parameter });
  const message = `There is no entity of the id "${id}" in this ad account`;
  throw advertiserFault(404, 'NOT_FOUND', message, { parameter, value: id });
}
