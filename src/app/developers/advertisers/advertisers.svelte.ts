import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import { Loaded } from '#app/settings/loaded.svelte.ts';
import {
  ADVERTISER_CAMPAIGNS,
  ADVERTISERS,
  type AdvertisersAnswer,
  type CampaignsAnswer,
} from '#contract/ads/advertisers.ts';
import { ConsoleSheet } from './console-sheet.svelte.ts';

interface AdvertiserDeps {
  readonly client: EndpointClient;
  readonly files: FileSender;
  readonly say: (text: string) => void;
}

/** The ad accounts, the campaigns of the one that is chosen, and the import of a file. */
export class AdvertiserSettings {
  readonly #deps: AdvertiserDeps;
  readonly accounts: Loaded<AdvertisersAnswer>;
  /** Id of the ad account whose campaigns are visible; null if there is none. */
  chosen = $state<string | null>(null);
  /** The campaigns of the chosen ad account; null while none is chosen. */
  campaigns = $state.raw<Loaded<CampaignsAnswer> | null>(null);

  /** The file that is about to be imported; null if there is none. */
  sheet = $state.raw<ConsoleSheet | null>(null);

  constructor(deps: AdvertiserDeps) {
    const { client } = deps;
    this.#deps = deps;
    this.accounts = new Loaded(
      () => call(client, ADVERTISERS),
      ({ accounts }) => this.#follow(accounts),
    );
  }

  /** Opens the sheet of a file. @param zone - IANA name, for a new ad account. */
  open([file, another]: readonly File[], zone: string): void {
    const { files, say } = this.#deps;
    const advertisers = this.accounts.value;
    if (another) return say('Import one file at a time.');
    if (!file || !advertisers) return;
    const onimported = (account: string): void => {
      this.chosen = account;
      void this.accounts.reload();
    };
    this.sheet = new ConsoleSheet({ file, files, advertisers, zone, onimported });
    void this.sheet.read();
  }

  /** Closes the sheet, and ends what it does. */
  close(): void {
    this.sheet?.close();
    this.sheet = null;
  }

  /** Shows the campaigns of an ad account. */
  choose(id: string): void {
    this.chosen = id;
    this.campaigns = new Loaded(() =>
      call(this.#deps.client, ADVERTISER_CAMPAIGNS, { params: { id } }),
    );
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
