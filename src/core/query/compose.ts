import type { Ast, Diagnostic } from './ast.ts';
import { write } from './format.ts';
import type { Product } from './operators.ts';
import { negation, parse } from './parse.ts';

/** A query made of others, or why there is none. */
export type Composed =
  | {
      readonly ok: true;
      /** Folded, without repeats or needless parentheses, in the order of what it was made of. */
      readonly text: string;
      readonly ast: Ast;
      /** In code points, as the limit is. */
      readonly length: number;
      readonly limit: number;
    }
  | {
      readonly ok: false;
      readonly why: 'faulty' | 'too-long' | 'refused';
      /** For who asked: a sentence. */
      readonly reason: string;
      /** What is wrong: in the part that is faulty, or in `text`. */
      readonly diagnostics: readonly Diagnostic[];
      /** What would have been asked; absent where a part is faulty. */
      readonly text?: string;
      readonly length?: number;
      readonly limit: number;
    };

export interface ComposeOptions {
  /** Code points that the endpoint takes. */
  readonly limit: number;
  /** Which endpoint is asked; `all` unless said. */
  readonly product?: Product;
}

/** What the language allows no combination to say, by the rule that it breaks. */
const REFUSED: Readonly<Record<string, string>> = {
  'must-negate': 'is:nullcast can only be left out, and the combination would have to ask for it.',
  'only-once': 'A query may name one list only, and the combination would name two.',
  'too-deep': 'The combination would nest its groups too deep.',
};

/** Checks that a part made of others is a query: by its length, and by reading its text again. */
export function made(ast: Ast, { limit, product = 'all' }: ComposeOptions): Composed {
  const text = write(ast);
  const { length } = [...text];
  const parsed = parse(text, { product });
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

/** A query as data; what is wrong in it where it cannot be read. */
export function read(
  query: string | Ast,
  name: string,
  { limit, product = 'all' }: ComposeOptions,
): Ast | Extract<Composed, { ok: false }> {
  if (typeof query !== 'string') return query;
  const parsed = parse(query, { product });
  if (parsed.ok) return parsed.ast;
  const reason = `${name} has something wrong in it: mend it first.`;
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
 * Posts that match one query or the other or both, each once: `a OR b`.
 *
 * @returns The query, or why none can be built: a part cannot be read, the whole is longer than the
 *   limit, or the language refuses it.
 */
export function union(a: string | Ast, b: string | Ast, options: ComposeOptions): Composed {
  return combine(a, b, options, 'or');
}

/** Posts that match both queries: `(a) (b)`; else as {@link union}. */
export function overlap(a: string | Ast, b: string | Ast, options: ComposeOptions): Composed {
  return combine(a, b, options, 'and');
}

/** Posts that match the first query and not the second: `(a) -b`; else as {@link union}. */
export function difference(a: string | Ast, b: string | Ast, options: ComposeOptions): Composed {
  return combine(a, b, options, 'and', negation);
}
