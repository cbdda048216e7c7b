import { editDistance } from '#core/text/edit-distance.ts';
import type { Diagnostic } from './ast.ts';
import { HAS, IS } from './operators.ts';

/** Letters that may be wrong, by the length of what was meant. */
const most = (word: string): number => (word.length <= 4 ? 1 : 2);

/** The word of a list that was most likely meant; undefined where none is near. */
export function nearest(word: string, list: Iterable<string>): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const one of list) {
    const far = editDistance(word, one);
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
