import * as v from 'valibot';
import { expected, oneOf, parametersOf } from '#contract/ads/advertising.ts';
import { isZone } from '#core/time/zone-name.ts';
import { orNull } from './catalog-text.ts';

export const FEED_FORMATS = ['CSV', 'TSV', 'XML'] as const;
export const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY'] as const;

/** Values of `repeat` by frequency; a daily feed has none (platform-facts, section 11). */
export const REPEATS = {
  HOURLY: ['1', '2', '3', '4', '6', '8', '12'],
  DAILY: [],
  WEEKLY: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
} as const satisfies Record<(typeof FREQUENCIES)[number], readonly string[]>;

function isAddress(value: string): boolean {
  if (!URL.canParse(value) || value.length > 2000) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** True for the name of a zone, which an offset is not. */
const isNamedZone = (value: string): boolean => isZone(value) && !/^[+-]/.test(value);

/** The parameters of every feed, whatever its frequency. */
export const FEED = {
  feed_url: v.pipe(
    v.string(),
    v.check(isAddress, expected('an http or https address without a password', 'feed_url')),
  ),
  feed_format: oneOf('feed_format', FEED_FORMATS),
  frequency: oneOf('frequency', FREQUENCIES),
  start_time: v.pipe(
    v.string(),
    v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, expected('a time HH:MM', 'start_time')),
  ),
  time_zone: v.pipe(v.string(), v.check(isNamedZone, expected('an IANA time zone', 'time_zone'))),
};
const repeat = v.optional(v.string());
export const FeedQuery = parametersOf({ ...FEED, repeat });
export type FeedQuery = v.InferOutput<typeof FeedQuery>;
export const FeedChange = parametersOf({ ...v.partial(v.object(FEED)).entries, repeat });
export type FeedChange = v.InferOutput<typeof FeedChange>;

export const FeedObject = v.object({
  id: v.string(),
  product_catalog_id: v.string(),
  feed_url: v.string(),
  feed_format: v.picklist(FEED_FORMATS),
  frequency: v.picklist(FREQUENCIES),
  repeat: orNull,
  start_time: v.string(),
  time_zone: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
});
export type FeedObject = v.InferOutput<typeof FeedObject>;
