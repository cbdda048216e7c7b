import { WITHOUT_REQUESTS } from '#app/board/state/static-run.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { Need } from '#app/counts/need.ts';

/** A run that only records its needs. */
export type AskedRun = ReturnType<typeof askedRun>;

export function askedRun(phase: Run['phase'] = 'idle') {
  const needs: Need[] = [];
  const ask = async (need: Need): Promise<void> => void needs.push(need);
  return {
    ...WITHOUT_REQUESTS,
    phase,
    offline: false as boolean,
    curve: null,
    pyramid: null,
    basis: null,
    upperBounds: false,
    key: '',
    needs,
    ask,
    refresh: ask,
    peek: ask,
    dispose: () => undefined,
  };
}
