import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { onlyParameters } from '#contract/parameters.ts';

/** The ad accounts, by the age of their users. */
const AdvertisersAnswer = v.object({
  /** Those of all users, also without an ad account, by age. */
  usernames: v.array(v.string()),
  accounts: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      /** The account that it belongs to. */
      username: v.string(),
      /** IANA name. */
      timezone: v.string(),
      /** True for the one of the user that imports created. */
      imported: v.boolean(),
      campaigns: Whole,
    }),
  ),
});
export type AdvertisersAnswer = v.InferOutput<typeof AdvertisersAnswer>;

/** The ad accounts of all users, the first 100 of each, for the pages of this service. */
export const ADVERTISERS = sessionEndpoint('GET', '/advertisers', { answer: AdvertisersAnswer });

const known = v.nullable(v.number());

/** The newest campaigns of an ad account. Times are epoch ms. */
const CampaignsAnswer = v.object({
  campaigns: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      /** As `effective_status` of the advertiser interface. */
      status: v.string(),
      /** Of the campaign, else of the first and last of its line items; null if none has it. */
      start: known,
      end: known,
      /** Of ISO 4217; null if none is known. */
      currency: v.nullable(v.string()),
      /** In millionths of a unit of the currency. Figures are of all time, and null if none is known. */
      spend: known,
      impressions: known,
      clicks: known,
      engagements: known,
    }),
  ),
  /** The number of all campaigns. */
  total: Whole,
});
export type CampaignsAnswer = v.InferOutput<typeof CampaignsAnswer>;

/** Most campaigns of an answer, and ids of a request. */
export const MOST_CAMPAIGNS = 100;

const CHOSEN = {
  /** Ids, separated by commas; the newest by default. */
  ids: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
      v.maxLength(
        MOST_CAMPAIGNS,
        `The query parameter \`ids\` has more than ${MOST_CAMPAIGNS} ids`,
      ),
    ),
  ),
};

/** Campaigns of an ad account with their figures: the newest {@link MOST_CAMPAIGNS}, or those of ids as far as there are any. */
export const ADVERTISER_CAMPAIGNS = sessionEndpoint('GET', '/advertisers/:id/campaigns', {
  params: v.object({ id: v.string() }),
  query: onlyParameters(CHOSEN),
  answer: CampaignsAnswer,
});

/** Most days of a campaign, the last ones. */
export const MOST_DAYS = 1_100;

const figures = { spend: known, impressions: known, clicks: known };

/** A campaign by day, in days of the ad account's time zone. Times are epoch ms, money is as in {@link CampaignsAnswer}. */
const CampaignAnswer = v.object({
  id: v.string(),
  name: v.string(),
  currency: v.nullable(v.string()),
  /** IANA name of the ad account's time zone. */
  timezone: v.string(),
  /**
   * From the first day to the end of the last one: by the dates of the campaign, else by its figures; null if it has
   * neither.
   */
  run: v.nullable(v.object({ start: v.number(), end: v.number() })),
  /** Of its whole time. */
  budget: known,
  ...figures,
  /** Those of which a figure is known, ascending. */
  days: v.array(v.object({ start: v.number(), ...figures })),
  /** The Posts that it promotes, as far as this service has them. */
  posts: v.array(v.object({ id: v.string(), text: v.string(), url: v.nullable(v.string()) })),
});
export type CampaignAnswer = v.InferOutput<typeof CampaignAnswer>;

/** One campaign, for the board. */
export const ADVERTISER_CAMPAIGN = sessionEndpoint('GET', '/advertisers/:id/campaigns/:campaign', {
  params: v.object({ id: v.string(), campaign: v.string() }),
  answer: CampaignAnswer,
});
