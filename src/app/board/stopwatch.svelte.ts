import type { Plan } from '#app/counts/gate.svelte.ts';
import { untrack } from 'svelte';
import type { Run } from './series.svelte.ts';

/** A run that is done: as it was planned when it began, and how long it fetched, pauses left out. */
export interface Finished {
  readonly plan: Plan;
  readonly ms: number;
}

/**
 * Follows a run over its pauses, after which it plans its rest anew. To be made while a component is.
 *
 * @returns Null where the run is not done, or not all of it was seen.
 */
export function stopwatch(run: () => Run): { readonly finished: Finished | null } {
  let before = 0;
  let since: number | null = null;
  let plan: Plan | null = null;
  let finished = $state.raw<Finished | null>(null);
  $effect(() => {
    const { phase } = run();
    if (phase === 'fetching') {
      finished = null;
      // What was made before belongs to a run that was paused.
      untrack(() => {
        if (run().made.requests === 0) [before, plan] = [0, run().plan];
      });
      since ??= performance.now();
      return;
    }
    if (since !== null) before += performance.now() - since;
    since = null;
    if (phase === 'done' && plan) finished = { plan, ms: before };
    if (phase === 'done' || phase === 'cancelled' || phase === 'failed') plan = null;
  });
  return {
    get finished() {
      return finished;
    },
  };
}
