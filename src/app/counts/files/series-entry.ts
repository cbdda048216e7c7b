import * as v from 'valibot';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import type { PageFaultKind } from '#core/counts/check.ts';
import type { Purpose } from '#app/counts/cache/records.ts';
import {
  instantValue,
  inOrder,
  textValue,
  naturalValue,
  idValue,
  granularityValue,
  endpointValue,
  amountValue,
  clockValue,
  ascendingIds,
} from './archive-values.ts';

/** From long before the archive to far in the future. */
const MAX_CELL = 100_000;

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

const span = v.pipe(v.strictObject({ start: instantValue, end: instantValue }), inOrder());
const evidence = v.union([v.pipe(v.number(), v.finite()), textValue]);

const pageFault = v.strictObject({
  kind: faultKind,
  at: v.exactOptional(instantValue),
  expected: v.exactOptional(evidence),
  got: v.exactOptional(evidence),
  times: naturalValue,
});

const receipt = v.strictObject({
  id: idValue,
  request: textValue,
  granularity: granularityValue,
  endpoint: endpointValue,
  purpose,
  asked: v.strictObject({ start: instantValue, end: v.nullable(instantValue) }),
  /** Not a span, because a rejected page may report anything. */
  reported: v.strictObject({ start: instantValue, end: instantValue }),
  total: v.pipe(v.number(), v.finite()),
  at: instantValue,
  generation: naturalValue,
  index: naturalValue,
  price: amountValue,
  bytes: naturalValue,
  uncertain: v.exactOptional(amountValue),
  accepted: v.boolean(),
  faults: v.array(pageFault),
  revisions: v.array(v.strictObject({ start: instantValue, was: naturalValue, now: naturalValue })),
});

const request = v.strictObject({
  id: idValue,
  first: idValue,
  query: textValue,
  granularity: granularityValue,
  endpoint: endpointValue,
  start: instantValue,
  end: v.nullable(instantValue),
  purpose,
  generation: naturalValue,
  token: v.nullable(textValue),
  followed: v.boolean(),
  at: clockValue,
  failed: v.nullable(
    v.looseObject({
      title: textValue,
      type: textValue,
      status: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999)),
    }),
  ),
});

const sum = v.strictObject({ requests: naturalValue, money: amountValue });
const tally = v.strictObject({
  requests: naturalValue,
  money: amountValue,
  bytes: naturalValue,
  uncertain: v.exactOptional(sum),
});

const plan = v.strictObject({
  granularity: granularityValue,
  span,
  recent: naturalValue,
  all: naturalValue,
  money: amountValue,
  leastMs: amountValue,
  bytes: naturalValue,
  days: naturalValue,
  owned: naturalValue,
  held: naturalValue,
  minuteBytes: v.nullable(naturalValue),
});

const invalidated = v.pipe(
  v.array(
    v.pipe(
      v.strictObject({ start: instantValue, end: instantValue, generation: naturalValue }),
      inOrder(),
    ),
  ),
  v.check(
    (spans) => spans.every(({ start }, i) => i === 0 || (spans[i - 1]?.end ?? 0) <= start),
    'expected disjoint spans in order',
  ),
);

/** A revision of a store; without a mark if the store has none. */
const revision = { revision: naturalValue, mark: v.exactOptional(textValue) };

/** A cell without its counts, which are in the part for its series and granularity. */
const cell = v.strictObject({
  granularity: granularityValue,
  cell: v.pipe(v.number(), v.integer(), v.minValue(-MAX_CELL), v.maxValue(MAX_CELL)),
  /** Bytes per count. */
  width: v.picklist([1, 2, 4]),
  /** From, to, and the receipt's index in `receipts`. */
  segments: v.pipe(
    v.array(v.strictTuple([instantValue, instantValue, naturalValue])),
    v.minLength(1),
  ),
  receipts: v.array(v.strictTuple([idValue, instantValue, naturalValue, endpointValue])),
});
export type CellEntry = v.InferOutput<typeof cell>;

/** A series without its counts and without what its key contains. */
export const SeriesEntry = v.strictObject({
  series: v.strictObject({
    source: v.picklist(SOURCE_IDS),
    store: textValue,
    canonical: textValue,
    rules: naturalValue,
    query: textValue,
    usedAt: clockValue,
    fullHead: naturalValue,
    invalidated,
  }),
  store: v.nullable(
    v.strictObject({
      ...revision,
      epoch: v.exactOptional(naturalValue),
      named: v.exactOptional(v.array(v.strictObject(revision))),
      invalidated,
    }),
  ),
  run: v.nullable(
    v.strictObject({
      at: clockValue,
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
