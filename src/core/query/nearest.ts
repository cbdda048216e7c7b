import type { Diagnostic } from './ast.ts';
import { HAS, IS } from './operators.ts';

/** Letters that may be wrong, by the length of the intended word. */
const maxSteps = (word: string): number => (word.length <= 4 ? 1 : 2);

/**
 * Edit distance: letters inserted, deleted or changed, and neighbours swapped (optimal string
 * alignment: L. Boytsov, ACM J. Exp. Algorithmics 16, 2011, section 2.1).
 */
function steps(from: string, to: string): number {
  let [older, old]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let min = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + change);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) min = Math.min(min, (older[j - 2] ?? 0) + 1);
      row.push(min);
    }
    [older, old] = [old, row];
  }
  return old[to.length] ?? 0;
}

/** The most similar word of a list; undefined if none is similar. */
export function nearest(word: string, list: Iterable<string>): string | undefined {
  let [best, min]: [string | undefined, number] = [undefined, Infinity];
  for (const candidate of list) {
    const far = steps(word, candidate);
    if (far <= maxSteps(candidate) && far < min) [best, min] = [candidate, far];
  }
  return best;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The two-letter code of a language by its English name; undefined if there is none. */
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
 * Adds the likely fix to a wrong value if the parser knows none and a similar value exists:
 * `has:medja`, `lang:english`.
 */
export function likely(diagnostic: Diagnostic, text: string): Diagnostic {
  const { at, length, fix, rule } = diagnostic;
  const [, lead = '', name = '', value = ''] =
    /^(-?(\w+):)(.+)$/u.exec(text.slice(at, at + length)) ?? [];
  if (fix !== undefined || rule !== `invalid-${name.toLowerCase()}`) return diagnostic;
  const meant = GUESSES[name.toLowerCase()]?.(value.toLowerCase());
  return meant === undefined ? diagnostic : { ...diagnostic, fix: lead + meant };
}
