import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Ast, Diagnostic } from './ast.ts';
import { write } from './format.ts';
import { negation, parse } from './parse.ts';

/** A query composed of others, or why there is none. */
export type Composed =
  | {
      readonly ok: true;
      /** Folded, without repeats or needless parentheses, in the order of its parts. */
      readonly text: string;
      readonly ast: Ast;
      /** In code points, as the limit is. */
      readonly length: number;
      readonly limit: number;
    }
  | {
      readonly ok: false;
      readonly why: 'faulty' | 'too-long' | 'refused';
      /** A sentence for the user. */
      readonly reason: string;
      /** The faults: in the faulty part, or in `text`. */
      readonly diagnostics: readonly Diagnostic[];
      /** The composed query; absent if a part is faulty. */
      readonly text?: string;
      readonly length?: number;
      readonly limit: number;
    };

export interface ComposeOptions {
  /** Code points that the endpoint accepts. */
  readonly limit: number;
  /** The endpoint; `all` by default. */
  readonly product?: CountsEndpoint;
}

/** The reason the language refuses a combination, by the rule that it breaks. */
const REFUSED: Readonly<Record<string, string>> = {
  'must-negate': 'is:nullcast can only be left out, and the combination would have to ask for it.',
  'only-once': 'A query may name one list only, and the combination would name two.',
  'too-deep': 'The combination would nest its groups too deep.',
};

/** Checks a composed query: its length, and its text by parsing it again. */
export function made(ast: Ast, { limit, product = 'all' }: ComposeOptions): Composed {
  const text = write(ast);
  const { length } = [...text];
  const parsed = parse(text, { product, own: true });
  if (!parsed.ok) {
    const { diagnostics } = parsed;
    const [first] = diagnostics;
    const reason = REFUSED[first?.rule ?? ''] ?? `${first?.message ?? ''}.`;
    return { ok: false, why: 'refused', reason, diagnostics, text, length, limit };
  }
  if (length > limit) {
    const reason = `The combination has ${length} characters, ${length - limit} more than the ${limit} of a query.`;
    return { ok: false, why: 'too-long', reason, diagnostics: [], text, length, limit };
  }
  return { ok: true, text, ast: parsed.ast, length, limit };
}

/** A query as data, or what is wrong with it if it cannot be parsed. */
export function read(
  query: string | Ast,
  name: string,
  { limit, product = 'all' }: ComposeOptions,
): Ast | Extract<Composed, { ok: false }> {
  if (typeof query !== 'string') return query;
  // True if the source has the operators of Your posts is checked where the query is used.
  const parsed = parse(query, { product, own: true });
  if (parsed.ok) return parsed.ast;
  const reason = `${name} has a mistake: fix it first.`;
  return { ok: false, why: 'faulty', reason, diagnostics: parsed.diagnostics, limit };
}

function combine(
  a: string | Ast,
  b: string | Ast,
  options: ComposeOptions,
  kind: 'and' | 'or',
  second: (ast: Ast) => Ast = (ast) => ast,
): Composed {
  const first = read(a, 'The first query', options);
  if ('ok' in first) return first;
  const other = read(b, 'The second query', options);
  if ('ok' in other) return other;
  return made({ kind, of: [first, second(other)], at: 0, length: 0 }, options);
}

/**
 * Posts that match either query or both, each once: `a OR b`.
 *
 * @returns The query, or why it cannot be composed: a part cannot be parsed, the whole is longer than
 *   the limit, or the language refuses it.
 */
export function queryUnion(a: string | Ast, b: string | Ast, options: ComposeOptions): Composed {
  return combine(a, b, options, 'or');
}

/** Posts that match both queries: `(a) (b)`; otherwise like {@link queryUnion}. */
export function overlap(a: string | Ast, b: string | Ast, options: ComposeOptions): Composed {
  return combine(a, b, options, 'and');
}

/** Posts that match the first query but not the second: `(a) -b`; otherwise like {@link queryUnion}. */
export function difference(a: string | Ast, b: string | Ast, options: ComposeOptions): Composed {
  return combine(a, b, options, 'and', negation);
}
