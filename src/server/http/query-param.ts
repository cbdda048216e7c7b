import { queryLength, queryLengthLimit } from '#contract/counts/counts.ts';
import type { Access } from '#contract/accounts/access.ts';
import { invalidRequest } from '#contract/fault.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Ast } from '#core/query/ast.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';

/**
 * Reads the query of a request for counts or search.
 *
 * @param own - Whether the query may have the operators of Your posts.
 *
 * @throws {@link Fault} 400 if it is too long or cannot be parsed.
 */
export function readQuery(
  query: string,
  { endpoint, access, own }: { endpoint: CountsEndpoint; access: Access; own: boolean },
): Ast {
  const length = queryLength(query);
  const limit = queryLengthLimit(endpoint, access);
  if (length > limit) {
    const rule = `'query' must have at most ${limit} characters, got ${length}`;
    throw invalidRequest('query', query, `Invalid 'query':'${query}'. ${rule}`);
  }
  const parsed = parse(query, { product: endpoint, own });
  if (!parsed.ok) throw invalidRequest('query', query, message(parsed.diagnostics));
  return parsed.ast;
}
