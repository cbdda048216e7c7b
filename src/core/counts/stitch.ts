import { STATE, type Series } from '#core/series/series.ts';
import { BUCKET_MS, ceilTo, floorTo, type Granularity } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, cellOf, cellSpan, type Span } from '#core/time/span.ts';
import { type CellRecord, settles } from './ledger.ts';
import type { Sums } from './summary.ts';
import type { Invalidation } from './invalidation.ts';

/** The knowledge of one record, or of its summary, about a cell. */
export interface CellPart extends Pick<CellRecord, 'segments' | 'receipts'> {
  /** Granularity of the record: the finer wins if two know the same bucket. */
  readonly granularity: Granularity;
  /** Width of the counts here: the record's own, or a summary's hours or days. */
  readonly width: Granularity;
  /** Every bucket of the cell; zero if unknown. */
  readonly counts: CellCounts;
}

export interface StitchRules {
  readonly settleMs: number;
  /** Within these, an older answer is shown, but never as settled. */
  readonly invalidated: readonly Invalidation[];
}

type CellCounts = Sums;

/** A cell at the wanted granularity. */
export interface StitchedCell {
  readonly cell: number;
  /** Read-only: may be the record's own array. */
  readonly counts: CellCounts;
  readonly states: Uint8Array;
  /** The time at which each stretch was fetched (the oldest part of each bucket), ascending, epoch ms. */
  readonly fetched: readonly { readonly from: number; readonly to: number; readonly at: number }[];
  /** Buckets whose counts were invalidated since and not fetched again, by index, ascending. */
  readonly outdated: readonly number[];
}

interface Layer {
  readonly counts: Float64Array;
  readonly states: Uint8Array;
  /** The oldest fetch among the parts of each bucket, epoch ms; Infinity if unknown. */
  readonly at: Float64Array;
  /** Lowest generation among the parts of each bucket; negative if invalidated since. */
  readonly generation: Float64Array;
}

/** One part as buckets of the wanted granularity, with the rank of each. */
function layer(cell: number, granularity: Granularity, part: CellPart, rules: StitchRules): Layer {
  const { start, end } = cellSpan(cell);
  const width = BUCKET_MS[granularity];
  const n = CELL_MS / width;
  const known = new Uint32Array(n);
  const states = new Uint8Array(n).fill(STATE.settled);
  const at = new Float64Array(n).fill(Infinity);
  const generation = new Float64Array(n).fill(Infinity);
  for (const segment of part.segments) {
    const note = part.receipts[segment.receipt];
    if (!note) continue;
    for (let from = segment.from; from < segment.to;) {
      const to = Math.min(segment.to, floorTo(from, 'day') + DAY_MS);
      const state = settles(note.at, from, rules.settleMs) ? STATE.settled : STATE.provisional;
      const first = Math.floor((from - start) / width);
      const last = Math.ceil((to - start) / width);
      for (let i = first; i < last; i += 1) {
        const begin = start + i * width;
        known[i] = (known[i] ?? 0) + Math.min(to, begin + width) - Math.max(from, begin);
        if (state < (states[i] ?? 0)) states[i] = state;
        if (note.at < (at[i] ?? 0)) at[i] = note.at;
        if (note.generation < (generation[i] ?? 0)) generation[i] = note.generation;
      }
      from = to;
    }
  }
  for (let i = 0; i < n; i += 1) {
    if (known[i] === 0) states[i] = STATE.never;
    else if ((known[i] ?? 0) < width) states[i] = STATE.partial;
  }
  for (const raised of rules.invalidated) {
    if (raised.end <= start || raised.start >= end) continue;
    const first = Math.floor((Math.max(raised.start, start) - start) / width);
    const last = Math.ceil((Math.min(raised.end, end) - start) / width);
    for (let i = first; i < last; i += 1) {
      const own = generation[i] ?? 0;
      if (own < 0 || own >= raised.generation || states[i] === STATE.never) continue;
      generation[i] = own - Number.MAX_SAFE_INTEGER;
      states[i] = Math.min(states[i] ?? 0, STATE.provisional);
    }
  }
  const factor = width / BUCKET_MS[part.width];
  const counts = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    let sum = 0;
    for (let k = i * factor; k < (i + 1) * factor; k += 1) sum += part.counts[k] ?? 0;
    counts[i] = sum;
  }
  return { counts, states, at, generation };
}

/** True if bucket `i` of `a` wins over that of `b`, where `a` is the finer. */
function beats(a: Layer, b: Layer, i: number): boolean {
  const [stateA, stateB] = [a.states[i] ?? 0, b.states[i] ?? 0];
  if (stateA === STATE.never || stateB === STATE.never) return stateA !== STATE.never;
  const [old, older] = [a.generation[i] ?? 0, b.generation[i] ?? 0];
  if (old < 0 || older < 0) {
    if (old < 0 !== older < 0) return older < 0;
    if (old !== older) return old > older;
  }
  return stateA >= stateB;
}

/**
 * A cell at the wanted granularity, from everything known of it at that granularity or finer. Each
 * bucket resolves by generation, then state, then the finer.
 *
 * @throws {RangeError} if a part's counts are wider than wanted.
 */
export function stitchCell(
  cell: number,
  granularity: Granularity,
  parts: readonly CellPart[],
  rules: StitchRules,
): StitchedCell {
  const [only] = parts;
  const plain = parts.length === 1 && only ? plainCell(cell, granularity, only, rules) : null;
  if (plain) return plain;
  const finestFirst = [...parts].sort(
    (a, b) => BUCKET_MS[a.granularity] - BUCKET_MS[b.granularity],
  );
  const layers = finestFirst.map((part) => {
    if (BUCKET_MS[part.width] > BUCKET_MS[granularity]) {
      throw new RangeError(`expected counts by ${granularity} or finer, got ${part.width}`);
    }
    return layer(cell, granularity, part, rules);
  });
  const [best, ...coarser] = layers;
  const n = CELL_MS / BUCKET_MS[granularity];
  const none = { fetched: [], outdated: [] };
  if (!best) return { cell, counts: new Uint32Array(n), states: new Uint8Array(n), ...none };
  for (const other of coarser) {
    for (let i = 0; i < best.states.length; i += 1) {
      if (beats(best, other, i)) continue;
      best.counts[i] = other.counts[i] ?? 0;
      best.states[i] = other.states[i] ?? 0;
      best.at[i] = other.at[i] ?? 0;
      best.generation[i] = other.generation[i] ?? 0;
    }
  }
  const { counts, states, at, generation } = best;
  const outdated: number[] = [];
  for (let i = 0; i < n; i += 1) if ((generation[i] ?? 0) < 0) outdated.push(i);
  return {
    cell,
    counts,
    states,
    outdated,
    fetched: runsOf(at, cellSpan(cell).start, BUCKET_MS[granularity]),
  };
}

/**
 * The fast path for a cell with one part at the wanted width, whole buckets but the last, and no invalidation: there
 * is nothing to compare. Null in any other case.
 */
function plainCell(
  cell: number,
  granularity: Granularity,
  part: CellPart,
  rules: StitchRules,
): StitchedCell | null {
  const { counts } = part;
  const span = cellSpan(cell);
  if (part.width !== granularity) return null;
  if (rules.invalidated.some(({ start, end }) => start < span.end && end > span.start)) return null;
  const width = BUCKET_MS[granularity];
  const states = new Uint8Array(CELL_MS / width);
  const fetched: { from: number; to: number; at: number }[] = [];
  for (const [i, { receipt, from, to }] of part.segments.entries()) {
    const note = part.receipts[receipt];
    if (!note) continue;
    const isLast = i === part.segments.length - 1;
    if (from % width !== 0 || (to % width !== 0 && !isLast)) return null;
    // The first day that was not old enough; see `settles`.
    const young = floorTo(note.at - rules.settleMs, 'day');
    const whole = floorTo(to, granularity);
    const end = ceilTo(to, granularity);
    const unsettled = Math.min(whole, Math.max(from, young));
    const place = (at: number): number => (at - span.start) / width;
    states.fill(STATE.settled, place(from), place(unsettled));
    states.fill(STATE.provisional, place(unsettled), place(whole));
    // The newest bucket is still running.
    states.fill(STATE.partial, place(whole), place(end));
    const run = fetched.at(-1);
    if (run && run.at === note.at && run.to === from) run.to = end;
    else fetched.push({ from, to: end, at: note.at });
  }
  return { cell, counts, states, fetched, outdated: [] };
}

/** Joins buckets of the same fetch, and leaves out those without one. */
function runsOf(at: Float64Array, start: number, width: number): StitchedCell['fetched'] {
  const runs: { from: number; to: number; at: number }[] = [];
  for (let i = 0; i < at.length;) {
    const value = at[i] ?? Infinity;
    let end = i + 1;
    while (end < at.length && at[end] === value) end += 1;
    if (value !== Infinity)
      runs.push({ from: start + i * width, to: start + end * width, at: value });
    i = end;
  }
  return runs;
}

/** The knowledge of the run about buckets without an answer. */
export interface Unanswered {
  /** Requested in vain. */
  readonly failed: readonly Span[];
  /** The source cannot be asked about time before this instant. */
  readonly reach: number;
  /** The times for which the source has data, ascending, disjoint; answers outside them are not counts. */
  readonly covered: readonly Span[];
}

/**
 * Joins cells into one gap-free series.
 *
 * @param span - Widened to whole buckets.
 * @param cells - By cell number; an absent cell was never requested.
 */
export function stitch(
  span: Span,
  granularity: Granularity,
  cells: ReadonlyMap<number, StitchedCell>,
  unanswered: Unanswered,
): Series {
  const width = BUCKET_MS[granularity];
  const start = floorTo(span.start, granularity);
  const n = Math.max(0, (ceilTo(span.end, granularity) - start) / width);
  // Types that curves use, so that minutes are not copied again, in as little memory as possible.
  const isSmall = [...cells.values()].every((cell) => cell.counts.BYTES_PER_ELEMENT < 4);
  const counts = isSmall ? new Float32Array(n) : new Float64Array(n);
  const states = new Uint8Array(n);
  const fetched: { from: number; to: number; at: number }[] = [];
  const lastCell = n === 0 ? -1 : cellOf(start + n * width - 1);
  for (let cell = cellOf(start); cell <= lastCell; cell += 1) {
    const known = cells.get(cell);
    if (!known) continue;
    const offset = (cellSpan(cell).start - start) / width;
    const first = Math.max(0, -offset);
    const last = Math.min(known.counts.length, n - offset);
    counts.set(known.counts.subarray(first, last), offset + first);
    states.set(known.states.subarray(first, last), offset + first);
    for (const { from, to, at } of known.fetched) {
      const run = fetched.at(-1);
      if (run && run.at === at && run.to === from) run.to = to;
      else fetched.push({ from, to, at });
    }
  }
  const mark = (from: number, to: number, state: number): void => {
    const first = Math.max(0, Math.floor((from - start) / width));
    const last = Math.min(n, Math.ceil((to - start) / width));
    for (let i = first; i < last; i += 1) if (states[i] === STATE.never) states[i] = state;
  };
  for (const { start: from, end } of unanswered.failed) mark(from, end, STATE.failed);
  mark(start, Math.min(unanswered.reach, start + n * width), STATE.uncovered);
  const end = start + n * width;
  /** The buckets before this one contain covered time, or are marked. */
  let done = 0;
  for (const span of unanswered.covered) {
    const place = (at: number): number => Math.min(n, Math.max(0, (at - start) / width));
    const [from, to] = [place(span.start), place(span.end)];
    if (from >= to) continue;
    if (done < from) states.fill(STATE.uncovered, done, Math.floor(from));
    for (const at of [from, to]) {
      const i = Math.floor(at);
      if (at !== i) states[i] = Math.min(states[i] ?? 0, STATE.partial);
    }
    done = Math.ceil(to);
  }
  states.fill(STATE.uncovered, done);
  const inside = fetched
    .filter((run) => run.from < end && run.to > start)
    .map(({ from, to, at }) => ({ from: Math.max(from, start), to: Math.min(to, end), at }));
  return { granularity, start, counts, states, fetched: inside };
}
