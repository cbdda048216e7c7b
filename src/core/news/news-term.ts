import { functionWords } from '#core/text/function-words.ts';

/** Words of addresses, and of the marks of reposts, that every text may contain. */
const MARKS: ReadonlySet<string> = new Set('http https www com co org net rt amp via'.split(' '));
/** Languages whose function words name nothing in another one; German `war` and `die`, for example, do. */
const LANGUAGES = ['en', 'ru', 'ar'];

/** A word, hashtag, mention or cashtag: no flag such as `lang:en`, and no emoji. */
const NAMED = /^[#@$]?[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*$/u;
/** Too short to name anything, except in scripts that write words with one or two characters; or a number. */
const SLIGHT =
  /^(?:\p{N}+|_+|\p{Script=Hiragana}|\p{Script=Hangul}|(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}])\p{L}{1,2})$/u;
const SPACELESS_LETTER = /^[\p{Script=Han}\p{Script=Katakana}]\p{M}*$/u;

/** True if a term of the index may be part of a story: one that names something. */
export function isNewsTerm(term: string): boolean {
  return (
    term.length <= 60 &&
    NAMED.test(term) &&
    !SLIGHT.test(term) &&
    !LANGUAGES.some((language) => functionWords(language).has(term)) &&
    !MARKS.has(term)
  );
}

/** True if a term is one letter of a script without spaces, of which words have two or more. */
export function isSpacelessLetter(term: string): boolean {
  return term.length <= 4 && SPACELESS_LETTER.test(term);
}

/** True if a term is a hashtag or a cashtag, by which its author names a subject. */
export function hasSign(term: string): boolean {
  return term.startsWith('#') || term.startsWith('$');
}

/** Letters that the forms of a word begin with, at least, and letters after them, at most. */
const STEM = 5;
const ENDING = 3;

/** True if two terms are forms of one word: they begin alike, whatever their signs, and end in a few other letters. */
export function isInflection(a: string, b: string): boolean {
  const [x, y] = [a.replace(/^[#@$]/u, ''), b.replace(/^[#@$]/u, '')];
  if (x === y) return true;
  let same = 0;
  while (same < x.length && x[same] === y[same]) same++;
  return same >= STEM && x.length - same <= ENDING && y.length - same <= ENDING;
}
