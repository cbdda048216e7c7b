import type { Diagnostic, Place } from './ast.ts';

/** A piece of a query's text. */
export type Lexeme = Place &
  (
    | { readonly kind: 'open'; readonly negated: boolean }
    | { readonly kind: 'close' }
    | { readonly kind: 'or' }
    | {
        readonly kind: 'clause';
        readonly negated: boolean;
        /** `#`, `@`, `$`, an operator's name in lower case, or empty for a word or phrase. */
        readonly lead: string;
        readonly value: string;
        readonly quoted: boolean;
        /** The position at which the clause begins after a minus sign, and its value after the lead; 0-based. */
        readonly leadAt: number;
        readonly valueAt: number;
      }
  );

export interface Lexemes {
  readonly lexemes: readonly Lexeme[];
  readonly diagnostics: readonly Diagnostic[];
}

const SPACE = /\s/;
const NAME = /^([\p{L}_][\p{L}\p{M}\p{N}_]*):/u;
const SIGNS: Readonly<Record<string, string>> = {
  '#': '#',
  '\uff03': '#',
  '@': '@',
  '\uff20': '@',
  $: '$',
};
/** Quotation marks that word processors substitute for `"` and `'`. */
const SMART = /[\u2018-\u201f\u00ab\u00bb\uff02]/;
const SINGLE = /['\u2018\u2019\u201a\u201b]/;
const DASH = /[\u2012-\u2015\u2212]/;
/** Characters with a meaning in other query languages only, with their replacement. */
const FOREIGN: Readonly<Record<string, string | undefined>> = {
  '[': undefined,
  ']': undefined,
  '{': undefined,
  '}': undefined,
  '*': '',
  '|': ' OR ',
  '~': undefined,
};
/**
 * The distance within which to search for the end of a phrase in wrong quotes, or of a value in brackets; keeps
 * scanning linear.
 */
const REACH = 256;

function unescaped(inner: string): string {
  return inner.replaceAll('\\"', '"');
}

function endsWord(char: string | undefined): boolean {
  return char === undefined || char === '(' || char === ')' || char === '"' || SPACE.test(char);
}

/** End of the phrase in wrong quotes that begins at `at`, after its closing mark, or -1. */
function wrongPhraseEnd(text: string, at: number): number {
  const single = SINGLE.test(text[at] ?? '');
  const limit = Math.min(text.length, at + REACH);
  for (let i = at + 1; i < limit; i++) {
    const char = text[i] ?? '';
    if (single) {
      if (SINGLE.test(char) && endsWord(text[i + 1])) return i + 1;
    } else if (char === '"' || (SMART.test(char) && !SINGLE.test(char))) return i + 1;
    if (char === '"' || (single && (char === '(' || char === ')'))) return -1;
  }
  return -1;
}

/** A word that begins at `from`: its end, and whether all of it is accepted. */
function wordAt(
  text: string,
  from: number,
  diagnostics: Diagnostic[],
): { end: number; sound: boolean } {
  let end = from;
  let apostrophe = -1;
  let sound = true;
  for (; end < text.length; end++) {
    const char = text[end] ?? '';
    if (endsWord(char)) break;
    if (char === "'" || SMART.test(char)) {
      if (apostrophe < 0) apostrophe = end;
    } else if (Object.hasOwn(FOREIGN, char)) {
      const fix = FOREIGN[char];
      sound = false;
      diagnostics.push({
        at: end,
        length: 1,
        rule: 'stray-character',
        message: `no viable alternative at ${char === '[' ? 'input' : 'character'} '${char}'`,
        ...(fix === undefined ? {} : { fix }),
      });
    }
  }
  if (apostrophe >= 0) {
    const whole = text.slice(from, end);
    const plain = !NAME.test(whole) && !Object.hasOwn(SIGNS, whole[0] ?? '');
    sound = false;
    diagnostics.push({
      at: from,
      length: end - from,
      column: apostrophe,
      rule: 'quote-outside',
      message: `no viable alternative at character '${text[apostrophe]}'`,
      ...(plain && /[\p{L}\p{N}]/u.test(whole) ? { fix: `"${whole}"` } : {}),
    });
  }
  return { end, sound };
}

/** End of the `"…"` that opens at `open`, or null if it never closes; `\\"` inside is a quotation mark. */
function quoteEnd(text: string, open: number, diagnostics: Diagnostic[]): number | null {
  let close = text.indexOf('"', open + 1);
  while (close > 0 && text[close - 1] === '\\') close = text.indexOf('"', close + 1);
  if (close >= 0) return close;
  diagnostics.push({
    at: open,
    length: text.length - open,
    rule: 'open-quote',
    message: `mismatched character '<EOF>' expecting '"'`,
    fix: `${text.slice(open).trimEnd()}"`,
  });
  return null;
}

/**
 * The clause whose quoted value begins at `open`; null if it never closes.
 *
 * @param place - The beginning of the clause with its minus sign, and without it.
 */
function quotedAt(
  text: string,
  open: number,
  lead: string,
  place: { readonly negated: boolean; readonly at: number; readonly leadAt: number },
  diagnostics: Diagnostic[],
): Lexeme | null {
  const close = quoteEnd(text, open, diagnostics);
  if (close === null) return null;
  const value = unescaped(text.slice(open + 1, close));
  const length = close + 1 - place.at;
  return { kind: 'clause', lead, value, quoted: true, valueAt: open, ...place, length };
}

/** End of the minus at `start` and of the spaces after it. Nothing is negated if that is the end of the text or `)`. */
function minusEnd(text: string, start: number, diagnostics: Diagnostic[]): number {
  const char = text[start] ?? '';
  let next = start + 1;
  while (next < text.length && (text[next] === '-' || DASH.test(text[next] ?? ''))) next++;
  const dashes = next;
  while (next < text.length && SPACE.test(text[next] ?? '')) next++;
  const nothing = next === text.length || text[next] === ')';
  const joined = start > 0 && /["')]/.test(text[start - 1] ?? '');
  if (char !== '-' || dashes > start + 1 || next > dashes || nothing || joined) {
    const fix = nothing ? '' : joined ? ' -' : '-';
    diagnostics.push({
      at: start,
      length: next - start,
      rule: 'stray-minus',
      message: `no viable alternative at character '${char}'`,
      fix,
    });
  }
  return next;
}

/**
 * Cuts a query into lexemes with their positions. Never throws; time grows linearly with the length.
 * Text that cannot be a lexeme is left out and reported in the diagnostics.
 */
export function scan(text: string): Lexemes {
  const lexemes: Lexeme[] = [];
  const diagnostics: Diagnostic[] = [];
  const n = text.length;

  let i = 0;
  while (i < n) {
    const start = i;
    let char = text[i] ?? '';
    if (SPACE.test(char)) {
      i++;
      continue;
    }
    if (char === ')') {
      lexemes.push({ kind: 'close', at: i++, length: 1 });
      continue;
    }

    let negated = false;
    if (char === '-' || DASH.test(char)) {
      i = minusEnd(text, start, diagnostics);
      if (i === n || text[i] === ')') continue;
      negated = true;
      char = text[i] ?? '';
    }

    if (char === '(') {
      i++;
      lexemes.push({ kind: 'open', negated, at: start, length: i - start });
      continue;
    }
    if (char === '"') {
      const quoted = quotedAt(text, i, '', { negated, at: start, leadAt: i }, diagnostics);
      if (!quoted) break;
      lexemes.push(quoted);
      i = quoted.at + quoted.length;
      continue;
    }
    if (char === "'" || SMART.test(char)) {
      const end = wrongPhraseEnd(text, i);
      if (end > 0) {
        const inner = text.slice(i + 1, end - 1);
        diagnostics.push({
          at: i,
          length: end - i,
          rule: 'quote-outside',
          message: `no viable alternative at character '${char}'`,
          ...(inner.includes('"') || inner.trim() === '' ? {} : { fix: `"${inner}"` }),
        });
        i = end;
        continue;
      }
    }

    const before = diagnostics.length;
    const { end, sound } = wordAt(text, i, diagnostics);
    const chunk = text.slice(i, end);
    const name = NAME.exec(chunk)?.[1];
    const sign = SIGNS[chunk[0] ?? ''];
    const lead = name === undefined ? (sign ?? '') : name.toLowerCase();
    const valueAt = i + (name === undefined ? (sign === undefined ? 0 : 1) : name.length + 1);
    if (lead === '' && sound && chunk === 'OR' && !negated) {
      lexemes.push({ kind: 'or', at: i, length: 2 });
    } else if (name !== undefined && end === valueAt && text[end] === '"') {
      const quoted = quotedAt(text, end, lead, { negated, at: start, leadAt: i }, diagnostics);
      if (!quoted) break;
      lexemes.push(quoted);
      i = quoted.at + quoted.length;
      continue;
    } else if (sound || (name !== undefined && text[valueAt] === '[')) {
      // A bracketed value belongs to its operator, whose check reports the fault.
      let stop = end;
      if (!sound) {
        const close = text.slice(valueAt, valueAt + REACH).indexOf(']');
        if (close >= 0) stop = valueAt + close + 1;
        diagnostics.length = before;
      }
      lexemes.push({
        kind: 'clause',
        negated,
        lead,
        value: text.slice(valueAt, stop),
        quoted: false,
        leadAt: i,
        valueAt,
        at: start,
        length: stop - start,
      });
      i = stop;
      continue;
    }
    i = end;
  }
  return { lexemes, diagnostics };
}
