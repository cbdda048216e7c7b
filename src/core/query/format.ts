import { fold } from '#core/text/fold.ts';
import { label } from '#core/text/label.ts';
import type { Ast, Clause } from './ast.ts';
import { isRun, loneEmoji, SIGNS } from './content.ts';
import { OPERATORS } from './operators.ts';

/** Incremented when the same query gets another canonical text or meaning; part of every cache key. */
export const RULES_VERSION = 1;

function quote(text: string): string {
  // A backslash before the closing quote would escape it.
  return `"${text.replaceAll('"', '\\"')}${text.endsWith('\\') ? ' ' : ''}"`;
}

function runText(run: string): string {
  return run === 'and' || run === 'or' ? quote(run) : run;
}

function phraseText(value: string): string {
  const text = fold(value).replaceAll(/\s+/gu, ' ').trim();
  const emoji = loneEmoji(text);
  // An emoji of several code points must be quoted (platform-facts 2.1).
  if (emoji !== null) return [...emoji].length === 1 ? emoji : quote(emoji);
  return isRun(text) ? runText(text) : quote(text);
}

function wordText(value: string): string {
  const text = fold(value);
  const bare = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*/u.exec(text)?.[0] ?? '';
  const around = text.slice(0, text.indexOf(bare)) + text.slice(text.indexOf(bare) + bare.length);
  // Punctuation around a word matches nothing, so the word alone is the same query.
  if (isRun(bare) && /^[\p{P}\p{S}]*$/u.test(around) && !/\p{Emoji}/u.test(around)) {
    return runText(bare);
  }
  return text;
}

function positiveText(clause: Clause): string {
  const { operator, value } = clause;
  if (operator === 'phrase' || operator === 'emoji') return phraseText(value);
  if (operator === 'word') return wordText(value);
  const sign = SIGNS[operator];
  if (sign !== undefined) return sign + fold(value);
  const quotes = OPERATORS.get(operator)?.quotes;
  const text = quotes === undefined || operator === 'url' ? fold(value).trim() : label(value);
  const quoted = quotes === 'always' || (quotes === 'unless-run' && !isRun(text));
  return `${operator}:${quoted ? quote(text) : text}`;
}

/** Canonical text of a part; an `OR` needs parentheses inside an AND. */
interface Part {
  readonly kind: Ast['kind'];
  readonly text: string;
  /** The parts it joins, each as its own canonical text; empty for a clause. */
  readonly of: readonly Part[];
}

function partOf(ast: Ast, sorted: boolean): Part {
  if (ast.kind === 'clause') {
    return { kind: 'clause', text: (ast.negated ? '-' : '') + positiveText(ast), of: [] };
  }
  const byText = new Map<string, Part>();
  for (const child of ast.of) {
    const part = partOf(child, sorted);
    for (const p of part.kind === ast.kind ? part.of : [part]) byText.set(p.text, p);
  }
  const texts = sorted ? [...byText.keys()].sort() : [...byText.keys()];
  const of = texts.map((text) => byText.get(text) as Part);
  const [only] = of;
  if (of.length === 1 && only) return only;
  const text =
    ast.kind === 'or'
      ? of.map((p) => p.text).join(' OR ')
      : of.map((p) => (p.kind === 'or' ? `(${p.text})` : p.text)).join(' ');
  return { kind: ast.kind, text, of };
}

/**
 * The canonical text of a query: folded, sorted, without repeats or needless parentheses. Queries that
 * differ only in these get the same text. It parses to the same meaning, and formats to itself.
 */
export function format(ast: Ast): string {
  return partOf(ast, true).text;
}

/** A query as readable text: canonical, but in the order of its parts. */
export function write(ast: Ast): string {
  return partOf(ast, false).text;
}
