import type { Run } from '#app/board/series.svelte.ts';
import type { Need } from '#app/counts/run.svelte.ts';
import { viewOf } from '#app/counts/view.ts';
import { buildPyramid, type Pyramid } from '#core/series/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';

/** A run that has its whole curve at once: a wave that the query's length shifts. */
class DrawnRun implements Run {
  phase = $state<Run['phase']>('idle');
  progress = { done: 0, total: 0 };
  wait = null;
  fault = null;
  offline = false;
  curve = $state.raw<Curve | null>(null);
  pyramid = $state.raw<Pyramid | null>(null);
  requests = 0;
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  ask(need: Need): Promise<void> {
    const { bounds } = viewOf(need);
    const counts = Float64Array.from({ length: bounds.length - 1 }, (_, i) =>
      Math.round(60 + 40 * Math.sin(i / 9 + need.query.length)),
    );
    const states = Uint8Array.from(counts, (_, i) =>
      (bounds[i + 1] ?? 0) > this.#now ? STATE.partial : STATE.settled,
    );
    const fetchedAt = new Float64Array(counts.length).fill(this.#now);
    this.curve = { bounds, counts, states, fetchedAt };
    this.pyramid = buildPyramid(counts);
    this.phase = 'done';
    return Promise.resolve();
  }
  refresh(need: Need): Promise<void> {
    return this.ask(need);
  }
  cancel(): void {
    this.phase = 'cancelled';
  }
  dispose(): void {
    this.curve = null;
  }
}

/** A run for a page that nothing serves. */
export function drawnRun(now: number): Run {
  return new DrawnRun(now);
}
