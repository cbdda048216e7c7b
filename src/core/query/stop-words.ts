/**
 * Words too common to be a whole query. The platform's list is not public: `a`, `the`, `is` and `you`
 * are reported (platform-facts 2.5); the rest is the classic list of English stop words of the Lucene
 * search library. In other queries they match like any word.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their then ' +
    'there these they this to was will with you'
  ).split(' '),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
