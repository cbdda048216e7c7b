import * as v from 'valibot';
import { MAX_NAME } from '#app/counts/cache/saved-board.ts';
import {
  textValue,
  naturalValue,
  idValue,
  clockValue,
  MAX_LIST,
  instantValue,
  ascendingIds,
} from './archive-values.ts';
import { ArchivedNotes } from './note-entry.ts';

const MAX_SERIES = 1_000;
/** Minutes of twenty years. */
const MAX_BUCKETS = 10_600_000;

/** A series from a file, whose numbers are in `fixed/<part>.bin`. */
const fixed = {
  label: textValue,
  query: textValue,
  source: textValue,
  part: v.pipe(naturalValue, v.minValue(1)),
  buckets: v.pipe(naturalValue, v.maxValue(MAX_BUCKETS)),
};
const fixedEntry = v.strictObject(fixed);
export type FixedEntry = v.InferOutput<typeof fixedEntry>;

const board = {
  id: idValue,
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MAX_NAME)),
  at: clockValue,
  opened: clockValue,
  view: textValue,
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

const covered = v.strictObject({ start: instantValue, end: v.nullable(instantValue) });

const bundleSeries = v.variant('from', [
  v.strictObject({
    from: v.literal('cells'),
    place: naturalValue,
    label: textValue,
    query: textValue,
    source: textValue,
    key: textValue,
    settleMs: naturalValue,
    /** The times for which the source had data; a null end means the end of the pages. Earlier bundles have one. */
    covered: v.optional(v.union([covered, v.array(covered)])),
  }),
  v.strictObject({ from: v.literal('file'), place: naturalValue, ...fixed }),
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
    name: textValue,
    view: textValue,
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
