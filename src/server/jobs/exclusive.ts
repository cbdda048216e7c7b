/** Work of which one runs at a time. */
export class Exclusive {
  #reason: string | null = null;

  /** True while work runs. */
  get isTaken(): boolean {
    return this.#reason !== null;
  }

  /**
   * Runs work, unless other work is running.
   *
   * @param reason - The message for others that come meanwhile.
   * @throws the reason of the running work; any error of the work.
   */
  async run<T>(reason: string, work: () => Promise<T>): Promise<T> {
    if (this.#reason !== null) throw new Error(this.#reason);
    this.#reason = reason;
    try {
      return await work();
    } finally {
      this.#reason = null;
    }
  }
}
