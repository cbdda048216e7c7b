/** Language of a Post that is too short or too uncertain to say (platform-facts 2.1, `lang:`). */
export const UNKNOWN_LANGUAGE = 'und';

/** Letters below which a text is too short; of scripts whose characters are syllables or words, fewer suffice. */
const FEWEST_LETTERS = 12;
const FEWEST_SYLLABLES = 5;
const SYLLABLES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** By how much the best language must exceed the next one, in the detector's scores from 0 to 1. */
const LEAST_LEAD = 0.015;

/** The platform's codes where they differ from ISO 639-1 (platform-facts 2.1). The detector has one code for Malay and Indonesian. */
const PLATFORM_CODES: Readonly<Record<string, string>> = { he: 'iw', ms: 'in' };

/** Without what belongs to no language: addresses, tags, mentions and signs. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/https?:\/\/\S+|[@#$]\S+/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}]+/gu, ' ')
    .trim();
}

/**
 * The language of a text, as the platform's code.
 *
 * The detector is loaded at the first call, because it takes some hundred milliseconds and megabytes.
 *
 * @returns {@link UNKNOWN_LANGUAGE} if the text is short or uncertain.
 */
export async function languageOf(text: string): Promise<string> {
  const words = wordsOf(text);
  const letters = Array.from(words.replaceAll(' ', '')).length;
  if (letters < (SYLLABLES.test(words) ? FEWEST_SYLLABLES : FEWEST_LETTERS))
    return UNKNOWN_LANGUAGE;
  const { eld } = await import('eld/extrasmall');
  const found = eld.detect(words);
  const [first = 0, second = 0] = Object.values(found.getScores()).toSorted((a, b) => b - a);
  if (!found.isReliable() || first - second < LEAST_LEAD) return UNKNOWN_LANGUAGE;
  return PLATFORM_CODES[found.language] ?? found.language;
}
