import type { AdFields } from '#contract/ads/ads.ts';
import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import type { Access } from '#contract/accounts/access.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import type { Publisher } from '#server/posts/editor/publisher.ts';

/** The author, the time and the means of a change. */
export interface ChangeBy {
  readonly store: AdsStore;
  readonly user: Account;
  readonly access: Access;
  /** Id of the app that the user changes it with; null for the dashboard. */
  readonly app: string | null;
  readonly media: MediaUploads;
  readonly publisher: Publisher;
  /** Epoch ms. */
  readonly now: number;
}

/** The change about which a rule decides. */
export interface Ruled {
  readonly by: ChangeBy;
  /** Id of the ad account. */
  readonly account: string;
  /** The fields that the request sets. */
  readonly sent: AdFields;
  /** The entity before the change; null for a new one. */
  readonly before: AdEntity | null;
}

/**
 * A rule of a kind, beyond the forms of its parameters.
 *
 * @returns The fields to set.
 * @throws {@link Fault}, or rejects with it, for what is not allowed.
 */
export type KindRule = (change: Ruled) => AdFields | Promise<AdFields>;
export type KindRules = Partial<Readonly<Record<AdKindName, KindRule>>>;

/** Refuses a parameter. */
export function refuse(parameter: string, value: unknown, message: string): never {
  throw advertiserFault(400, 'INVALID_PARAMETER', message, { parameter, value: String(value) });
}

/** Requires that a user is promotable. @throws {@link Fault} 403 USER_NOT_FOUND if it is another one than the caller. */
export function checkPromotable(
  { user }: Pick<ChangeBy, 'user'>,
  parameter: string,
  id: unknown,
): void {
  if (id === user.id) return;
  const message = `The user "${String(id)}" is not promotable in this ad account`;
  throw advertiserFault(403, 'USER_NOT_FOUND', message, { parameter, value: String(id) });
}
