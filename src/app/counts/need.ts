import { invalidRequest } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Ast } from '#core/query/ast.ts';
import { parse } from '#core/query/parse.ts';
import type { LayoutNeed } from '#core/series/bucket-layout.ts';
import type { Span } from '#core/time/span.ts';
import type { SourcePolicy } from './source-policy.ts';

/** Sets apart the needs of a view that this user did not make: nothing is bought for it until the user loads it. */
export interface Foreign {
  /** True if it still waits for that. */
  readonly waits: boolean;
  /** Notes that the user loads it. */
  load(): void;
  /** The needs that follow this one, such as an earlier period, with a name: the same approval covers them. */
  later(): readonly { readonly what: string; readonly need: Need }[];
}

/** The counts that a series on the board wants to show. */
export interface Need extends LayoutNeed {
  readonly source: SourceInfo;
  /** Valid text of the query language. */
  readonly query: string;
  /** `recent`: the last seven days only. */
  readonly endpoint: CountsEndpoint;
  readonly policy: SourcePolicy;
  /** True to buy minutes where hours would do. */
  readonly minutes: boolean;
  /** The span that the user is viewing, which is fetched first; null: everything. */
  readonly focus?: () => Span | null;
  /** Absent if this user made the view. */
  readonly foreign?: Foreign;
}

/** Parses a need's query. @throws {Fault} 400, as the source would answer, if it cannot be parsed. */
export function astOf({ query, endpoint, source }: Need): Ast {
  const parsed = parse(query, { product: endpoint, own: source.id === 'posts' });
  if (parsed.ok) return parsed.ast;
  const [diagnostic] = parsed.diagnostics;
  throw invalidRequest('query', query, diagnostic?.message ?? 'the query cannot be read');
}
