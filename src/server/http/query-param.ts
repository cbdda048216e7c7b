import { queryLength, queryLengthLimit } from '#contract/counts/counts.ts';
import type { Access } from '#contract/accounts/access.ts';
import { invalidRequest } from '#contract/fault.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Ast } from '#core/query/ast.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';

/** A question for a page of counts or search, whose parameters are well-formed. */
export interface PageQuestion<E extends CountsEndpoint, R> {
  readonly endpoint: E;
  readonly request: R;
  /** The parameters as sent, for messages. */
  readonly texts: Readonly<Record<string, string>>;
  readonly access: Access;
  /** True for the dashboard on Your posts: the query may have their operators, and Posts have their origin. */
  readonly own: boolean;
  /** Epoch ms. */
  readonly now: number;
  /** Key for page tokens. */
  readonly key: Uint8Array;
}

/**
 * Reads the query of a request for counts or search.
 *
 * @throws {@link Fault} 400 if it is too long or cannot be parsed.
 */
export function readQuery(
  query: string,
  {
    endpoint,
    access,
    own,
  }: Pick<PageQuestion<CountsEndpoint, unknown>, 'endpoint' | 'access' | 'own'>,
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
