import type { Need } from '#app/counts/need.ts';

/** The part of a need that all series of a board share. */
export type BoardNeed = Omit<Need, 'query'>;

/** A need as text, so that the same need is not requested twice. */
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
