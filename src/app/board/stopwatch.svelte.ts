import type { Run } from './series.svelte.ts';

/**
 * Takes the time that a run fetches, pauses left out; null where not all of it was seen. To be made while a component is.
 *
 * @param phase - Of the run, read anew whenever it changes.
 */
export function stopwatch(phase: () => Run['phase']): { readonly took: number | null } {
  let before = 0;
  let since: number | null = null;
  /** Whether the run was paused when it was first seen: then a part of its time is not known. */
  let partial = false;
  let took = $state<number | null>(null);
  $effect(() => {
    const now = phase();
    if (now === 'fetching') {
      since ??= performance.now();
      return;
    }
    if (since !== null) before += performance.now() - since;
    since = null;
    if (now === 'paused') {
      partial ||= before === 0;
      return;
    }
    took = now === 'done' && before > 0 && !partial ? before : null;
    [before, partial] = [0, false];
  });
  return {
    get took() {
      return took;
    },
  };
}
