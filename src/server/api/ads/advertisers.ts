import { ADVERTISERS } from '#contract/ads/advertisers.ts';
import { USUAL_ZONE } from '#contract/ads/ad-kinds.ts';
import type { Service } from '#server/auth/store.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Http, Route } from '#server/http/serve.ts';

/** Most ad accounts of a user that are listed. */
const MOST = 100;

/** The ad accounts of all users, the first 100 of each, for the page of developers. */
export function advertisers(http: Http, service: Service, store: AdsStore): Route {
  const all = { withDeleted: false, withDraft: true };
  return http.serve(ADVERTISERS, () => ({
    accounts: service.accounts().flatMap(({ id: holder, username }) =>
      store
        .page({ kind: 'ACCOUNT', holder, ...all }, { by: [], after: null }, MOST)
        .map(({ entity: { id, fields } }) => ({
          id,
          name: String(fields['name'] ?? ''),
          username,
          timezone: String(fields['timezone'] ?? USUAL_ZONE),
          campaigns: store.count({ kind: 'CAMPAIGN', holder: id, ...all }),
        })),
    ),
  }));
}
