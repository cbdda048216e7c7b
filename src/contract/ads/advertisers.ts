import * as v from 'valibot';
import { endpoint } from '#contract/endpoint.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

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
      campaigns: whole,
    }),
  ),
});
export type AdvertisersAnswer = v.InferOutput<typeof AdvertisersAnswer>;

/** The ad accounts of all users, the first 100 of each, for the page of developers. */
export const ADVERTISERS = endpoint('GET', '/advertisers', {
  authentication: ['session'],
  query: NO_PARAMETERS,
  answer: AdvertisersAnswer,
});

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
  total: whole,
});
export type CampaignsAnswer = v.InferOutput<typeof CampaignsAnswer>;

/** The newest 100 campaigns of an ad account with their figures, for the page of developers. */
export const ADVERTISER_CAMPAIGNS = endpoint('GET', '/advertisers/:id/campaigns', {
  authentication: ['session'],
  params: v.object({ id: v.string() }),
  query: NO_PARAMETERS,
  answer: CampaignsAnswer,
});
