import { queryLength, queryLengthLimit } from '#contract/counts/counts.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Ast, Diagnostic } from '#core/query/ast.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';

/** Thrown for a query that a source cannot count. The message names what is wrong and where. */
export class WrongQueryError extends Error {
  override readonly name = 'WrongQueryError';
  readonly query: string;
  readonly diagnostics: readonly Diagnostic[];

  constructor(query: string, diagnostics: readonly Diagnostic[]) {
    super(message(diagnostics));
    this.query = query;
    this.diagnostics = diagnostics;
  }
}

/**
 * Reads a query as the dashboard does: with the operators of Your posts only there.
 *
 * @param endpoint - The endpoint that will be asked; `recent` takes shorter queries.
 * @throws {@link WrongQueryError} if it cannot be parsed, or is too long.
 */
export function readQueryOf(
  source: SourceId,
  query: string,
  endpoint: CountsEndpoint = 'all',
): Ast {
  const [length, limit] = [queryLength(query), queryLengthLimit(endpoint, 'enterprise')];
  if (length > limit) {
    const at = [...query].slice(0, limit).join('').length;
    const said = `a query has at most ${limit} characters, got ${length}`;
    const place = { at, length: query.length - at };
    throw new WrongQueryError(query, [{ ...place, rule: 'too-long', message: said }]);
  }
  const parsed = parse(query, { product: endpoint, own: source === 'posts' });
  if (!parsed.ok) throw new WrongQueryError(query, parsed.diagnostics);
  return parsed.ast;
}
