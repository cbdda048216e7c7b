import type { Diagnostic } from './ast.ts';
import { HAS, IS } from './operators.ts';

/** Letters that may be wrong, by the length of what was meant. */
const most = (word: string): number => (word.length <= 4 ? 1 : 2);

/**
 * Steps from one word to another: a letter put in, left out or changed, or two neighbours swapped (optimal string
 * alignment: L. Boytsov, ACM J. Exp. Algorithmics 16, 2011, section 2.1).
 */
function steps(from: string, to: string): number {
  let [older, old]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let least = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + change);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) least = Math.min(least, (older[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [older, old] = [old, row];
  }
  return old[to.length] ?? 0;
}

/** The word of a list that was most likely meant; undefined where none is near. */
export function nearest(word: string, list: Iterable<string>): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const one of list) {
    const far = steps(word, one);
    if (far <= most(one) && far < least) [best, least] = [one, far];
  }
  return best;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The code of two letters of a language by its English name; undefined where there is none. */
function codeOf(name: string): string | undefined {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const codes = [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second));
  return codes.find((code) => names.of(code)?.toLowerCase() === name);
}

const GUESSES: Readonly<Record<string, (value: string) => string | undefined>> = {
  is: (value) => nearest(value, Object.keys(IS)),
  has: (value) => nearest(value, Object.keys(HAS)),
  lang: codeOf,
};

/**
 * Adds to a mistake in a value the mend that was most likely meant, where one of a list is near and the language
 * itself names none: `has:medja`, `lang:english`.
 */
export function likely(diagnostic: Diagnostic, text: string): Diagnostic {
  const { at, length, mend, rule } = diagnostic;
  const [, lead = '', name = '', value = ''] =
    /^(-?(\w+):)(.+)$/u.exec(text.slice(at, at + length)) ?? [];
  if (mend !== undefined || rule !== `invalid-${name.toLowerCase()}`) return diagnostic;
  const meant = GUESSES[name.toLowerCase()]?.(value.toLowerCase());
  return meant === undefined ? diagnostic : { ...diagnostic, mend: lead + meant };
}
