import type { Need } from '#app/counts/bucket-layout.ts';

/** A need as the board has it for all of its series. */
export type BoardNeed = Omit<Need, 'query'>;

/** What is asked, as text: the same is not asked twice. */
export function keyOf(query: string, need: BoardNeed): string {
  const { source, span, resolution, zone, weekStart, exact, unit, endpoint, policy, minutes } =
    need;
  return JSON.stringify([
    source.id,
    source.store,
    source.revision,
    source.mark,
    source.coverage,
    query,
    span,
    resolution,
    zone,
    weekStart,
    exact,
    unit,
    endpoint,
    policy.endpoints,
    policy.settleMs,
    minutes,
  ]);
}
