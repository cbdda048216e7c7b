import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { fold } from '#core/text/fold.ts';
import { scanText } from '#core/text/tokens.ts';
import type { Ast, Clause, Diagnostic, Parsed, Place } from './ast.ts';
import { contentOf, loneEmoji, SIGNS } from './content.ts';
import { format } from './format.ts';
import { ALIASES, OPERATORS, RENAMED, type Operators } from './operators.ts';
import { scan, type Lexeme } from './scan.ts';
import { checkOnce, checkStandalone } from './standalone.ts';
import { invalidOperator } from './values.ts';

/** Maximum depth of groups; it bounds the recursion of everything that walks a query. */
const MAX_DEPTH = 100;
/** At most this many faults are reported at once. */
const MAX_DIAGNOSTICS = 20;

/** After a breach of these rules, the query as a whole cannot be judged. */
const SHAPE_RULES: ReadonlySet<string> = new Set([
  'stray-character',
  'quote-outside',
  'open-quote',
  'stray-minus',
  'missing-clause',
  'stray-parenthesis',
  'open-parenthesis',
  'too-deep',
  'no-word',
]);

type ClauseLexeme = Extract<Lexeme, { kind: 'clause' }>;

const SIGN_NAMES = new Map(Object.entries(SIGNS).map(([name, sign]) => [sign, name]));

/** The first form of a signed value that would be accepted, or undefined. */
function signedFix(sign: string, value: string): string | undefined {
  if (sign === '$') return /[\p{L}\p{N}]/u.test(value) ? `"$${value}"` : undefined;
  const run = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*/u.exec(value)?.[0];
  return run === undefined ? undefined : sign + run;
}

function signedIsSound(sign: string, value: string): boolean {
  if (sign === '$') return /^[a-z]{1,6}(?:[._][a-z]{1,2})?$/i.test(value);
  if (sign === '@') return /^[a-z0-9_]{1,20}$/i.test(value);
  const text = `#${fold(value)}`;
  const { hashtags, emoji } = scanText(text);
  return emoji.length === 0 && hashtags.length === 1 && hashtags[0] === text;
}

const SIGNED: Readonly<Record<string, string>> = {
  hashtag: 'letters, numbers and underscores directly after #',
  mention: 'a username of letters, digits and underscores directly after @',
  cashtag: 'one to six letters directly after $',
};

/** The variant of the language. */
interface ParseOptions {
  /** The endpoint; an operator may exist at one alone. `all` by default. */
  readonly product?: CountsEndpoint;
  /** True if the query is about Your posts, which have operators of their own (`in:`). */
  readonly own?: boolean;
  /** Other operators than those of search and counts. */
  readonly operators?: Operators;
  /** Cuts the text into lexemes in another way. */
  readonly scan?: typeof scan;
}

/** The reason a query that is not about Your posts, or comes from another program, cannot have `in:`. */
const NOT_OWN = "Operator 'in' works only for Your posts, in the dashboard and on the command line";

class Parser {
  readonly diagnostics: Diagnostic[] = [];
  private readonly text: string;
  private readonly lexemes: readonly Lexeme[];
  private readonly options: ParseOptions;
  private next = 0;

  constructor(text: string, lexemes: readonly Lexeme[], options: ParseOptions) {
    this.text = text;
    this.lexemes = lexemes;
    this.options = options;
  }

  private fail(place: Place, rule: string, message: string, fix?: string, column?: number): void {
    this.diagnostics.push({
      at: place.at,
      length: place.length,
      rule,
      message,
      ...(fix === undefined ? {} : { fix }),
      ...(column === undefined || column === place.at ? {} : { column }),
    });
  }

  /** True if the word is between two clauses, where a joining operator would be. */
  private joins(lexeme: ClauseLexeme): boolean {
    const at = this.lexemes.indexOf(lexeme);
    const [before, after] = [this.lexemes[at - 1]?.kind, this.lexemes[at + 1]?.kind];
    const ends = before === 'clause' || before === 'close';
    return !lexeme.negated && ends && (after === 'clause' || after === 'open');
  }

  /** Parses the whole text; null if nothing sound was found. */
  query(): Ast | null {
    let ast = this.alternatives(0);
    for (let at = this.lexemes[this.next]; at; at = this.lexemes[this.next]) {
      // Only a closing parenthesis, or a group too deep, ends the alternatives before the text does.
      if (at.kind !== 'close') break;
      this.fail(at, 'stray-parenthesis', "missing EOF at ')'", '');
      this.next++;
      const following = this.lexemes[this.next];
      if (following && following.kind !== 'close') ast = this.alternatives(0) ?? ast;
    }
    return ast;
  }

  private alternatives(depth: number): Ast | null {
    const of: Ast[] = [];
    for (;;) {
      const part = this.conjunction(depth);
      if (part) of.push(part);
      if (this.lexemes[this.next]?.kind !== 'or') break;
      this.next++;
    }
    return join('or', of);
  }

  private conjunction(depth: number): Ast | null {
    const of: Ast[] = [];
    const first = this.next;
    for (let at = this.lexemes[this.next]; at; at = this.lexemes[this.next]) {
      if (at.kind === 'or' || at.kind === 'close') break;
      this.next++;
      const part = at.kind === 'open' ? this.group(at, depth + 1) : this.clause(at);
      if (part) of.push(part);
    }
    if (this.next === first) this.missing();
    return join('and', of);
  }

  /** Reports that a clause was expected at the next lexeme. */
  private missing(): void {
    const before = this.lexemes[this.next - 1];
    const at = this.lexemes[this.next];
    if (at?.kind === 'or') {
      this.fail(at, 'missing-clause', "no viable alternative at input 'OR'", '');
    } else if (at) {
      if (before) this.fail(at, 'missing-clause', "no viable alternative at input ')'");
    } else if (before) {
      const end = this.text.trimEnd().length;
      this.fail(
        before.kind === 'or' ? before : { at: end, length: 0 },
        'missing-clause',
        "no viable alternative at input '<EOF>'",
        before.kind === 'or' ? '' : undefined,
        end,
      );
    }
  }

  private group(open: Extract<Lexeme, { kind: 'open' }>, depth: number): Ast | null {
    if (depth > MAX_DEPTH) {
      this.fail(open, 'too-deep', `Groups may be nested ${MAX_DEPTH} deep`);
      this.next = this.lexemes.length;
      return null;
    }
    const before = this.diagnostics.length;
    const inner = this.alternatives(depth);
    const close = this.lexemes[this.next];
    if (close?.kind !== 'close') {
      if (this.diagnostics.length === before || inner) {
        const whole = this.text.slice(open.at).trimEnd();
        const sound = this.diagnostics.length === before;
        this.fail(
          { at: open.at, length: whole.length },
          'open-parenthesis',
          "missing ')' at '<EOF>'",
          sound ? `${whole})` : undefined,
        );
      }
      return inner;
    }
    this.next++;
    if (!inner) return null;
    const place = { at: open.at, length: close.at + 1 - open.at };
    if (!open.negated) return inner.kind === 'clause' ? inner : { ...inner, ...place };
    // The fix of this group includes the groups inside it.
    const inside = this.diagnostics.splice(before).filter((d) => d.rule !== 'negated-group');
    this.diagnostics.push(...inside);
    const meant = { ...negation(inner), ...place };
    const fix = meant.kind === 'or' ? `(${format(meant)})` : format(meant);
    this.fail(
      place,
      'negated-group',
      `A group cannot be negated; negate each of its clauses instead: ${fix}`,
      fix,
    );
    return meant;
  }

  /** A clause with a refused value is still returned, so that the checks of the whole query see it. */
  private clause(lexeme: ClauseLexeme): Clause | null {
    const { lead } = lexeme;
    const place = { at: lexeme.leadAt, length: lexeme.at + lexeme.length - lexeme.leadAt };
    const made = (operator: string, value: string): Clause => ({
      kind: 'clause',
      operator,
      value,
      negated: lexeme.negated,
      at: lexeme.at,
      length: lexeme.length,
    });
    if (lead === '') return this.plain(lexeme, place, made);
    const signed = SIGN_NAMES.get(lead);
    if (signed !== undefined) {
      if (signedIsSound(lead, lexeme.value)) return made(signed, lexeme.value);
      const fix = signedFix(lead, lexeme.value);
      const message = `Invalid ${signed} '${lead}${lexeme.value}': expected ${SIGNED[signed] ?? ''}`;
      this.fail(place, `invalid-${signed}`, message, fix);
      return made(signed, lexeme.value);
    }
    return this.named(lexeme, place, made);
  }

  private plain(
    lexeme: ClauseLexeme,
    place: Place,
    made: (operator: string, value: string) => Clause,
  ): Clause | null {
    const { value, quoted } = lexeme;
    const written = this.text.slice(place.at, place.at + place.length);
    if (!quoted && /^(?:and|or)$/i.test(value)) {
      const word = value.toLowerCase();
      const use = word === 'and' ? 'Use a space' : 'Use OR';
      this.fail(
        place,
        'ambiguous-keyword',
        `Ambiguous use of ${word} as a keyword. ${use} to logically join two clauses, or "${word}" to find occurrences of ${word} in text`,
        this.joins(lexeme) ? (word === 'or' ? 'OR' : '') : `"${word}"`,
      );
      return made('word', value);
    }
    const { words, emoji } = contentOf(value);
    if (words.length === 0 && emoji.length === 0) {
      const message = quoted
        ? `no viable alternative at input '${written}'`
        : `no viable alternative at character '${[...value][0] ?? ''}'`;
      this.fail(place, 'no-word', message);
      return null;
    }
    if (quoted) return made('phrase', value);
    return made(loneEmoji(value) === null ? 'word' : 'emoji', value);
  }

  private named(
    lexeme: ClauseLexeme,
    place: Place,
    made: (operator: string, value: string) => Clause,
  ): Clause {
    const { lead, value, quoted } = lexeme;
    const { product = 'all', operators = OPERATORS, own = false } = this.options;
    const operator = operators.get(ALIASES.get(lead) ?? lead);
    if (operator?.own && !own) {
      this.fail(place, 'own-operator', NOT_OWN);
      return made(lead, value);
    }
    if (!operator || !operator.products.includes(product)) {
      const written = this.text.slice(place.at, place.at + place.length);
      const address = lead === 'http' || lead === 'https';
      const word = !quoted && value === '' && !operator && /^[\p{L}\p{N}_]+:$/u.test(written);
      const renamed = RENAMED.get(lead);
      const fix = address
        ? `url:"${written}"`
        : word
          ? `"${written.slice(0, -1)}"`
          : renamed !== undefined && /^[0-9]{1,9}$/.test(value)
            ? `${renamed}:${value}`
            : undefined;
      this.fail(place, 'unknown-operator', invalidOperator(lead), fix);
      return made(lead, value);
    }
    const { name } = operator;
    if (value.trim() === '') {
      this.fail(
        place,
        'missing-value',
        `Operator '${lead}' needs a value directly after the colon`,
      );
      return made(name, value);
    }
    const verdict = operator.check(quoted ? value.trim() : value, quoted);
    if (!verdict.ok) {
      const fix = verdict.fix === undefined ? undefined : `${name}:${verdict.fix}`;
      const column = verdict.offset === undefined ? undefined : lexeme.valueAt + verdict.offset;
      this.fail(place, `invalid-${name}`, verdict.message, fix, column);
      return made(name, value);
    }
    if (lead === 'is' && verdict.value === 'nullcast' && !lexeme.negated) {
      const message = "'is:nullcast' must be negated: -is:nullcast";
      this.fail(place, 'must-negate', message, '-is:nullcast');
      return made(name, value);
    }
    return made(name, verdict.value);
  }
}

function join(kind: 'and' | 'or', of: readonly Ast[]): Ast | null {
  const first = of[0];
  const last = of.at(-1);
  if (!first || !last) return null;
  if (of.length === 1) return first;
  return { kind, of, at: first.at, length: last.at + last.length - first.at };
}

/**
 * The opposite of a part. Only clauses can be negated, so a group becomes a group of opposites (De
 * Morgan).
 */
export function negation(ast: Ast): Ast {
  if (ast.kind === 'clause') return { ...ast, negated: !ast.negated };
  return { ...ast, kind: ast.kind === 'and' ? 'or' : 'and', of: ast.of.map(negation) };
}

/**
 * Parses a query in the platform's language.
 *
 * Never throws. Time grows linearly with the length; groups nest at most {@link MAX_DEPTH} deep. The
 * endpoint limits the length.
 *
 * @returns The query as data, or what is wrong with it, in order of position.
 */
export function parse(text: string, options: ParseOptions = {}): Parsed {
  const { lexemes, diagnostics } = (options.scan ?? scan)(text);
  if (lexemes.length === 0 && diagnostics.length === 0) {
    const message = "no viable alternative at input '<EOF>'";
    return { ok: false, diagnostics: [{ at: 0, length: text.length, rule: 'empty', message }] };
  }
  const parser = new Parser(text, lexemes, options);
  const ast = parser.query();
  // Next to an unreadable piece, a missing clause is only a consequence.
  const own =
    diagnostics.length === 0
      ? parser.diagnostics
      : parser.diagnostics.filter((d) => d.rule !== 'missing-clause');
  const found = [...diagnostics, ...own];
  if (ast && !found.some((d) => SHAPE_RULES.has(d.rule)))
    found.unshift(...checkStandalone(ast, text, options.operators), ...checkOnce(ast));
  if (ast && found.length === 0) return { ok: true, ast };
  found.sort((a, b) => (a.column ?? a.at) - (b.column ?? b.at));
  return { ok: false, diagnostics: found.slice(0, MAX_DIAGNOSTICS) };
}
