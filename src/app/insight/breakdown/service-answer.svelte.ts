/** The service's answer to the newest question; an answer to an earlier one is dropped. */
export class ServiceAnswer<Data> {
  #reading = new AbortController();
  #key: string | null = null;
  #read: ((signal: AbortSignal) => Promise<Data>) | null = null;
  data = $state.raw<Data | null>(null);
  fault = $state.raw<unknown>(null);

  /**
   * Asks a question, unless it is the one asked last.
   *
   * @param key - Identifies the question; null asks none and drops the answer.
   */
  ask(key: string | null, read: (signal: AbortSignal) => Promise<Data>): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#read = key === null ? null : read;
    void this.retry();
  }

  /** Asks again. */
  async retry(): Promise<void> {
    this.#reading.abort();
    const { signal } = (this.#reading = new AbortController());
    this.data = null;
    this.fault = null;
    try {
      const data = (await this.#read?.(signal)) ?? null;
      if (!signal.aborted) this.data = data;
    } catch (error) {
      if (!signal.aborted) this.fault = error;
    }
  }
}
