import type { Basis } from '#core/series/basis.ts';
import type { Curve } from '#core/series/series.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const nothing = (): Promise<void> => Promise.resolve();

/** The members about requests, for runs that send none. */
export const WITHOUT_REQUESTS = {
  plan: null,
  made: { requests: 0, money: 0, bytes: 0 },
  progress: { done: 0, total: 0 },
  wait: null,
  fault: null,
  offline: false,
  outdated: false,
  elsewhere: null,
  requests: 0,
  seams: [],
  changes: [],
  probeOffer: null,
  platformSkewMs: null,
  peek: nothing,
  quote: () => Promise.resolve(null),
  pause: () => undefined,
  resume: nothing,
  cancel: () => undefined,
  audit: nothing,
  probe: nothing,
  rebuy: nothing,
} satisfies Partial<Run>;

/**
 * The run of a series that sends no requests: its curve is computed from others or comes from a file.
 *
 * @param readCurve - Called again whenever its inputs change.
 * @param bounded - True if its counts are upper bounds.
 * @param readBasis - The basis from which its figures are computed, if that is not the curve.
 */
export function staticRun(
  readCurve: () => Curve | null,
  bounded: () => boolean = () => false,
  readBasis: () => Basis | null = () => null,
): Run {
  const curve = $derived(readCurve());
  const pyramid = $derived(curve && buildPyramid(curve.counts));
  const basis = $derived(readBasis());
  const upperBounds = $derived(bounded());
  return {
    ...WITHOUT_REQUESTS,
    phase: 'done',
    key: '',
    get curve() {
      return curve;
    },
    get pyramid() {
      return pyramid;
    },
    get basis() {
      return basis;
    },
    get upperBounds() {
      return upperBounds;
    },
    ask: nothing,
    refresh: nothing,
    dispose: () => undefined,
  };
}
