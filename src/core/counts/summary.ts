import { BUCKET_MS } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, HOUR_MS, cellSpan } from '#core/time/span.ts';
import { narrow, type CellRecord, type CountArray } from './ledger.ts';
import { smallCounts, type SmallCounts } from './rounded-counts.ts';

/** Sums in the narrowest array that fits them: those of large counts need more than 32 bits. */
export type Sums = CountArray | Float64Array;

/** Sum, minimum and maximum of the record's buckets in each hour or day of a cell. */
export interface Tier {
  readonly sum: Sums;
  /** Of whole buckets only; zero if there is none. */
  readonly min: CountArray;
  readonly max: CountArray;
}

/** Stored next to a record, so that hours and days can be drawn without reading it. */
export interface CellSummary extends Omit<CellRecord, 'counts'> {
  readonly days: Tier;
  /** Null if the record is of days. */
  readonly hours: Tier | null;
  /** Null if the record is not of minutes. */
  readonly small: SmallCounts | null;
}

/** The minimum of a unit without a whole bucket. */
const NONE = 0xffff_ffff;

/** A tier before it is narrowed. */
interface Wide {
  readonly sum: Float64Array;
  readonly min: Uint32Array;
  readonly max: Uint32Array;
}

function wideOf(units: number): Wide {
  const min = new Uint32Array(units).fill(NONE);
  return { sum: new Float64Array(units), min, max: new Uint32Array(units) };
}

// One pass per unit: a cell of 44,640 minutes takes a fraction of the time it takes to write it.
function unitsOf(record: CellRecord, unit: number): Wide {
  const width = BUCKET_MS[record.key[1]];
  const { start } = cellSpan(record.key[2]);
  const { counts } = record;
  const per = unit / width;
  const wide = wideOf(CELL_MS / unit);
  for (const { from, to } of record.segments) {
    const whole = Math.floor((to - start) / width);
    let i = (from - start) / width;
    while (i < whole) {
      const at = Math.floor(i / per);
      const end = Math.min(whole, (at + 1) * per);
      let sum = wide.sum[at] ?? 0;
      let min = wide.min[at] ?? 0;
      let max = wide.max[at] ?? 0;
      for (; i < end; i += 1) {
        const count = counts[i] ?? 0;
        sum += count;
        if (count < min) min = count;
        if (count > max) max = count;
      }
      wide.sum[at] = sum;
      wide.min[at] = min;
      wide.max[at] = max;
    }
    if (whole * width < to - start) {
      const at = Math.floor(whole / per);
      wide.sum[at] = (wide.sum[at] ?? 0) + (counts[whole] ?? 0);
    }
  }
  return wide;
}

/** Groups `per` units into one. */
function folded(fine: Wide, per: number): Wide {
  const wide = wideOf(fine.sum.length / per);
  for (let i = 0; i < fine.sum.length; i += 1) {
    const at = Math.floor(i / per);
    wide.sum[at] = (wide.sum[at] ?? 0) + (fine.sum[i] ?? 0);
    wide.min[at] = Math.min(wide.min[at] ?? NONE, fine.min[i] ?? NONE);
    wide.max[at] = Math.max(wide.max[at] ?? 0, fine.max[i] ?? 0);
  }
  return wide;
}

function narrowed({ sum, min, max }: Wide): Tier {
  const minima = min.map((count) => (count === NONE ? 0 : count));
  const isWide = sum.some((count) => count >= 2 ** 32);
  return { sum: isWide ? sum : narrow(sum), min: narrow(minima), max: narrow(max) };
}

function tiersOf(record: CellRecord): Pick<CellSummary, 'days' | 'hours'> {
  const { counts, key } = record;
  const itself = { sum: counts, min: counts, max: counts };
  if (key[1] === 'day') return { days: itself, hours: null };
  if (key[1] === 'hour') return { days: narrowed(unitsOf(record, DAY_MS)), hours: itself };
  const hours = unitsOf(record, HOUR_MS);
  return { days: narrowed(folded(hours, DAY_MS / HOUR_MS)), hours: narrowed(hours) };
}

export function summarise(record: CellRecord): CellSummary {
  return {
    key: record.key,
    segments: record.segments,
    receipts: record.receipts,
    ...tiersOf(record),
    small: record.key[1] === 'minute' ? smallCounts(record.counts) : null,
  };
}
