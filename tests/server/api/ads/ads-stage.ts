import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { stage, type As, type Stage } from '#tests/support/service/conformance.ts';

/** A service with one advertiser. */
export interface AdsStage {
  readonly on: Stage;
  readonly alice: As;
  /** Id of the advertiser's account. */
  readonly account: string;
  /** Adds entities to the account. */
  add(kind: AdKindName, ...fields: readonly AdFields[]): AdEntity[];
  /** Adds entities below another one. */
  below(kind: AdKindName, parent: string, ...fields: readonly AdFields[]): AdEntity[];
}

/** Starts a service with one advertiser for the tests of a file. */
export function adsStage(fields: AdFields = { name: 'Shop', timezone: 'Europe/Berlin' }): AdsStage {
  const on = stage();
  const alice = on.signer('alice');
  const [of] = on.service.ads.add(
    [{ kind: 'ACCOUNT', holder: alice.id, parent: null, fields }],
    on.now,
  );
  const account = of?.id ?? '';
  const below: AdsStage['below'] = (kind, parent, ...all) =>
    on.service.ads.add(
      all.map((each) => ({ kind, holder: account, parent: parent || null, fields: each })),
      on.now,
    );
  return { on, alice, account, below, add: (kind, ...all) => below(kind, '', ...all) };
}
