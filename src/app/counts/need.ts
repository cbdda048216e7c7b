import type { CountsEndpoint } from '#contract/counts.ts';
import { invalidRequest } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { Ast } from '#core/query/ast.ts';
import { parse } from '#core/query/parse.ts';
import type { LayoutNeed } from '#core/series/bucket-layout.ts';
import type { Span } from '#core/time/span.ts';
import type { SourcePolicy } from './source-policy.ts';

/** What a series on the board wants to show. */
export interface Need extends LayoutNeed {
  readonly source: SourceInfo;
  /** Valid text of the query language. */
  readonly query: string;
  /** `recent`: the last seven days only. */
  readonly endpoint: CountsEndpoint;
  readonly policy: SourcePolicy;
  /** Whether to buy minutes where hours would do. */
  readonly minutes: boolean;
  /** The span that the user is viewing, which is fetched first; null: everything. */
  readonly focus?: () => Span | null;
}

/** Parses a need's query. @throws {Fault} 400, as the source would answer, if it cannot be parsed. */
export function astOf({ query, endpoint, source }: Need): Ast {
  const parsed = parse(query, { product: endpoint, own: source.id === 'posts' });
  if (parsed.ok) return parsed.ast;
  const [diagnostic] = parsed.diagnostics;
  throw invalidRequest('query', query, diagnostic?.message ?? 'the query cannot be read');
}
