import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import { ConsoleSheet } from '#app/developers/advertisers/console-sheet.svelte.ts';
import { faultText } from '#app/format/fault-text.ts';
import { Loaded } from '#app/settings/loaded.svelte.ts';
import {
  ADVERTISER_CAMPAIGN,
  ADVERTISER_CAMPAIGNS,
  ADVERTISERS,
  type AdvertisersAnswer,
  type CampaignsAnswer,
} from '#contract/ads/advertisers.ts';
import { advertisedCampaign, type AdvertisedCampaign } from './advertised.ts';

/** The means to read ad accounts of this service and to send it files. */
export interface AdService {
  readonly client: EndpointClient;
  readonly files: FileSender;
}

/** Campaigns to choose from: those of an ad account, or of a file that was imported into it. */
interface CampaignChoice {
  readonly account: string;
  /** Name of the ad account or of the file. */
  readonly source: string;
  readonly campaigns: Loaded<CampaignsAnswer>;
  /** The number of campaigns of the file; null for an ad account, whose campaigns say it. */
  readonly total: number | null;
}

type ListedCampaign = CampaignsAnswer['campaigns'][number];

/** True for a campaign with a time: it has a date, or a figure. */
export function hasTime({ start, end, spend, impressions, clicks, engagements }: ListedCampaign) {
  return [start, end, spend, impressions, clicks, engagements].some((known) => known !== null);
}

/** The ad accounts of this service, the campaigns of the one that is chosen, and those of them to add to the board. */
export class AdCampaigns {
  readonly #service: AdService;
  /** IANA name, for an ad account that an import creates. */
  readonly #zone: string;
  #closed = false;
  readonly accounts: Loaded<AdvertisersAnswer>;
  /** Null while there is no ad account. */
  choice = $state.raw<CampaignChoice | null>(null);
  /** Ids of the chosen campaigns that are ticked. */
  ticked = $state.raw<ReadonlySet<string>>(new Set());
  /** The file that is about to be imported; null if there is none. */
  sheet = $state.raw<ConsoleSheet | null>(null);
  reading = $state(false);
  /** The reason the campaigns could not be read, in words; empty if there is none. */
  fault = $state('');

  constructor(service: AdService, zone: string) {
    this.#service = service;
    this.#zone = zone;
    this.accounts = new Loaded(
      () => call(service.client, ADVERTISERS),
      ({ accounts }) => {
        const first = accounts.find(({ campaigns }) => campaigns > 0) ?? accounts[0];
        if (first && !this.choice) this.choose(first.id);
      },
    );
    void this.accounts.load();
  }

  /** Shows the campaigns of an ad account. */
  choose(id: string): void {
    const account = this.accounts.value?.accounts.find((each) => each.id === id);
    if (account) this.#show(id, account.name || id);
  }

  #show(account: string, source: string, file?: { total: number; ids: readonly string[] }): void {
    const query = file ? { ids: file.ids.join(',') } : {};
    const campaigns = new Loaded(
      () => call(this.#service.client, ADVERTISER_CAMPAIGNS, { params: { id: account }, query }),
      (found) => {
        const timed = found.campaigns.filter(hasTime).map(({ id }) => id);
        if (file && this.choice?.campaigns === campaigns) this.ticked = new Set(timed);
      },
    );
    this.ticked = new Set();
    this.fault = '';
    this.choice = { account, source, campaigns, total: file?.total ?? null };
    void campaigns.load();
  }

  tick(id: string, on: boolean): void {
    const others = [...this.ticked].filter((each) => each !== id);
    this.ticked = new Set(on ? [...others, id] : others);
  }

  /** Opens the sheet of an export of a console. */
  open([file]: readonly File[]): void {
    const advertisers = this.accounts.value;
    if (!file || !advertisers) return;
    const onimported: ConstructorParameters<typeof ConsoleSheet>[0]['onimported'] = (
      account,
      { campaigns },
    ) => {
      this.#show(account, file.name, campaigns);
      void this.accounts.reload();
    };
    const { files } = this.#service;
    this.sheet = new ConsoleSheet({ file, files, advertisers, zone: this.#zone, onimported });
    void this.sheet.read();
  }

  /** Closes the sheet, and ends what it does. */
  closeSheet(): void {
    this.sheet?.close();
    this.sheet = null;
  }

  /** Ends everything. */
  close(): void {
    this.#closed = true;
    this.closeSheet();
  }

  /** Reads the campaigns that are ticked. @returns Null if one cannot be read, or it was closed. */
  async read(): Promise<readonly AdvertisedCampaign[] | null> {
    const { choice, reading } = this;
    if (!choice || reading) return null;
    const { account: id, source } = choice;
    this.reading = true;
    this.fault = '';
    try {
      const found: AdvertisedCampaign[] = [];
      for (const campaign of this.ticked) {
        const params = { id, campaign };
        const answer = await call(this.#service.client, ADVERTISER_CAMPAIGN, { params });
        if (this.#closed) return null;
        const event = advertisedCampaign(answer, source, id);
        if (event) found.push(event);
      }
      return found;
    } catch (error) {
      this.fault = faultText(error);
      return null;
    } finally {
      this.reading = false;
    }
  }
}
