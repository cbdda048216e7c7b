import type { BreakdownItem, SimilarAnswer } from '#contract/breakdown.ts';
import { clauseFor } from '#core/query/clause.ts';
import { write } from '#core/query/format.ts';
import { queryWords } from '#core/query/words.ts';
import { editDistance } from '#core/text/edit-distance.ts';
import { and, size } from '#server/index/ordinals.ts';
import { RARE_POSTS } from '#server/index/rare-terms.ts';
import { countWords, postsIn, tallyFlags, nameOf } from '#server/index/tally.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/source.ts';
import { itemOf, mostFrequent, setsOf } from './sets.ts';
import type { Subject } from './sets.ts';

/** Shorter words are similar to too many. */
const LEAST_LETTERS = 3;
/** Words of a query that are looked up. */
const MOST_WORDS = 8;
/** A word that begins with another is as similar to it as one that differs in so many letters. */
const BEGINS = 1;
/** More letters than this make another word of a beginning. */
const MOST_MORE = 4;

/** How much a word differs from one of a query, in edits; null if it is not similar. */
function difference(word: string, asked: string): number | null {
  if (word === asked) return 0;
  if (Math.abs(word.length - asked.length) > MOST_MORE) return null;
  const [short, long] = word.length < asked.length ? [word, asked] : [asked, word];
  if (short.length >= LEAST_LETTERS && long.startsWith(short)) return BEGINS;
  const most = asked.length <= 4 ? 1 : 2;
  if (long.length - short.length > most) return null;
  const edits = editDistance(word, asked);
  return edits <= most ? edits : null;
}

/**
 * The words of a source that are spelled like those of a query, in steps: with at most one letter wrong, two from five
 * letters on, or with another ending; and those words themselves, which other parts of the query or a sign may keep from matching. Only what some chunk has in 8 Posts is searched.
 *
 * @returns As `SimilarAnswer`.
 */
export function* similarTo(
  { chunks }: SourceState,
  { ast, limit }: Subject,
  due: Due,
): Steps<SimilarAnswer['data']> {
  const all = { start: 0, end: Number.MAX_SAFE_INTEGER };
  const sets = setsOf(yield* postsIn(chunks, { kind: 'all', of: [] }, all, due), []);
  const asked = (ast ? [...queryWords(ast)] : [])
    .filter((word) => word.length >= LEAST_LETTERS)
    .slice(0, MOST_WORDS);
  const found = new Map<string, { posts: number; edits: number }>();
  for (const { chunk, posts } of asked.length > 0 ? sets.now : []) {
    if (due()) yield;
    const table = chunk.forward().words;
    const counts = countWords(table, posts);
    for (let term = 1; term < counts.length; term++) {
      if (counts[term]! < RARE_POSTS) continue;
      const name = table.name(term);
      if (name === undefined) continue;
      const known = found.get(name);
      const edits =
        known?.edits ??
        asked.reduce(
          (least, word) => Math.min(least, difference(name, word) ?? Infinity),
          Infinity,
        );
      if (edits === Infinity) continue;
      found.set(name, { posts: (known?.posts ?? 0) + counts[term]!, edits });
    }
  }
  const similar: BreakdownItem[] = [];
  const order = [...found].sort(
    ([a, one], [b, two]) => one.edits - two.edits || two.posts - one.posts || (a < b ? -1 : 1),
  );
  for (const [name] of order) {
    if (similar.length === limit) break;
    const part = clauseFor('word', name, { kind: 'term', term: name });
    // The query itself is no suggestion; one of its words is.
    if (!part?.alone || (ast?.kind === 'clause' && write(ast) === part.text)) continue;
    // Chunks that have it in fewer Posts count too.
    const posts = sets.now.reduce(
      (sum, each) => sum + size(and(each.posts, each.chunk.list(name))),
      0,
    );
    similar.push(itemOf(name, part, posts, sets.posts));
    if (due()) yield;
  }
  const { language } = yield* tallyFlags(sets.now, [], {}, due);
  const languages: BreakdownItem[] = [];
  for (const entry of mostFrequent(language.counts, 1)) {
    if (languages.length === limit) break;
    const term = nameOf(language, entry);
    const name = term?.slice('lang:'.length);
    const part = term && name && clauseFor('lang', name, { kind: 'term', term });
    if (part) languages.push(itemOf(name, part, language.counts.posts[entry]!, sets.posts));
  }
  return { posts: sets.posts, similar, languages };
}
