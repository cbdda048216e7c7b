import type { PostTerms } from '#core/text/post.ts';
import { boxOfTerm, GEO } from '#core/text/geo.ts';
import { contains } from './area.ts';
import type { Condition } from './ast.ts';

/** True if words contain others at consecutive positions. */
export function hasPhrase(words: readonly string[], phrase: readonly string[]): boolean {
  const last = words.length - phrase.length;
  for (let from = 0; from <= last; from++) {
    let i = 0;
    while (i < phrase.length && words[from + i] === phrase[i]) i++;
    if (i === phrase.length) return true;
  }
  return false;
}

/**
 * True if a Post meets a condition. With condition and terms in search mode it agrees with the counting
 * index; with both in stream mode it follows the rules of streams.
 *
 * @throws {@link RangeError} for a condition that names Posts: terms do not say which Post has them.
 */
export function match(c: Condition, terms: PostTerms): boolean {
  switch (c.kind) {
    case 'all':
      return c.of.every((part) => match(part, terms));
    case 'any':
      return c.of.some((part) => match(part, terms));
    case 'not':
      return !match(c.of, terms);
    case 'phrase':
      return hasPhrase(c.field === 'url' ? terms.urlWords : terms.words, c.tokens);
    case 'within':
      return terms.flags.some((flag) => flag.startsWith(GEO) && contains(c.area, boxOfTerm(flag)));
    case 'posts':
      throw new RangeError('expected a condition on the terms of a Post');
    case 'term':
      if (c.term.startsWith('url:')) return terms.urlWords.includes(c.term.slice(4));
      return terms.words.includes(c.term) || terms.flags.includes(c.term);
  }
}
