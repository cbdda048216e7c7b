import * as v from 'valibot';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import type { PageFaultKind } from '#core/counts/check.ts';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { isZone } from '#core/time/zone-name.ts';
import type { Purpose } from '#app/counts/cache/records.ts';
import {
  MAX_CAMPAIGN_DAYS,
  MAX_CONTROLS,
  MAX_NAME,
  MAX_NOTE,
} from '#app/counts/cache/saved-board.ts';
import { MOST_QUERY } from '#contract/counts/breakdown.ts';

/*
 * Schemas of the JSON in an archive. Objects are strict: an unknown field is an error, because it would be lost.
 * Fields are written in the order of these schemas.
 */

/** Latest instant of a `Date`, epoch ms. */
const LAST_INSTANT = 8.64e15;
/** Instants that can be shown in every zone: the years 0 to 9999, without a day at either end. */
export const FIRST_SHOWN = Date.UTC(1970, 0, 1) - 719_527 * 86_400_000;
export const LAST_SHOWN = Date.UTC(9999, 11, 31);
/** Maximum characters of a text: much longer than any URL that browsers accept. */
const MAX_TEXT = 2 ** 20;
const MAX_LIST = 10_000;
const MAX_SERIES = 1_000;
/** Minutes of twenty years. */
const MAX_BUCKETS = 10_600_000;
/** From long before the archive to far in the future. */
const MAX_CELL = 100_000;

const instant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(-LAST_INSTANT),
  v.maxValue(LAST_INSTANT),
);
const shownInstant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(FIRST_SHOWN),
  v.maxValue(LAST_SHOWN),
);
/** An instant of a corrected clock, which may have fractions of a millisecond. */
const clock = v.pipe(v.number(), v.minValue(-LAST_INSTANT), v.maxValue(LAST_INSTANT));
const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(MAX_TEXT));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));
const granularity = v.picklist(GRANULARITIES);
const endpoint = v.picklist(['recent', 'all']);

const keysOf = <T extends string>(kinds: Readonly<Record<T, true>>): [T, ...T[]] =>
  Object.keys(kinds) as [T, ...T[]];

const purpose = v.picklist(keysOf<Purpose>({ count: true, again: true, audit: true, probe: true }));

const faultKind = v.picklist(
  keysOf<PageFaultKind>({
    'cut-body': true,
    malformed: true,
    order: true,
    overlap: true,
    gap: true,
    'off-grid': true,
    outside: true,
    'bad-count': true,
    'wrong-total': true,
    'wrong-end': true,
    'repeated-page': true,
    'unexpected-token': true,
    'changed-settled': true,
    'empty-among-busy': true,
    drift: true,
    'contradicts-coarser': true,
    damaged: true,
  }),
);

const inOrder = <T extends { readonly start: number; readonly end: number }>() =>
  v.check<T, string>(({ start, end }) => start <= end, 'expected a start before the end');

const span = v.pipe(v.strictObject({ start: instant, end: instant }), inOrder());
const evidence = v.union([v.pipe(v.number(), v.finite()), text]);

const pageFault = v.strictObject({
  kind: faultKind,
  at: v.exactOptional(instant),
  expected: v.exactOptional(evidence),
  got: v.exactOptional(evidence),
  times: natural,
});

const receipt = v.strictObject({
  id,
  request: text,
  granularity,
  endpoint,
  purpose,
  asked: v.strictObject({ start: instant, end: v.nullable(instant) }),
  /** Not a span, because a rejected page may report anything. */
  reported: v.strictObject({ start: instant, end: instant }),
  total: v.pipe(v.number(), v.finite()),
  at: instant,
  generation: natural,
  index: natural,
  price: amount,
  bytes: natural,
  uncertain: v.exactOptional(amount),
  accepted: v.boolean(),
  faults: v.array(pageFault),
  revisions: v.array(v.strictObject({ start: instant, was: natural, now: natural })),
});

const request = v.strictObject({
  id,
  first: id,
  query: text,
  granularity,
  endpoint,
  start: instant,
  end: v.nullable(instant),
  purpose,
  generation: natural,
  token: v.nullable(text),
  followed: v.boolean(),
  at: clock,
  failed: v.nullable(
    v.looseObject({
      title: text,
      type: text,
      status: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999)),
    }),
  ),
});

const sum = v.strictObject({ requests: natural, money: amount });
const tally = v.strictObject({
  requests: natural,
  money: amount,
  bytes: natural,
  uncertain: v.exactOptional(sum),
});

const plan = v.strictObject({
  granularity,
  span,
  recent: natural,
  all: natural,
  money: amount,
  leastMs: amount,
  bytes: natural,
  days: natural,
  owned: natural,
  held: natural,
  minuteBytes: v.nullable(natural),
});

const ascendingIds = <T extends { readonly id: string }>() =>
  v.check<T[], string>(
    (rows) => rows.every(({ id }, i) => i === 0 || (rows[i - 1]?.id ?? '') < id),
    'expected rows by ascending id, each once',
  );

const invalidated = v.pipe(
  v.array(v.pipe(v.strictObject({ start: instant, end: instant, generation: natural }), inOrder())),
  v.check(
    (spans) => spans.every(({ start }, i) => i === 0 || (spans[i - 1]?.end ?? 0) <= start),
    'expected disjoint spans in order',
  ),
);

/** A revision of a store; without a mark if the store has none. */
const revision = { revision: natural, mark: v.exactOptional(text) };

/** A cell without its counts, which are in the part for its series and granularity. */
const cell = v.strictObject({
  granularity,
  cell: v.pipe(v.number(), v.integer(), v.minValue(-MAX_CELL), v.maxValue(MAX_CELL)),
  /** Bytes per count. */
  width: v.picklist([1, 2, 4]),
  /** From, to, and the receipt's index in `receipts`. */
  segments: v.pipe(v.array(v.strictTuple([instant, instant, natural])), v.minLength(1)),
  receipts: v.array(v.strictTuple([id, instant, natural, endpoint])),
});
export type CellEntry = v.InferOutput<typeof cell>;

/** A series without its counts and without what its key contains. */
export const SeriesEntry = v.strictObject({
  series: v.strictObject({
    source: v.picklist(SOURCE_IDS),
    store: text,
    canonical: text,
    rules: natural,
    query: text,
    usedAt: clock,
    fullHead: natural,
    invalidated,
  }),
  store: v.nullable(
    v.strictObject({
      ...revision,
      epoch: v.exactOptional(natural),
      named: v.exactOptional(v.array(v.strictObject(revision))),
      invalidated,
    }),
  ),
  run: v.nullable(
    v.strictObject({
      at: clock,
      plan,
      paused: v.literal(true),
      made: tally,
      before: v.exactOptional(sum),
      unnoted: v.exactOptional(sum),
    }),
  ),
  requests: v.pipe(v.array(request), ascendingIds()),
  receipts: v.pipe(v.array(receipt), ascendingIds()),
  cells: v.array(cell),
});
export type SeriesEntry = v.InferOutput<typeof SeriesEntry>;

const known = v.nullable(amount);
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
      changes: natural,
    }),
  ),
});

const note = v.pipe(
  v.strictObject({
    id,
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

/** A series from a file, whose numbers are in `fixed/<part>.bin`. */
const fixed = {
  label: text,
  query: text,
  source: text,
  part: v.pipe(natural, v.minValue(1)),
  buckets: v.pipe(natural, v.maxValue(MAX_BUCKETS)),
};
const fixedEntry = v.strictObject(fixed);
export type FixedEntry = v.InferOutput<typeof fixedEntry>;

const board = {
  id,
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MAX_NAME)),
  at: clock,
  opened: clock,
  view: text,
  notes: ArchivedNotes,
  fixed: v.pipe(v.array(fixedEntry), v.maxLength(MAX_LIST)),
};
const boardEntry = v.strictObject(board);
export type BoardEntry = v.InferOutput<typeof boardEntry>;

/** A board with the checksums of its earlier contents. */
const boardRowEntry = v.strictObject({
  ...board,
  was: v.pipe(
    v.array(v.pipe(v.string(), v.regex(/^[\da-f]{8}$/u))),
    v.check(
      (sums) => sums.every((each, i) => i === 0 || (sums[i - 1] ?? '') < each),
      'expected ascending checksums',
    ),
  ),
});

const covered = v.strictObject({ start: instant, end: v.nullable(instant) });

const bundleSeries = v.variant('from', [
  v.strictObject({
    from: v.literal('cells'),
    place: natural,
    label: text,
    query: text,
    source: text,
    key: text,
    settleMs: natural,
    /** The times for which the source had data; a null end means the end of the pages. Earlier bundles have one. */
    covered: v.optional(v.union([covered, v.array(covered)])),
  }),
  v.strictObject({ from: v.literal('file'), place: natural, ...fixed }),
]);
export type BundleSeriesEntry = v.InferOutput<typeof bundleSeries>;

const version = v.literal(1);

/** `manifest.json`: the kind of file, and everything that is not in another part. */
export const Manifest = v.variant('groundswell', [
  v.strictObject({
    groundswell: v.literal('backup'),
    version,
    boards: v.pipe(v.array(boardRowEntry), ascendingIds()),
  }),
  v.strictObject({ groundswell: v.literal('board'), version, board: boardEntry }),
  v.strictObject({
    groundswell: v.literal('bundle'),
    version,
    name: text,
    view: text,
    notes: ArchivedNotes,
    series: v.pipe(
      v.array(bundleSeries),
      v.maxLength(MAX_SERIES),
      v.check(
        (all) => all.every(({ place }, i) => i === 0 || (all[i - 1]?.place ?? 0) < place),
        'expected series by ascending place, each once',
      ),
    ),
  }),
]);
export type Manifest = v.InferOutput<typeof Manifest>;
export type ManifestOf<K extends Manifest['groundswell']> = Extract<Manifest, { groundswell: K }>;

/** Checks a value. @returns The parsed value, or a description of the first problem. */
export function check<const S extends v.GenericSchema>(
  schema: S,
  value: unknown,
): { readonly output: v.InferOutput<S> } | { readonly wrong: string } {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return { output: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  return { wrong: path === null ? issue.message : `${path}: ${issue.message}` };
}
