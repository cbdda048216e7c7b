import { isStopWord } from '#core/query/stop-words.ts';

/** Words of addresses, and of the marks of reposts, that every text may contain. */
const MARKS: ReadonlySet<string> = new Set('http https www com co org net rt amp via'.split(' '));

/** A word, hashtag, mention or cashtag: no flag such as `lang:en`, and no emoji. */
const NAMED = /^[#@$]?[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*$/u;
/** Too short to name anything, except in scripts that write words with one or two characters; or a number. */
const SLIGHT =
  /^(?:\p{N}+|_+|(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])\p{L}{1,2})$/u;

/** True if a term of the index may be part of a story: one that names something. */
export function isNewsTerm(term: string): boolean {
  return (
    term.length <= 60 &&
    NAMED.test(term) &&
    !SLIGHT.test(term) &&
    !isStopWord(term) &&
    !MARKS.has(term)
  );
}
