import { toError } from '#core/thrown.ts';
import type { Due } from '#server/index/steps.ts';
import type { Slice } from './source.ts';

/** The time for which work blocks the thread before other tasks run, ms. */
export const SLICE_MS = 8;

/** Maximum number of works in progress: each holds its bucket counts so far, up to 200 KB. */
const BEGUN = 256;

interface Work {
  /** Time on the thread so far, ms. */
  used: number;
  readonly isAborted: () => boolean;
  /** Runs a slice; returns whether the work is done. */
  run(due: Due): boolean;
  abandon(): void;
}

/**
 * Shares the thread among evaluations of queries: between two slices it handles everything else. The
 * one with the least time so far runs first, so that a short one waits for at most one slice of a long
 * one.
 */
export class Slices {
  readonly #elapsed: () => number;
  #begun: Work[] = [];
  readonly #waiting: Work[] = [];
  /** True if a slice ran since the event loop last came around. */
  #ran = false;

  /** @param elapsed - A clock that never goes back, ms. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs work slice by slice; the first one at once, unless another ran since the event loop came
   * around.
   *
   * @returns Its result; null if the signal came first, after which none of it runs.
   * @throws Whatever the work throws.
   */
  run<T>(slice: Slice<T>, signal: AbortSignal): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const work: Work = {
        used: 0,
        isAborted: () => signal.aborted,
        run: (due) => {
          try {
            const step = slice(due);
            if (step.done) resolve(step.value);
            return step.done === true;
          } catch (error) {
            reject(toError(error));
            return true;
          }
        },
        abandon: () => resolve(null),
      };
      if (this.#begun.length < BEGUN) this.#begun.push(work);
      else this.#waiting.push(work);
      if (!this.#ran) this.#turn();
    });
  }

  /** Runs slices until their time is used up, and again when the event loop comes around. */
  #turn(): void {
    const began = this.#elapsed();
    const due = (): boolean => this.#elapsed() - began >= SLICE_MS;
    this.#ran = this.#begun.length > 0;
    while (this.#begun.length > 0) {
      this.#slice(due);
      if (due()) break;
    }
    if (this.#ran) setImmediate(() => this.#turn());
  }

  #slice(due: Due): void {
    const work = this.#begun.reduce((shortest, each) =>
      each.used < shortest.used ? each : shortest,
    );
    const before = this.#elapsed();
    const aborted = work.isAborted();
    if (aborted) work.abandon();
    if (!aborted && !work.run(due)) {
      work.used += this.#elapsed() - before;
      return;
    }
    this.#begun = this.#begun.filter((each) => each !== work);
    const next = this.#waiting.shift();
    if (next) this.#begun.push(next);
  }
}
