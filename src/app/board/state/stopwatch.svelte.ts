import type { Plan } from '#app/counts/cache/records.ts';
import { untrack } from 'svelte';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** A finished run: its plan, and how long it fetched without pauses; null if it began before the page opened. */
export interface Finished {
  readonly plan: Plan;
  readonly ms: number | null;
}

/** Times a run across its pauses. Call it while a component initialises. */
export function stopwatch(run: () => Run): { readonly finished: Finished | null } {
  let before = 0;
  let since: number | null = null;
  let whole = false;
  let fetched = false;
  let finished = $state.raw<Finished | null>(null);
  $effect(() => {
    const { phase } = run();
    if (phase === 'fetching') {
      finished = null;
      // The time of requests made before this page opened is unknown.
      if (untrack(() => run().made.requests === 0)) [before, whole] = [0, true];
      fetched = true;
      since ??= performance.now();
      return;
    }
    if (since !== null) before += performance.now() - since;
    since = null;
    const plan = untrack(() => run().plan);
    if (phase === 'done' && plan && fetched) finished = { plan, ms: whole ? before : null };
    if (phase === 'done' || phase === 'cancelled' || phase === 'failed') {
      [fetched, whole] = [false, false];
    }
  });
  return {
    get finished() {
      return finished;
    },
  };
}
