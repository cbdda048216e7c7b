import { baselineOf, widthOf } from '#core/series/baseline.ts';
import { episodeOf } from '#core/series/episode.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { lasting, type PeakWords } from './drawer-words.ts';
import type { Subject } from './subject.ts';

/** How a peak went, as terms with what is said of them, and how finely that is known. */
export interface EpisodeWords {
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
  words: PeakWords,
): EpisodeWords {
  const { span, number, count: counted, expected } = subject;
  if (number === null && expected !== null && !(counted >= OUTSTANDING * expected)) {
    return { rows: [], note: QUIET };
  }
  if (!fine) return { rows: [], note: 'Reading its hours and minutes …' };
  const width = widthOf(fine);
  if (!(width < DAY_MS)) {
    return { rows: [], note: 'Only whole days of this time are known: they tell no onset.' };
  }
  const baseline = baselineOf(fine, zone);
  if (!baseline) {
    return {
      rows: [],
      note: 'Too little around this time is known by the minute or hour to tell its onset.',
    };
  }
  const episode = episodeOf(fine, baseline, span);
  if (!episode) return { rows: [], note: QUIET };
  const { onset, onsetKnown, summit, halfLife, end } = episode;
  const at = (bucket: number): string => words.moment(fine.bounds[bucket] ?? 0);
  const count = fine.counts[summit] ?? 0;
  const unit = width >= HOUR_MS ? 'hour' : 'minute';
  const per = width > 60_000 && width < HOUR_MS ? lasting(width, words) : `that ${unit}`;
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
  const note =
    width >= HOUR_MS
      ? 'To the hour: the minutes of this time are not known here.'
      : width > 60_000
        ? `To ${lasting(width, words)}.`
        : 'To the minute.';
  return { rows, note };
}
