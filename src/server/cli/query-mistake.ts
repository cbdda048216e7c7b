import type { Diagnostic } from '#core/query/ast.ts';
import { positionOf } from '#core/query/message.ts';

/** Most columns of a terminal that a query is shown in. */
const WIDTH = 100;
/** Columns that are shown before the mistake in a longer query. */
const LEAD = 40;

/** Shows a query with carets below a place. A long query is cut around the place, and line breaks are spaces. */
function pointed(query: string, { at, length }: Pick<Diagnostic, 'at' | 'length'>): string {
  const from = query.length > WIDTH ? Math.max(0, Math.min(at - LEAD, query.length - WIDTH)) : 0;
  const shown = query.slice(from, from + WIDTH).replaceAll(/\s/g, ' ');
  const carets = Math.max(1, Math.min(length, shown.length - (at - from)));
  return `  ${shown}\n  ${' '.repeat(at - from)}${'^'.repeat(carets)}`;
}

/** Says what is wrong in a query, with the position and a caret below each place. */
export function queryMistake(query: string, diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map((diagnostic) => {
      const fix = diagnostic.fix ? ` Use ${diagnostic.fix}.` : '';
      return `The query has a mistake at position ${positionOf(diagnostic)}: ${diagnostic.message}.${fix}\n${pointed(query, diagnostic)}`;
    })
    .join('\n');
}
