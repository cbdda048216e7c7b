import type { EndpointClient } from '#app/api/endpoint-call.ts';
import { faultText } from '#app/format/fault-text.ts';

/** The times at which a visible value loads again. */
export interface Following {
  /** True if nobody sees the page. */
  readonly isHidden: () => boolean;
  /** Calls `run` every `ms`, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void;
}

/** Loads again as long as the page is open, and only while someone sees it. */
export const WHILE_SEEN: Following = {
  isHidden: () => document.hidden,
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
};

/** The means to change the service and to say so. */
export interface Changing {
  readonly client: EndpointClient;
  /** Confirms what was done; with `undo`, by a message that can take it back. */
  readonly say: (text: string, undo?: () => void) => void;
}

/** A value that the service has. It stays visible if a later load fails. */
export class Loaded<T> {
  readonly #read: () => Promise<T>;
  readonly #after: (value: T) => Promise<unknown> | void;
  /** Null until loaded. */
  value = $state.raw<T | null>(null);
  /** The fault of the last load, in words; empty if it succeeded. */
  fault = $state('');
  #loading: Promise<void> | null = null;

  /** @param after - Loads what depends on a value, once that is visible. */
  constructor(
    read: () => Promise<T>,
    after: (value: T) => Promise<unknown> | void = () => undefined,
  ) {
    this.#read = read;
    this.#after = after;
  }

  /** Loads the value. Calls at the same time share one load. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** Loads the value after a change. A load that began before may not show it. */
  async reload(): Promise<void> {
    await this.#loading;
    await this.load();
  }

  /** Loads now and every `ms` while the page is visible. @returns Ends that. */
  follow(ms: number, { isHidden, every }: Following): () => void {
    void this.load();
    return every(ms, () => {
      if (!isHidden()) void this.load();
    });
  }

  async #load(): Promise<void> {
    try {
      this.value = await this.#read();
      this.fault = '';
    } catch (error) {
      this.fault = faultText(error);
      return;
    }
    await this.#after(this.value);
  }
}

/** Changes at the service, one at a time for each id. */
export class Changes {
  readonly #explain: (text: string) => void;
  /** Ids of what is being changed. */
  busy = $state.raw<ReadonlySet<string>>(new Set());

  /** @param explain - Shows why a change failed. */
  constructor(explain: (text: string) => void) {
    this.#explain = explain;
  }

  /**
   * Makes a change, unless one with this id is being made.
   *
   * @param after - Runs after the change, successful or not, before the id is free again.
   * @returns Whether it was made.
   */
  async make(
    id: string,
    change: () => Promise<unknown>,
    after: () => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    if (this.busy.has(id)) return false;
    this.busy = new Set([...this.busy, id]);
    try {
      await change();
      return true;
    } catch (error) {
      this.#explain(faultText(error));
      return false;
    } finally {
      await after();
      this.busy = new Set([...this.busy].filter((other) => other !== id));
    }
  }
}
