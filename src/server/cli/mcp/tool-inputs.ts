import * as v from 'valibot';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';
import { isZone } from '#core/time/zone-name.ts';
import { validQuery, type SeriesOrder } from '#server/cli/counting/series-options.ts';

const MOST_QUERIES = 20;

const described = (text: string) => v.description<string, string>(text);
/** A query. */
export const queryInput = v.pipe(
  v.string(),
  v.maxLength(4096),
  described(
    'Words and operators as in the search of the platform, such as "oat milk" lang:en -is:retweet',
  ),
);
export const queriesInput = v.pipe(v.array(queryInput), v.minLength(1), v.maxLength(MOST_QUERIES));
const timeInput = v.pipe(
  v.string(),
  v.maxLength(40),
  described('A day such as 2024-01-31, or 2024-01-31 08:30, in the zone; or 2024-01-31T08:30:00Z'),
);
const zoneInput = v.optional(
  v.pipe(
    v.string(),
    v.check(isZone, 'expected a time zone such as Europe/Berlin'),
    v.description('Time zone of days and buckets'),
  ),
  'UTC',
);
/** The source, Your posts by default. */
export const sourceInput = v.optional(v.picklist(SOURCE_IDS), 'posts');
/** A source whose Posts this machine has. */
export const storedInput = v.optional(v.picklist(['posts', 'sample']), 'posts');
/** The end is not included. */
export const periodInput = { from: timeInput, to: timeInput, zone: zoneInput };
/** A range; without an end, up to now. */
export const rangeInput = {
  from: v.exactOptional(timeInput),
  to: v.exactOptional(timeInput),
  zone: zoneInput,
};
/** The queries to count, and a range. */
export const seriesInput = v.strictObject({
  queries: queriesInput,
  source: sourceInput,
  ...rangeInput,
  by: v.exactOptional(v.pipe(v.picklist(RESOLUTIONS), v.description('Width of the buckets'))),
});

/** The order of the series that an input asks for. */
export const inputOrder = ({
  queries,
  source,
  from,
  to,
  zone,
  by,
}: v.InferOutput<typeof seriesInput>): SeriesOrder => ({
  source,
  queries: queries.map((each) => validQuery(each, source)),
  range: { from: from ?? null, to: to ?? null, zone },
  granularity: by ?? null,
});
