import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import { Loaded } from '#app/settings/loaded.svelte.ts';
import {
  ADVERTISER_CAMPAIGNS,
  ADVERTISERS,
  type AdvertisersAnswer,
  type CampaignsAnswer,
} from '#contract/ads/advertisers.ts';

/** The ad accounts, and the campaigns of the one that is chosen. */
export class AdvertiserSettings {
  readonly #client: EndpointClient;
  readonly accounts: Loaded<AdvertisersAnswer>;
  /** Id of the ad account whose campaigns are visible; null if there is none. */
  chosen = $state<string | null>(null);
  /** The campaigns of the chosen ad account; null while none is chosen. */
  campaigns = $state.raw<Loaded<CampaignsAnswer> | null>(null);

  constructor({ client }: { readonly client: EndpointClient }) {
    this.#client = client;
    this.accounts = new Loaded(
      () => call(client, ADVERTISERS),
      ({ accounts }) => this.#follow(accounts),
    );
  }

  /** Shows the campaigns of an ad account. */
  choose(id: string): void {
    this.chosen = id;
    this.campaigns = new Loaded(() => call(this.#client, ADVERTISER_CAMPAIGNS, { params: { id } }));
    void this.campaigns.load();
  }

  /** Shows the newest campaigns again, or those of the first ad account that has some. */
  #follow(accounts: AdvertisersAnswer['accounts']): void {
    const isThere = accounts.some(({ id }) => id === this.chosen);
    const first = accounts.find(({ campaigns }) => campaigns > 0) ?? accounts[0];
    const id = isThere ? this.chosen : (first?.id ?? null);
    if (id !== null) this.choose(id);
  }
}
