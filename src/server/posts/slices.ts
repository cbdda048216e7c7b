import type { Due } from '#server/index/steps.ts';
import type { Slice } from './source.ts';

/** How long work keeps the thread before whatever else waits for it, ms. */
export const SLICE_MS = 8;

/** Work begun and not done, at most: each holds the counts of its buckets so far, up to 200 KB. */
const BEGUN = 256;

interface Work {
  /** Time on the thread so far, ms. */
  used: number;
  readonly gone: () => boolean;
  /** Runs a slice; whether the work is done. */
  run(due: Due): boolean;
  leave(): void;
}

/**
 * Shares the thread among evaluations of queries: between two slices it answers everything else. First runs
 * what has had the least time, so a short one waits for a slice of a long one at most.
 */
export class Slices {
  readonly #elapsed: () => number;
  #begun: Work[] = [];
  readonly #waiting: Work[] = [];
  /** Whether a slice was run since the thread last came around. */
  #ran = false;

  /** @param elapsed - a clock that never goes back, ms. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs work slice by slice, the first at once where none other has run since the thread came around.
   *
   * @returns What it returns; null where the signal came first, after which none of it runs.
   * @throws What it throws.
   */
  run<T>(slice: Slice<T>, signal: AbortSignal): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const work: Work = {
        used: 0,
        gone: () => signal.aborted,
        run: (due) => {
          try {
            const step = slice(due);
            if (step.done) resolve(step.value);
            return step.done === true;
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
            return true;
          }
        },
        leave: () => resolve(null),
      };
      if (this.#begun.length < BEGUN) this.#begun.push(work);
      else this.#waiting.push(work);
      if (!this.#ran) this.#turn();
    });
  }

  /** Runs slices until they have had their time, and again when the thread comes around. */
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
    const work = this.#begun.reduce((least, each) => (each.used < least.used ? each : least));
    const before = this.#elapsed();
    const gone = work.gone();
    if (gone) work.leave();
    if (!gone && !work.run(due)) {
      work.used += this.#elapsed() - before;
      return;
    }
    this.#begun = this.#begun.filter((each) => each !== work);
    const next = this.#waiting.shift();
    if (next) this.#begun.push(next);
  }
}
