import { editDistance } from '#core/text/edit-distance.ts';
import type { Diagnostic } from './ast.ts';
import { HAS, IS } from './operators.ts';

/** Letters that may be wrong, by the length of the intended word. */
const maxSteps = (word: string): number => (word.length <= 4 ? 1 : 2);

/** The most similar word of a list; undefined if none is similar. */
export function nearest(word: string, list: Iterable<string>): string | undefined {
  let [best, min]: [string | undefined, number] = [undefined, Infinity];
  for (const candidate of list) {
    const far = editDistance(word, candidate);
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

/** Operators of the platform's search page that queries do not have: the range of the request has their place. */
const RANGES = /^(?:since|until)(?:_time|_id)?:/i;

/** The fix of `&&`, `AND` and `||`, which other query languages have between two clauses; null for anything else. */
function ofOtherLanguages(diagnostic: Diagnostic, text: string): Diagnostic | null {
  const { at, length, rule } = diagnostic;
  const written = text.slice(at, at + length);
  if (rule === 'no-word' && /^&+$/.test(written)) return { ...diagnostic, fix: '' };
  // AND while the rest is not typed yet, or before an OR: a space means the same.
  if (rule === 'ambiguous-keyword' && written === 'AND') return { ...diagnostic, fix: '' };
  if (rule !== 'stray-character' || written !== '|') return null;
  const signs = /^\|+/.exec(text.slice(at))?.[0] ?? '';
  const apart = /\s$/.test(text.slice(0, at)) && /^\s/.test(text.slice(at + signs.length));
  return { ...diagnostic, length: signs.length, fix: apart ? 'OR' : ' OR ' };
}

/**
 * Adds the likely fix to a wrong value if the parser knows none and a similar value exists:
 * `has:medja`, `lang:english`. Limits of time such as `since:2026-05-01` are removed, `&&` too, and `||` becomes OR.
 */
function likely(diagnostic: Diagnostic, text: string): Diagnostic {
  const { at, length, fix, rule } = diagnostic;
  if (rule === 'unknown-operator' && RANGES.test(text.slice(at, at + length))) {
    const minus = text[at - 1] === '-' ? 1 : 0;
    return { ...diagnostic, at: at - minus, length: length + minus, fix: '' };
  }
  const sign = ofOtherLanguages(diagnostic, text);
  if (sign) return sign;
  const [, lead = '', name = '', value = ''] =
    /^(-?(\w+):)(.+)$/u.exec(text.slice(at, at + length)) ?? [];
  if (fix !== undefined || rule !== `invalid-${name.toLowerCase()}`) return diagnostic;
  const meant = GUESSES[name.toLowerCase()]?.(value.toLowerCase());
  return meant === undefined ? diagnostic : { ...diagnostic, fix: lead + meant };
}

/** The diagnostics of a text, each with its likely fix; those of one `||` become one. */
export function withFixes(diagnostics: readonly Diagnostic[], text: string): Diagnostic[] {
  return diagnostics
    .filter(({ at, rule }) => rule !== 'stray-character' || text.slice(at - 1, at + 1) !== '||')
    .map((each) => likely(each, text));
}
