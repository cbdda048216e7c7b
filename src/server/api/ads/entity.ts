import { AD_KINDS } from '#contract/ad-kinds.ts';
import type { AdKind, AdKindName } from '#contract/ad-kinds.ts';
import { advertiserFault } from '#server/advertising/advertiser-fault.ts';
import type { AdvertiserCode } from '#server/advertising/advertiser-fault.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';

/**
 * The entity of an ad account.
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
  const found = ads.find(name, id);
  if (found && found.holder === holder && (withDeleted || !found.deleted)) return found;
  const { key, missing }: AdKind = AD_KINDS[name];
  const message = `There is no entity of the id "${id}" in this ad account`;
  throw advertiserFault(404, missing as AdvertiserCode, message, {
    parameter: parameter ?? key,
    value: id,
  });
}
