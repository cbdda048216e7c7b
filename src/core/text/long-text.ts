import { entitiesOf } from './entities.ts';
import { MAX_WEIGHT, weigh } from './weighted-length.ts';

/** Most characters of a long Post (specification, Limits). */
export const MAX_LONG = 25_000;

const ELLIPSIS = '\u2026';
/** It is none of the light characters of twitter-text. */
const ELLIPSIS_WEIGHT = 2;

/** Code points of a text's normal form C. */
export function lengthOf(text: string): number {
  return Array.from(text.normalize('NFC')).length;
}

/** The start of the hashtag, mention or cashtag that a cut would divide; else the cut. */
function beforeEntity(text: string, cut: number): number {
  const { hashtags = [], mentions = [], cashtags = [] } = entitiesOf(text);
  const divided = [...hashtags, ...mentions, ...cashtags].find(
    ({ start, end }) => start < cut && cut < end,
  );
  return divided?.start ?? cut;
}

/**
 * Shortens a long text to what a Post without long text may have. It ends with an ellipsis and divides no address, tag,
 * emoji or letter with its accents.
 *
 * @param free - Code points at the beginning that do not count: the mentions that a reply begins with.
 * @returns The text itself if it fits.
 */
export function shortened(text: string, free = 0): string {
  const points = Array.from(text);
  const lead = points.slice(0, free).join('');
  const own = points.slice(free).join('').normalize('NFC');
  if (weigh(own).over === null) return text;
  const whole = Array.from(own);
  const over = weigh(own, MAX_WEIGHT - ELLIPSIS_WEIGHT).over ?? whole.length;
  // A single tag that fills the whole text is divided all the same.
  let cut = beforeEntity(own, over) || over;
  while (cut > 1 && /^\p{M}$/u.test(whole[cut] ?? '')) cut -= 1;
  return `${lead}${whole.slice(0, cut).join('').trimEnd()}${ELLIPSIS}`;
}
