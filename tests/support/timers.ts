import type { Timer } from '#server/timer.ts';

/** The machine's timer. It does not keep the process running. */
export const machineTimer: Timer = (ms, task) => {
  const timer = setTimeout(task, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

/** A clock with timers, which run when a test moves it. */
export class FakeClock {
  /** Epoch ms. */
  at: number;
  readonly #timers = new Set<{ readonly at: number; readonly task: () => void }>();

  constructor(at: number) {
    this.at = at;
  }

  readonly now = (): number => this.at;

  readonly timer: Timer = (ms, task) => {
    const timer = { at: this.at + ms, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Creates a signal that aborts after some ms of this clock, as `AbortSignal.timeout` does. */
  readonly timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    this.timer(ms, () => controller.abort(new DOMException('It is late.', 'TimeoutError')));
    return controller.signal;
  };

  /** The instant of the next timer, epoch ms; null if there is none. */
  next(): number | null {
    return this.#timers.size === 0 ? null : Math.min(...[...this.#timers].map(({ at }) => at));
  }

  /** Moves the clock, and runs what becomes due in order; `settle` waits for the work that each timer begins. */
  async move(ms: number, settle: () => Promise<unknown> = async () => {}): Promise<void> {
    const end = this.at + ms;
    await settle();
    for (let next = this.next(); next !== null && next <= end; next = this.next()) {
      this.at = Math.max(this.at, next);
      const due = [...this.#timers].filter(({ at }) => at <= this.at);
      for (const timer of due) {
        // An earlier one may have cancelled it.
        if (!this.#timers.delete(timer)) continue;
        timer.task();
      }
      await settle();
    }
    this.at = end;
  }
}
