import { addressSpans } from './address.ts';

/** Maximum weighted length of a Post (platform-facts section 3; twitter-text config v3). */
export const MAX_WEIGHT = 280;

/** An address counts as its shortened form, an emoji as two, whatever their length (as above). */
const ADDRESS_WEIGHT = 23;
const EMOJI_WEIGHT = 2;

/** Code points that count as one; all others count as two (twitter-text config v3: ranges, defaultWeight). */
const LIGHT: readonly (readonly [number, number])[] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

/**
 * One emoji sequence (Unicode Technical Standard 51, section 1.4.9). ©, ®, ™ and ♟ are emoji only with
 * U+FE0F, the others unless U+FE0E follows, as on the platform.
 */
const BASE = String.raw`(?:[©®™♟]\ufe0f|(?![0-9#*©®™♟])\p{Emoji}(?!\ufe0e))`;
const PARTS = String.raw`(?:[\p{Emoji_Modifier}\ufe0f]|[\u{e0020}-\u{e007e}]+\u{e007f})*`;
const EMOJI = new RegExp(
  String.raw`[0-9#*]\ufe0f?\u20e3|\p{Regional_Indicator}{2}|${BASE}${PARTS}(?:\u200d${BASE}${PARTS})*`,
  'uy',
);

function emojiLength(text: string, at: number): number {
  EMOJI.lastIndex = at;
  return EMOJI.exec(text)?.[0].length ?? 0;
}

function weightOf(point: number): number {
  return LIGHT.some(([first, last]) => point >= first && point <= last) ? 1 : 2;
}

export interface Weighed {
  /** Weighted length. */
  readonly weight: number;
  /** Position of the first character beyond the limit, in code points from 0; null if all fits. */
  readonly over: number | null;
}

/**
 * Weighs a text as the platform does before it creates a Post: characters of the common alphabets count
 * as one, others as two, an emoji as two, an address as 23. Weight and position refer to the text's
 * normal form C (platform-facts section 3).
 *
 * @param most - The limit; that of a Post by default.
 */
export function weigh(text: string, most = MAX_WEIGHT): Weighed {
  const composed = text.normalize('NFC');
  const addresses = addressSpans(composed);
  let weight = 0;
  let over: number | null = null;
  let points = 0;
  let next = 0;
  for (let at = 0; at < composed.length;) {
    const address = addresses[next]?.start === at ? addresses[next++] : undefined;
    const emoji = address ? 0 : emojiLength(composed, at);
    const point = composed.codePointAt(at) ?? 0;
    let length = point > 0xffff ? 2 : 1;
    if (address) {
      weight += ADDRESS_WEIGHT;
      length = address.end - at;
    } else if (emoji > 0) {
      weight += EMOJI_WEIGHT;
      length = emoji;
    } else weight += weightOf(point);
    if (over === null && weight > most) over = points;
    points += Array.from(composed.slice(at, at + length)).length;
    at += length;
  }
  return { weight, over };
}
