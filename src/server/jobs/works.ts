import type { ControlEvent, JobName, JobOrder, JobOutcome } from '#contract/control/control.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Emit, Jobs } from '#server/http/job-stream.ts';
import { ImportError } from '#server/import/import-summary.ts';

/** The work of jobs: each returns its outcome, or throws what ends it. */
export type Works<N extends JobName> = {
  readonly [K in N]: (
    order: JobOrder<K>,
    emit: Emit,
    signal: AbortSignal,
  ) => JobOutcome<K> | Promise<JobOutcome<K>>;
};

/** Jobs whose last event is the outcome of their work or, if it throws, a fault. */
export function jobsOf<N extends JobName>(works: Works<N>): Pick<Jobs, N> {
  const jobOf =
    (work: (...of: [never, Emit, AbortSignal]) => ControlEvent | Promise<ControlEvent>) =>
    async (order: unknown, emit: Emit, signal: AbortSignal): Promise<void> => {
      let last: ControlEvent;
      try {
        last = await work(order as never, emit, signal);
      } catch (error) {
        const summary = error instanceof ImportError ? error.summary : null;
        last = { type: 'fault', message: errorMessage(error), summary };
      }
      emit(last);
    };
  const jobs = Object.entries<Parameters<typeof jobOf>[0]>(works);
  return Object.fromEntries(jobs.map(([name, work]) => [name, jobOf(work)])) as Pick<Jobs, N>;
}
