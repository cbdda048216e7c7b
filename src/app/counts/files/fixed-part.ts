import type { FixedSeries } from '#core/series/imported-series.ts';
import { STATES, type Curve } from '#core/series/series.ts';
import type { Archive } from './archive.ts';
import type { FixedEntry } from './archive-schema.ts';
import type { ArchiveKind } from './archive-kind.ts';
import type { Part } from './write-archive.ts';
import { FIRST_SHOWN, LAST_SHOWN } from './archive-values.ts';

/*
 * The numbers of a series from a file: its bounds, counts, fetch times (64-bit floats, little-endian, NaN if unknown) and
 * states (bytes), one array after another.
 */

const partName = (part: number): string => `fixed/${part}.bin`;

/** Manifest entry of a series from a file, and the part with its numbers. @param part - Its number, from 1. */
export function writtenFixed(
  { label, query, source, bounds, counts, states, fetchedAt }: Omit<FixedSeries, 'origin'>,
  part: number,
): { readonly entry: FixedEntry; readonly part: Part } {
  const pieces = [bounds, Float64Array.from(counts), fetchedAt, states].map(
    (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
  );
  return {
    entry: { label, query, source, part, buckets: counts.length },
    part: { name: partName(part), pieces },
  };
}

/** The reason the numbers of a series are not a valid curve; null if they are. */
function wrongCurve({ bounds, counts, states, fetchedAt }: Curve): string | null {
  const shown = (at: number): boolean => at >= FIRST_SHOWN && at <= LAST_SHOWN;
  if (!bounds.every((at, i) => i === 0 || at > (bounds[i - 1] ?? Infinity))) {
    return 'expected ascending bounds';
  }
  if (!bounds.every(shown) || !fetchedAt.every((at) => Number.isNaN(at) || shown(at))) {
    return 'expected times in the years 0 to 9999';
  }
  if (!counts.every((count) => Math.abs(count) !== Infinity)) {
    return 'expected counts that are numbers or missing';
  }
  return states.every((state) => state < STATES.length) ? null : 'expected known states';
}

/** Reads a series from a file. @param where - Its description, to begin a sentence with. @throws {Fault} if it is invalid. */
export async function readFixed(
  archive: Archive<ArchiveKind>,
  { label, query, source, part, buckets }: FixedEntry,
  where: string,
): Promise<FixedSeries> {
  const bytes = await archive.bytes(partName(part));
  const lengths = [(buckets + 1) * 8, buckets * 8, buckets * 8, buckets];
  const expected = lengths.reduce((sum, length) => sum + length, 0);
  if (bytes.length !== expected) {
    throw archive.bad(
      `${where} is not valid: expected ${expected} bytes for ${buckets} buckets, got ${bytes.length}.`,
    );
  }
  let from = 0;
  const [bounds, counts, fetchedAt, states] = lengths.map((length) => {
    from += length;
    return bytes.slice(from - length, from);
  }) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array];
  const curve = {
    bounds: new Float64Array(bounds.buffer),
    counts: new Float64Array(counts.buffer),
    states,
    fetchedAt: new Float64Array(fetchedAt.buffer),
  };
  const wrong = wrongCurve(curve);
  if (wrong !== null) throw archive.bad(`${where} is not valid: ${wrong}.`);
  return { label, query, source, ...curve };
}
