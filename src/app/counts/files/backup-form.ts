import * as v from 'valibot';
import { SOURCE_IDS } from '#contract/source-ids.ts';
import type { PageFault, PageFaultKind } from '#core/counts/check.ts';
import { GRANULARITIES } from '#core/time/bucket.ts';
import type { Purpose } from '#app/counts/cache/records.ts';

/** Greatest instant of a Date, epoch ms. */
const LAST_INSTANT = 8.64e15;
const MAX_TEXT = 65_536;
/** Cells from long before the archive to long after anyone reads this. */
const MAX_CELL = 100_000;

const instant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(-LAST_INSTANT),
  v.maxValue(LAST_INSTANT),
);
/** By a clock that was corrected, perhaps by a part of a millisecond. */
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

const noted = v.strictObject({
  kind: faultKind,
  at: v.exactOptional(instant),
  expected: v.exactOptional(evidence),
  got: v.exactOptional(evidence),
  times: natural,
});

/** A page's fault as JSON can hold it: evidence that is no finite number as text. */
export function plainFault(fault: PageFault): PageFault {
  const plain = <T>(value: T): T | string =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  const { kind, at, expected, got, times } = fault;
  return {
    kind,
    ...(at === undefined || !Number.isInteger(at) ? {} : { at }),
    ...(expected === undefined ? {} : { expected: plain(expected) }),
    ...(got === undefined ? {} : { got: plain(got) }),
    times,
  };
}

const receipt = v.strictObject({
  id,
  ask: text,
  granularity,
  endpoint,
  purpose,
  asked: v.strictObject({ start: instant, end: v.nullable(instant) }),
  /** Of a page that was not believed it may be anything. */
  told: v.strictObject({ start: instant, end: instant }),
  total: v.pipe(v.number(), v.finite()),
  at: instant,
  generation: natural,
  index: natural,
  price: amount,
  bytes: natural,
  uncertain: v.exactOptional(amount),
  kept: v.boolean(),
  noted: v.array(noted),
  revisions: v.array(v.strictObject({ start: instant, was: natural, now: natural })),
});

const ask = v.strictObject({
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

const rising = <T extends { readonly id: string }>() =>
  v.check<T[], string>(
    (rows) => rows.every(({ id }, i) => i === 0 || (rows[i - 1]?.id ?? '') < id),
    'expected rows by rising id, each once',
  );

const raised = v.pipe(
  v.array(v.pipe(v.strictObject({ start: instant, end: instant, generation: natural }), inOrder())),
  v.check(
    (spans) => spans.every(({ start }, i) => i === 0 || (spans[i - 1]?.end ?? 0) <= start),
    'expected disjoint spans in order',
  ),
);

/** A revision of a store; without a mark where it was written before revisions had one. */
const point = { revision: natural, mark: v.exactOptional(text) };

/** Everything of a series but its cells, without what its key says. Written in this order of fields. */
export const PapersForm = v.strictObject({
  series: v.strictObject({
    source: v.picklist(SOURCE_IDS),
    store: text,
    canonical: text,
    rules: natural,
    query: text,
    usedAt: clock,
    fullHead: natural,
    raised,
  }),
  store: v.nullable(
    v.strictObject({
      ...point,
      epoch: v.exactOptional(natural),
      named: v.exactOptional(v.array(v.strictObject(point))),
      raised,
      /** Has no meaning any more; older versions of the page read nothing without it. */
      pageDays: v.pipe(natural, v.minValue(1)),
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
  asks: v.pipe(v.array(ask), rising()),
  receipts: v.pipe(v.array(receipt), rising()),
});
export type PapersForm = v.InferOutput<typeof PapersForm>;

/** What stands before the counts of a cell: segments name their receipt by its place in `notes`. */
export const CellForm = v.strictObject({
  granularity,
  cell: v.pipe(v.number(), v.integer(), v.minValue(-MAX_CELL), v.maxValue(MAX_CELL)),
  /** Bytes of a count. */
  width: v.picklist([1, 2, 4]),
  segments: v.pipe(v.array(v.strictTuple([instant, instant, natural])), v.minLength(1)),
  notes: v.array(v.strictTuple([id, instant, natural, endpoint])),
});
export type CellForm = v.InferOutput<typeof CellForm>;

/** What the file should have held, at its end. */
export const EndForm = v.strictObject({
  series: natural,
  records: natural,
  receipts: natural,
  /** Absent where there are none: such a file is one of before there were boards. */
  boards: v.optional(natural, 0),
});
export type EndForm = v.InferOutput<typeof EndForm>;

/** The first thing that is wrong with a value, as words; null where nothing is. */
export function read<const S extends v.GenericSchema>(
  form: S,
  value: unknown,
): { readonly output: v.InferOutput<S> } | { readonly wrong: string } {
  const result = v.safeParse(form, value, { abortEarly: true });
  if (result.success) return { output: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  return { wrong: path === null ? issue.message : `${path}: ${issue.message}` };
}
