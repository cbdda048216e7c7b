import { widthOf } from '#core/series/baseline.ts';
import { clearEpisode } from '#core/series/episode.ts';
import type { Curve } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { durationWords } from '#app/insight/drawer/drawer-text.ts';
import type { Subject } from '#app/insight/drawer/inspected.ts';

/** The course of a peak as terms with texts, and its accuracy. */
export interface EpisodeText {
  readonly rows: readonly { readonly term: string; readonly text: string }[];
  readonly note: string;
}

/** A bucket that is no peak gets a course only from this multiple of the expected count: below, its summit is noise. */
const OUTSTANDING = 1.5;
const UNCLEAR = 'Its hours and minutes show no clear onset.';

/** The reason a list of peaks is empty. Buckets longer than a day even out most peaks, and a narrow screen may have chosen them. */
export function noPeaksWords(per: Resolution): string {
  const isCoarse = per !== 'minute' && per !== 'hour' && per !== 'day';
  const finer = isCoarse ? ' Choose days to find shorter peaks.' : '';
  return `No peaks: no ${per} is far above the usual.${finer}`;
}

/** @param span - Without a peak; a day has at most 27 hours. */
function quietWords({ start, end }: Span): string {
  const length = end - start;
  if (length === MINUTE_MS) return 'No peak in this minute.';
  if (length === HOUR_MS) return 'No peak in this hour.';
  const isDay = length >= 21 * HOUR_MS && length <= 27 * HOUR_MS;
  return `No peak ${isDay ? 'on this day' : 'in this time'}.`;
}

/**
 * The course of a peak, in words.
 *
 * @param fine - The finest buckets known around it; null while they load.
 */
export function episodeWords(
  fine: Curve | null,
  zone: string,
  subject: Pick<Subject, 'span' | 'foundBy' | 'hasPeak' | 'count' | 'expected'>,
  format: Formatter,
): EpisodeText {
  const { span, foundBy, hasPeak, count: counted, expected } = subject;
  if (!hasPeak && expected !== null && !(counted >= OUTSTANDING * expected)) {
    return { rows: [], note: quietWords(span) };
  }
  if (!fine) return { rows: [], note: 'Loading hours and minutes…' };
  const own = widthOf(fine);
  if (!(own < DAY_MS)) {
    return { rows: [], note: 'Only daily counts are loaded, too coarse to find the onset.' };
  }
  const clear = clearEpisode(fine, zone, span, foundBy);
  if (clear === 'unknown') {
    return { rows: [], note: 'Not enough data around this time to find the onset.' };
  }
  if (!clear) return { rows: [], note: hasPeak ? UNCLEAR : quietWords(span) };
  const { episode, curve, width } = clear;
  const { onset, onsetKnown, summit, halfLife, end } = episode;
  const at = (bucket: number): string => format.moment(curve.bounds[bucket] ?? 0);
  const count = curve.counts[summit] ?? 0;
  const per =
    width === MINUTE_MS
      ? 'that minute'
      : width === HOUR_MS
        ? 'that hour'
        : durationWords(width, format);
  const rows = [
    { term: 'Onset', text: onsetKnown ? at(onset) : `${at(onset)} or before` },
    {
      term: 'Summit',
      text: `${at(summit)}, ${format.counted(count, 'Post')} in ${per}`,
    },
    {
      term: 'Half-life',
      text: halfLife === null ? 'not over yet' : `Halved within ${durationWords(halfLife, format)}`,
    },
    { term: 'End', text: end === null ? 'not over yet' : at(end) },
  ];
  return { rows, note: fineness(own, width, format) };
}

/** The accuracy of the course, and why it is no finer. */
function fineness(own: number, width: number, format: Formatter): string {
  if (width === MINUTE_MS) return 'Accurate to the minute.';
  const to = `Accurate to ${width === HOUR_MS ? 'the hour' : durationWords(width, format)}`;
  return width > own ? `${to}. Finer counts are too small.` : `${to}.`;
}
