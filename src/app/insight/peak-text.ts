import { widthOf } from '#core/series/baseline.ts';
import { clearEpisode } from '#core/series/episode.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { lasting } from './drawer-text.ts';
import type { Subject } from './inspected.ts';

/** How a peak went, as terms with what is said of them, and how finely that is known. */
export interface EpisodeText {
  readonly rows: readonly { readonly term: string; readonly text: string }[];
  readonly note: string;
}

/** A time that is no peak is told of where it holds so many times what was to be expected: else its summit is noise. */
const OUTSTANDING = 1.5;
const QUIET = 'Nothing in it stands out: it has no onset and no summit.';

/**
 * How a peak went, in words.
 *
 * @param fine - The finest buckets known around it; null while they are read.
 */
export function episodeWords(
  fine: Curve | null,
  zone: string,
  subject: Pick<Subject, 'span' | 'number' | 'count' | 'expected'>,
  words: Formatter,
): EpisodeText {
  const { span, number, count: counted, expected } = subject;
  if (number === null && expected !== null && !(counted >= OUTSTANDING * expected)) {
    return { rows: [], note: QUIET };
  }
  if (!fine) return { rows: [], note: 'Reading its hours and minutes …' };
  const own = widthOf(fine);
  if (!(own < DAY_MS)) {
    return { rows: [], note: 'Only whole days of this time are known: they tell no onset.' };
  }
  const clear = clearEpisode(fine, zone, span);
  if (clear === 'unknown') {
    return { rows: [], note: 'Too little around this time is known to tell its onset.' };
  }
  if (!clear) return { rows: [], note: QUIET };
  const { episode, curve, width } = clear;
  const { onset, onsetKnown, summit, halfLife, end } = episode;
  const at = (bucket: number): string => words.moment(curve.bounds[bucket] ?? 0);
  const count = curve.counts[summit] ?? 0;
  const per =
    width === MINUTE_MS ? 'that minute' : width === HOUR_MS ? 'that hour' : lasting(width, words);
  const rows = [
    { term: 'Onset', text: onsetKnown ? at(onset) : `${at(onset)} or before` },
    {
      term: 'Summit',
      text: `${at(summit)}, ${words.count(count)} ${count === 1 ? 'Post' : 'Posts'} in ${per}`,
    },
    {
      term: 'Half-life',
      text:
        halfLife === null
          ? 'not over yet, as far as is known'
          : `${lasting(halfLife, words)} until half of the rise was gone`,
    },
    { term: 'End', text: end === null ? 'not over yet, as far as is known' : at(end) },
  ];
  return { rows, note: fineness(own, width, words) };
}

/** How finely it is told, and why no finer. */
function fineness(own: number, width: number, words: Formatter): string {
  if (width === MINUTE_MS) return 'To the minute.';
  const to = `To ${width === HOUR_MS ? 'the hour' : lasting(width, words)}`;
  return width > own
    ? `${to}: finer counts are too small to tell.`
    : `${to}: finer counts are not known here.`;
}
