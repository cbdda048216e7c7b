import * as v from 'valibot';
import { isZone } from '#core/time/zone-name.ts';
import { MAX_CAMPAIGN_DAYS, MAX_CONTROLS, MAX_NOTE } from '#app/counts/cache/saved-board.ts';
import { MOST_QUERY } from '#contract/counts/breakdown.ts';
import { amountValue, shownInstant, naturalValue, idValue, MAX_LIST } from './archive-values.ts';

const known = v.nullable(amountValue);
const spent = { spend: known, impressions: known, clicks: known };
const short = v.pipe(v.string(), v.maxLength(MOST_QUERY));

const campaign = v.strictObject({
  ...spent,
  currency: v.nullable(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/u))),
  budget: known,
  days: v.pipe(
    v.array(v.strictObject({ start: shownInstant, ...spent })),
    v.maxLength(MAX_CAMPAIGN_DAYS),
    v.check(
      (days) => days.every(({ start }, i) => i === 0 || (days[i - 1]?.start ?? 0) < start),
      'expected ascending days',
    ),
    v.readonly(),
  ),
  tag: short,
  source: short,
  ad: v.exactOptional(
    v.strictObject({
      account: short,
      campaign: short,
      zone: v.exactOptional(v.pipe(short, v.check(isZone, 'expected a time zone'))),
    }),
  ),
  control: v.nullable(
    v.strictObject({
      topic: short,
      queries: v.pipe(v.array(short), v.maxLength(MAX_CONTROLS), v.readonly()),
      chosen: shownInstant,
      changes: naturalValue,
    }),
  ),
});

const note = v.pipe(
  v.strictObject({
    id: idValue,
    start: shownInstant,
    end: v.nullable(shownInstant),
    text: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_NOTE)),
    campaign: v.optional(campaign),
  }),
  v.check(
    ({ end, campaign }) => end !== null || campaign === undefined,
    'expected an end of a campaign',
  ),
  v.check(
    ({ start, end }) => end === null || start < end,
    'expected an end after the start, or none',
  ),
);

export const ArchivedNotes = v.pipe(
  v.array(note),
  v.maxLength(MAX_LIST),
  v.check(
    (notes) => new Set(notes.map(({ id }) => id)).size === notes.length,
    'expected each note once',
  ),
);
