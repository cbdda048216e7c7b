import type { LiftScope } from '#app/lift/lift-scope.ts';
import { localDayAfter } from '#core/time/zone.ts';

/** The edges of the local days of a scope. */
export function dayBounds({ span, table }: Pick<LiftScope, 'span' | 'table'>): Float64Array {
  const bounds = [span.start];
  for (let at = span.start; at < span.end; bounds.push(at)) at = localDayAfter(table, at, 1);
  return Float64Array.from(bounds);
}
