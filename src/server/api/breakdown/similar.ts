import { clauseFor } from '#core/query/clause.ts';
import { write } from '#core/query/format.ts';
import { queryWords } from '#core/query/words.ts';
import { editDistance } from '#core/text/edit-distance.ts';
import { and, size } from '#server/index/ordinals.ts';
import { RARE_POSTS } from '#server/index/rare-terms.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { itemOf, setsOf, type AnalysisSubject } from './sets.ts';
import { postsIn, type ChunkPosts } from '#server/index/chunk-posts.ts';
import type { BreakdownItem, SimilarAnswer } from '#contract/counts/breakdown-answers.ts';

/** Shorter words are similar to too many. */
const LEAST_LETTERS = 3;
/** Words of a query that are looked up. */
const MOST_WORDS = 8;
/** A word that begins with another is as similar to it as one that differs in so many letters. */
const BEGINS = 1;
/** More letters than this make another word of a beginning. */
const MOST_MORE = 4;

/** A word of a query. */
interface Asked {
  readonly word: string;
  readonly letters: number;
}

/** The letters of a word as bits; some share one. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
  return letters;
}

function bitsOf(set: number): number {
  let bits = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

/** The difference of a word from one of a query, in edits; Infinity if it is not similar. */
function difference(word: string, { word: asked, letters }: Asked): number {
  const more = Math.abs(word.length - asked.length);
  if (more > MOST_MORE) return Infinity;
  if (word === asked) return 0;
  const [short, long] = word.length < asked.length ? [word, asked] : [asked, word];
  if (short.length >= LEAST_LETTERS && long.startsWith(short)) return BEGINS;
  const most = asked.length <= 4 ? 1 : 2;
  // An edit adds or removes one letter, or both. This leaves few of the words to compare letter by letter.
  if (more > most || bitsOf(lettersOf(word) ^ letters) > 2 * most) return Infinity;
  const edits = editDistance(word, asked);
  return edits <= most ? edits : Infinity;
}

/** The number of some Posts that have a term. */
const having = ({ chunk, posts }: ChunkPosts, term: string): number =>
  size(and(posts, chunk.list(term)));

/**
 * The words of a source that are spelled like those of a query, in steps: with at most one letter wrong, two from five
 * letters on, or with another ending; and those words themselves, which other parts of the query or a sign may keep from matching. Only what some chunk has in 8 Posts is searched.
 *
 * @returns As `SimilarAnswer`.
 */
export function* similarTo(
  { chunks }: SourceState,
  { ast, condition, limit }: AnalysisSubject,
  due: Due,
): Steps<SimilarAnswer['data']> {
  const all = { start: 0, end: Number.MAX_SAFE_INTEGER };
  const sets = setsOf(yield* postsIn(chunks, { kind: 'all', of: [] }, all, due), []);
  const matching = setsOf(yield* postsIn(chunks, condition, all, due), []).posts;
  const asked = (ast ? [...queryWords(ast)] : [])
    .filter((word) => word.length >= LEAST_LETTERS)
    .slice(0, MOST_WORDS)
    .map((word): Asked => ({ word, letters: lettersOf(word) }));
  const found = new Map<string, { posts: number; edits: number }>();
  for (const part of asked.length > 0 ? sets.now : []) {
    if (due()) yield;
    // All words of all Posts are twenty times more than these.
    for (const word of part.chunk.vocabulary().words) {
      let edits = Infinity;
      for (const each of asked) edits = Math.min(edits, difference(word, each));
      if (edits === Infinity) continue;
      const posts = having(part, word);
      if (posts >= RARE_POSTS)
        found.set(word, { posts: (found.get(word)?.posts ?? 0) + posts, edits });
    }
  }
  const similar: BreakdownItem[] = [];
  const order = [...found].sort(
    ([a, x], [b, y]) => x.edits - y.edits || y.posts - x.posts || (a < b ? -1 : 1),
  );
  for (const [name] of order) {
    if (similar.length === limit) break;
    const part = clauseFor('word', name, { kind: 'term', term: name });
    // The query itself is no suggestion; one of its words is.
    if (!part?.alone || (ast?.kind === 'clause' && write(ast) === part.text)) continue;
    // Chunks that have it in fewer Posts count too.
    const posts = sets.now.reduce((sum, each) => sum + having(each, name), 0);
    similar.push(itemOf(name, part, posts, sets.posts));
    if (due()) yield;
  }
  const spoken = new Map<string, number>();
  for (const part of sets.now) {
    if (due()) yield;
    for (const language of part.chunk.vocabulary().languages) {
      spoken.set(language, (spoken.get(language) ?? 0) + having(part, language));
    }
  }
  const languages: BreakdownItem[] = [];
  for (const [term, posts] of [...spoken].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))) {
    if (posts === 0 || languages.length === limit) break;
    const name = term.slice('lang:'.length);
    const part = name && clauseFor('lang', name, { kind: 'term', term });
    if (part) languages.push(itemOf(name, part, posts, sets.posts));
  }
  return { posts: sets.posts, matching, similar, languages };
}
