import * as v from 'valibot';
import { endpoint } from '#contract/endpoint.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The ad accounts, by the age of their users. */
const AdvertisersAnswer = v.object({
  accounts: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      /** The account that it belongs to. */
      username: v.string(),
      /** IANA name. */
      timezone: v.string(),
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
