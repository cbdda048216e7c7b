import { omit } from '#core/omit.ts';
import type { Diagnostic } from './ast.ts';
import { nearest } from './nearest.ts';
import { HAS, IS } from './operators.ts';
import { parse } from './parse.ts';

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

/** Operators of the platform's search page, and other names of values, with what they mean in a query. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['filter:links', 'has:links'],
  ['filter:images', 'has:images'],
  ['filter:videos', 'has:videos'],
  ['filter:media', 'has:media'],
  ['filter:verified', 'is:verified'],
  ['filter:retweets', 'is:retweet'],
  ['filter:nativeretweets', 'is:retweet'],
  ['filter:replies', 'is:reply'],
  ['filter:quote', 'is:quote'],
  ['exclude:retweets', '-is:retweet'],
  ['exclude:replies', '-is:reply'],
  ['is:repost', 'is:retweet'],
  ['is:reposts', 'is:retweet'],
  ['is:rt', 'is:retweet'],
  ['has:photo', 'has:images'],
  ['has:photos', 'has:images'],
  ['has:picture', 'has:images'],
  ['has:pictures', 'has:images'],
]);

/** Operators of the platform's search page that queries do not have: the range of the request has their place. */
const RANGE = String.raw`-?(?:since|until)(?:_time|_id)?:(?:\s*\d[\d:/_.T-]*|[^\s()]*)`;
const RANGES = new RegExp(String.raw`${RANGE}(?:\s+${RANGE})*`, 'iy');

/** Double quotation marks of word processors, and all kinds at the ends of a word. */
const DOUBLE = /[\u201c-\u201f\u00ab\u00bb\uff02]/;
const ENDS = /^['\u2018-\u201f\u00ab\u00bb\uff02]+|['\u2018-\u201f\u00ab\u00bb\uff02]+$/g;
/** Marks of an operator's value, with the value between them. */
const MARKED =
  /(\p{L}+):['\u2018-\u201f\u00ab\u00bb\uff02]([^"'\u2018-\u201f\u00ab\u00bb\uff02]{1,256})['\u2018-\u201f\u00ab\u00bb\uff02]/uy;

/** A place and what would be there instead. */
type Fix = Pick<Diagnostic, 'at' | 'length' | 'fix'> & { readonly rule?: string };

const matchAt = (form: RegExp, text: string, at: number): RegExpExecArray | null => {
  form.lastIndex = at;
  return form.exec(text);
};

/** Limits of time go, with what joins them to the rest. */
function* ofRanges({ at }: Diagnostic, text: string): Generator<Fix> {
  const from = text[at - 1] === '-' ? at - 1 : at;
  const found = matchAt(RANGES, text, from)?.[0];
  if (found === undefined) return;
  const [before, after] = [text.slice(0, from), text.slice(from + found.length)];
  yield { at: from, length: found.length, fix: '' };
  const left = /(?:\bOR\s+|\(\s*)$/.exec(before)?.[0].length ?? 0;
  const right = /^(?:\s+OR\b|\s*\))/.exec(after)?.[0].length ?? 0;
  yield { at: from - left, length: left + found.length, fix: '' };
  yield { at: from, length: found.length + right, fix: '' };
  yield { at: from - left, length: left + found.length + right, fix: '' };
}

/** Quotation marks that are not straight: around a value, never closed, or at an end of a word. */
function* ofQuotes({ at, length }: Diagnostic, text: string): Generator<Fix> {
  const written = text.slice(at, at + length);
  const [marked, name = '', value = ''] = matchAt(MARKED, text, at) ?? [];
  if (marked !== undefined) {
    if (!/\s/.test(value)) yield { at, length: marked.length, fix: `${name}:${value}` };
    yield { at, length: marked.length, fix: `${name}:"${value}"` };
  }
  if (DOUBLE.test(written[0] ?? '') && !DOUBLE.test(written.slice(1))) {
    const phrase = (/^[^()"]*/.exec(text.slice(at + 1))?.[0] ?? '').trimEnd();
    yield { at, length: phrase.length + 1, fix: `"${phrase}"`, rule: 'open-quote' };
  }
  const bare = written.replaceAll(ENDS, '');
  // At one end only: around all of it, they are quotation marks.
  if (bare !== '' && written.startsWith(bare) !== written.endsWith(bare)) {
    yield { at, length, fix: bare };
    yield { at, length, fix: `"${bare}"` };
  }
}

/** The likely meanings of a faulty part, the likeliest first. */
function* likely(diagnostic: Diagnostic, text: string): Generator<Fix> {
  const { at, length, rule, fix } = diagnostic;
  const written = text.slice(at, at + length);
  if (rule === 'unknown-operator') yield* ofRanges(diagnostic, text);
  if (rule === 'quote-outside') yield* ofQuotes(diagnostic, text);
  if (rule === 'open-quote' && text.slice(at + 1).trim() === '') yield { at, length, fix: '' };
  // `&&`, `+` and `||` of other query languages.
  if (rule === 'no-word' && /^[&+]+$/.test(written)) yield { at, length, fix: '' };
  if (rule === 'stray-character' && written === '|') {
    const signs = /^\|+/.exec(text.slice(at))?.[0] ?? '';
    const apart = /\s$/.test(text.slice(0, at)) && /^\s/.test(text.slice(at + signs.length));
    yield { at, length: signs.length, fix: apart ? 'OR' : ' OR ' };
  }
  if (rule === 'ambiguous-keyword' && written.toLowerCase() === 'and') {
    const not = /^\s+not\s+(?=[^\s)])/i.exec(text.slice(at + length))?.[0];
    if (not !== undefined) yield { at, length: length + not.length, fix: '-' };
    // AND while the rest is not typed yet, or before an OR: a space means the same.
    if (written === 'AND') yield { at, length, fix: '' };
  }
  const meant = MEANT.get(written.toLowerCase());
  if (meant !== undefined) {
    const minus = meant.startsWith('-') && text[at - 1] === '-' ? 1 : 0;
    yield { at: at - minus, length: length + minus, fix: minus ? meant.slice(1) : meant };
  }
  const [, language] = /^language:(.+)$/i.exec(written) ?? [];
  if (language !== undefined) yield { at, length, fix: `lang:${language}` };
  // A value, name or tag after a space: `from: nasa`.
  const value = /^\s+([^\s()"]+)/.exec(text.slice(at + length));
  if (value && /^(?:[#@]|\w+:)$/.test(written)) {
    yield { at, length: length + value[0].length, fix: written + value[1] };
  }
  if (fix !== undefined) yield { at, length, fix };
  const [, lead = '', name = '', wrong = ''] = /^(-?(\w+):)(.+)$/u.exec(written) ?? [];
  if (rule !== `invalid-${name.toLowerCase()}`) return;
  const guess = GUESSES[name.toLowerCase()]?.(wrong.toLowerCase());
  if (guess !== undefined) yield { at, length, fix: lead + guess };
}

/** Faults of a text; none in an empty one. */
function faultsIn(text: string): number {
  const parsed = parse(text);
  return parsed.ok || text.trim() === '' ? 0 : parsed.diagnostics.length;
}

/** The text after a fix. Removing a word also removes one of the spaces around it. */
export function applyFix(text: string, { at, length, fix = '' }: Fix): string {
  const [before, after] = [text.slice(0, at), text.slice(at + length)];
  return before + fix + (fix === '' && /(?:^|\s)$/.test(before) ? after.trimStart() : after);
}

/**
 * The diagnostics of a text, each once and with its likely fix: `has:medja`, `lang:english`, `since:2026-05-01`,
 * `filter:links`, `AND NOT`, curly quotation marks. A fix always leaves fewer faults than there were, and a valid text
 * valid; a diagnostic whose fixes would not, has none.
 */
export function withFixes(diagnostics: readonly Diagnostic[], text: string): Diagnostic[] {
  const most = Math.max(1, faultsIn(text));
  const found: Diagnostic[] = [];
  /** The end of a fix that reaches over later faults. */
  let reached = 0;
  for (const diagnostic of diagnostics) {
    const last = found.at(-1);
    const again =
      last?.at === diagnostic.at &&
      last.length === diagnostic.length &&
      last.rule === diagnostic.rule;
    if (again || diagnostic.at < reached) continue;
    const fix = [...likely(diagnostic, text)].find((each) => faultsIn(applyFix(text, each)) < most);
    if (fix && fix.length > diagnostic.length) reached = fix.at + fix.length;
    found.push(fix ? { ...diagnostic, ...fix } : omit(diagnostic, 'fix'));
  }
  return found;
}
