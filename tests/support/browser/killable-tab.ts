import type { TabLock } from '#app/counts/fetch/free-fetch.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * A tab that a test can close at any moment. Every outgoing call has two steps, one before it takes effect and one
 * before its answer arrives. After the last step, calls have no effect and never settle.
 */
export class KillableTab {
  steps = 0;
  #last: number;
  #die: () => void = () => undefined;
  /** Resolves when the tab is dead. */
  readonly death: Promise<void>;
  dead = false;

  /** @param last - The step at which the tab dies; by default it lives on. */
  constructor(last = Infinity) {
    this.#last = last;
    this.death = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  kill(): void {
    this.dead = true;
    this.#die();
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#step()) return await never();
    const result = await work();
    if (this.#step()) return await never();
    return result;
  }

  /** Wraps an object so that each method call counts as steps. */
  over<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name, of);
        if (typeof value !== 'function') return value;
        const method = value as (...args: unknown[]) => unknown;
        return (...args: unknown[]) =>
          this.call(async () => await (method.apply(of, args) as Promise<unknown>));
      },
    });
  }

  /** Wraps a lock so that death releases what the tab holds, as browsers do for a closed tab. */
  lock(lock: TabLock): TabLock {
    return async (name, signal, work, onBusy) => {
      if (this.dead) return await never();
      await lock(name, signal, () => Promise.race([work(), this.death]), onBusy);
      if (this.dead) await never();
    };
  }

  #step(): boolean {
    this.steps += 1;
    if (this.steps >= this.#last) this.kill();
    return this.dead;
  }
}
