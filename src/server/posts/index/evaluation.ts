import type { Due, WaitingSteps } from '#server/index/steps.ts';
import { SourceClosedError, type CountSource, type SourceState } from './source.ts';
import type { Slices } from './slices.ts';

/** The result of an evaluation, and the state of the store it belongs to. */
export interface Evaluated<T> extends Pick<SourceState, 'store' | 'revision' | 'mark'> {
  readonly result: T;
}

/**
 * Evaluates something over one state of a source in slices, so that other requests are answered
 * meanwhile.
 *
 * @param open - Returns the current source; called again if another file replaced it meanwhile, as when
 *   a sample is recreated.
 * @param signal - Aborts the work, such as when the client disconnects.
 * @returns Null if the signal came first.
 * @throws Whatever `open` and the work throw.
 */
export async function evaluated<T>(
  open: () => Pick<CountSource, 'over'>,
  work: (state: SourceState, due: Due) => WaitingSteps<T>,
  slices: Slices,
  signal: AbortSignal,
): Promise<Evaluated<T> | null> {
  for (;;) {
    const slice = open().over(function* (state, due) {
      const { store, revision, mark } = state;
      return { result: yield* work(state, due), store, revision, mark };
    });
    try {
      return await slices.run(slice, signal);
    } catch (error) {
      if (!(error instanceof SourceClosedError)) throw error;
    }
  }
}
