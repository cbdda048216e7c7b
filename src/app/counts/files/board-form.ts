import * as v from 'valibot';
import { STATES } from '#core/series/series.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { MAX_NAME, MAX_NOTE } from '#app/counts/cache/saved-board.ts';

/*
 * A board as JSON, in a backup and in a file of its own. Arrays of numbers are base64 of their little-endian
 * bytes: no number is changed by it, and NaN stays what it is.
 */

/** Greatest instant of a Date, epoch ms. */
const LAST_INSTANT = 8.64e15;
/** What calendars, zones and files can say in every zone: the years 0 to 9999, less a day. */
export const FIRST_SHOWN = Date.UTC(1970, 0, 1) - 719_527 * 86_400_000;
export const LAST_SHOWN = Date.UTC(9999, 11, 31);
const MAX_TEXT = 65_536;
/** Minutes of twenty years. */
const MAX_BUCKETS = 10_600_000;
const MAX_LIST = 10_000;

const instant = v.pipe(v.number(), v.integer(), v.minValue(FIRST_SHOWN), v.maxValue(LAST_SHOWN));
/** By a clock that was corrected, perhaps by a part of a millisecond. */
const clock = v.pipe(v.number(), v.minValue(-LAST_INSTANT), v.maxValue(LAST_INSTANT));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));
const text = v.pipe(v.string(), v.maxLength(MAX_TEXT));
const base64 = v.pipe(v.string(), v.base64());

const note = v.pipe(
  v.strictObject({
    id,
    start: instant,
    end: v.nullable(instant),
    text: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_NOTE)),
  }),
  v.check(
    ({ start, end }) => end === null || start < end,
    'expected an end after the start, or none',
  ),
);

const bytesIn = (encoded: string): number =>
  (encoded.length / 4) * 3 - (encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0);

/** A series whose arrays are of one length, the bounds rising, the states known. */
const fixed = v.pipe(
  v.strictObject({
    label: text,
    query: text,
    source: text,
    buckets: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_BUCKETS)),
    bounds: base64,
    counts: base64,
    states: base64,
    fetchedAt: base64,
  }),
  v.check(({ buckets, bounds, counts, states, fetchedAt }) => {
    const wanted = [(buckets + 1) * 8, buckets * 8, buckets, buckets * 8];
    return [bounds, counts, states, fetchedAt].every((part, i) => bytesIn(part) === wanted[i]);
  }, 'expected arrays as long as its buckets'),
  v.transform(({ buckets, ...one }): FixedSeries => ({
    label: one.label,
    query: one.query,
    source: one.source,
    bounds: doubles(one.bounds, buckets + 1),
    counts: doubles(one.counts, buckets),
    states: fromBase64(one.states),
    fetchedAt: doubles(one.fetchedAt, buckets),
  })),
  v.check(
    ({ bounds }) => bounds.every((at, i) => i === 0 || at > (bounds[i - 1] ?? Infinity)),
    'expected rising bounds',
  ),
  v.check(
    ({ bounds, fetchedAt }) =>
      bounds.every((at) => at >= FIRST_SHOWN && at <= LAST_SHOWN) &&
      fetchedAt.every((at) => Number.isNaN(at) || (at >= FIRST_SHOWN && at <= LAST_SHOWN)),
    'expected times in the years 0 to 9999',
  ),
  v.check(
    ({ counts }) => counts.every((count) => Math.abs(count) !== Infinity),
    'expected counts that are numbers or missing',
  ),
  v.check(({ states }) => states.every((state) => state < STATES.length), 'expected known states'),
);

const board = {
  id,
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MAX_NAME)),
  at: clock,
  opened: clock,
  view: text,
  notes: v.pipe(
    v.array(note),
    v.maxLength(MAX_LIST),
    v.check(
      (notes) => new Set(notes.map(({ id }) => id)).size === notes.length,
      'expected each note once',
    ),
  ),
  fixed: v.pipe(v.array(fixed), v.maxLength(MAX_LIST)),
} as const;

export const BoardForm = v.strictObject(board);

const sum = v.pipe(v.string(), v.regex(/^[\da-f]{8}$/u));

/** With the checksums of what it was before. */
export const BoardRowForm = v.strictObject({
  ...board,
  was: v.pipe(
    v.array(sum),
    v.check(
      (sums) => sums.every((one, i) => i === 0 || (sums[i - 1] ?? '') < one),
      'expected checksums that rise',
    ),
  ),
});

function toBase64(array: Float64Array | Uint8Array): string {
  const bytes = new Uint8Array(array.byteLength);
  if (array instanceof Float64Array) {
    const view = new DataView(bytes.buffer);
    for (const [i, value] of array.entries()) view.setFloat64(i * 8, value, true);
  } else bytes.set(array);
  const parts: string[] = [];
  // As many arguments as every browser takes.
  for (let i = 0; i < bytes.length; i += 8190) {
    parts.push(String.fromCharCode(...bytes.subarray(i, i + 8190)));
  }
  return btoa(parts.join(''));
}

function fromBase64(encoded: string): Uint8Array {
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
}

function doubles(encoded: string, length: number): Float64Array {
  const view = new DataView(fromBase64(encoded).buffer);
  return Float64Array.from({ length }, (_, i) => view.getFloat64(i * 8, true));
}

/** A board as JSON can hold it, its fields always in this order. */
export function boardForm({ id, name, at, opened, view, notes, fixed }: SavedBoard) {
  return {
    id,
    name,
    at,
    opened,
    view,
    notes: notes.map(({ id, start, end, text }) => ({ id, start, end, text })),
    fixed: fixed.map((one) => ({
      label: one.label,
      query: one.query,
      source: one.source,
      buckets: one.counts.length,
      bounds: toBase64(one.bounds),
      counts: toBase64(one.counts),
      states: toBase64(one.states),
      fetchedAt: toBase64(one.fetchedAt),
    })),
  };
}

/** The board of a form that was read. */
export function boardFrom(form: v.InferOutput<typeof BoardForm>): SavedBoard {
  const { id, name, at, opened, view, notes, fixed } = form;
  return { id, name, at, opened, view, notes, fixed };
}
