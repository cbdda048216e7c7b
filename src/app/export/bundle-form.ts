import * as v from 'valibot';
import { FIRST_SHOWN, LAST_SHOWN } from '#app/counts/files/board-form.ts';
import { STATES, type Curve } from '#core/series/series.ts';

/** Longest that a text of a bundle may be: far above an address that a browser takes. */
const MAX_TEXT = 1 << 20;
const MAX_SERIES = 1000;

const text = v.pipe(v.string(), v.maxLength(MAX_TEXT));
const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const instant = v.pipe(v.number(), v.finite(), v.minValue(FIRST_SHOWN), v.maxValue(LAST_SHOWN));
const perhaps = <const S extends v.GenericSchema<number>>(form: S) => v.array(v.nullable(form));

/** A curve as JSON holds it: null for NaN. */
const curve = v.pipe(
  v.strictObject({
    bounds: v.array(instant),
    counts: perhaps(v.pipe(v.number(), v.finite())),
    states: v.array(v.pipe(natural, v.maxValue(STATES.length - 1))),
    fetchedAt: perhaps(instant),
  }),
  v.check(
    ({ bounds, counts, states, fetchedAt }) =>
      Math.max(0, bounds.length - 1) === counts.length &&
      counts.length === states.length &&
      counts.length === fetchedAt.length,
    'expected one count, state and time per bucket',
  ),
  v.check(
    ({ bounds }) => bounds.every((at, i) => i === 0 || (bounds[i - 1] ?? 0) < at),
    'expected ascending bounds',
  ),
);

const common = { place: natural, label: text, query: text, source: text };

/** What a bundle says besides its pages. Written in this order of fields. */
export const BundleForm = v.strictObject({
  name: text,
  view: text,
  notes: v.array(v.strictObject({ id: text, start: instant, end: v.nullable(instant), text })),
  series: v.pipe(
    v.array(
      v.variant('from', [
        v.strictObject({
          from: v.literal('bundle'),
          ...common,
          key: text,
          settleMs: natural,
          /** The time of which the source had data; a null end is that of the pages. */
          covered: v.optional(v.strictObject({ start: instant, end: v.nullable(instant) })),
        }),
        v.strictObject({ from: v.literal('file'), ...common, curve }),
      ]),
    ),
    v.maxLength(MAX_SERIES),
    v.check(
      (all) => all.every(({ place }, i) => i === 0 || (all[i - 1]?.place ?? 0) < place),
      'expected series by rising place, each once',
    ),
  ),
});
export type BundleForm = v.InferOutput<typeof BundleForm>;

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** A curve as {@link BundleForm} holds it. */
export function plainCurve({
  bounds,
  counts,
  states,
  fetchedAt,
}: Curve): v.InferOutput<typeof curve> {
  return {
    bounds: [...bounds],
    counts: [...counts].map(known),
    states: [...states],
    fetchedAt: [...fetchedAt].map(known),
  };
}

/** The curve of a {@link plainCurve}. */
export function curveFrom(plain: v.InferOutput<typeof curve>): Curve {
  const typed = (values: readonly (number | null)[]): Float64Array =>
    Float64Array.from(values, (value) => value ?? Number.NaN);
  return {
    bounds: Float64Array.from(plain.bounds),
    counts: typed(plain.counts),
    states: Uint8Array.from(plain.states),
    fetchedAt: typed(plain.fetchedAt),
  };
}
