import { readStamp } from '#core/import/stamp.ts';
import { parseLocal } from '#core/time/local-text.ts';
import { presetSpan, type Preset } from '#core/time/presets.ts';
import { fittingResolution, sourceReach, type SourceEnds } from '#core/time/range.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, type Span } from '#core/time/span.ts';
import { localInstant, zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { UsageError } from '#server/cli/options.ts';
import type { RangeOrder } from './series-options.ts';

/*
 * Apart from the options, because calendars take a while to load, and `--help` needs none.
 */

/** The length of the future that a range may have: the rest of the year and of its last week. */
const FUTURE_MS = 373 * DAY_MS;

/** The offsets of a zone over the archive and a range's future. */
export function tableOf(zone: string, now: number): ZoneTable {
  return zoneTable(zone, { start: ARCHIVE_START - 400 * DAY_MS, end: now + 400 * DAY_MS });
}

/** An end of a range, epoch ms. @throws {@link UsageError} that names the value, the rule and the position. */
function instantOf(name: 'from' | 'to', text: string, table: ZoneTable): number {
  const stamp = readStamp(text, null);
  if (stamp) return stamp.isExact ? stamp.at : localInstant(table, stamp.at);
  const read = parseLocal(text, table);
  if (read.ok) return read.instant;
  throw new UsageError(
    `--${name} ${text} is not a time: ${read.message} (at position ${read.at + 1}).`,
  );
}

/**
 * The ends that a range names, epoch ms; null where it names none. For commands that read data before they can give
 * {@link rangeSpan} its ends: mistakes of the command line come first.
 *
 * @throws {@link UsageError} for an end that is no time.
 */
export function namedEnds(
  { from, to }: Pick<RangeOrder, 'from' | 'to'>,
  table: ZoneTable,
): { readonly start: number | null; readonly end: number | null } {
  return {
    start: from === null ? null : instantOf('from', from, table),
    end: to === null ? null : instantOf('to', to, table),
  };
}

/**
 * The span of a range. Where an end is missing, that of a preset.
 *
 * @param preset - The range without both ends.
 * @param ends - The oldest and newest Post of the source; null if not known.
 * @throws {@link UsageError} for an end that is no time, before the archive or too late, and if there is no time
 *   between them.
 */
export function rangeSpan(
  { from, to, zone }: RangeOrder,
  preset: Preset,
  ends: SourceEnds | null,
  now: number,
): Span {
  const table = tableOf(zone, now);
  const usual = presetSpan(preset, now, table, 1, sourceReach(ends, now, table));
  const named = namedEnds({ from, to }, table);
  const [start, end] = [named.start ?? usual.start, named.end ?? usual.end];
  // In zones east of UTC, the archive's first day began before it.
  if (start < ARCHIVE_START - DAY_MS) {
    throw new UsageError(`--from ${from} is too early: Posts begin on 2006-03-21.`);
  }
  if (start >= now) throw new UsageError(`--from ${from ?? ''} is in the future.`);
  if (end > now + FUTURE_MS) throw new UsageError(`--to ${to} is too far in the future.`);
  if (start < end) return { start: Math.max(start, ARCHIVE_START), end };
  const given = [from !== null && `--from ${from}`, to !== null && `--to ${to}`].filter(Boolean);
  const missing =
    from === null || to === null ? ` Give --${from === null ? 'from' : 'to'} too.` : '';
  throw new UsageError(
    `There is no time in ${given.join(' ')}: --to must be after --from. The end is not included.${missing}`,
  );
}

/** The width of a range's buckets. */
export function rangeResolution(granularity: Resolution | null, span: Span): Resolution {
  return granularity ?? fittingResolution(span);
}
