/** The last search of a finder of events: the page is drawn more often than what it searches changes. */
export class LastSearch {
  #key = '';
  #stop = new AbortController();

  /**
   * Begins a search, which ends the one before.
   *
   * @param wanted - The facts that identify the search, compared as JSON.
   * @param offline - True if the service is away: what was found stays, and is searched again once it is back.
   * @returns The signal of the search; null if the last search was the same, even if it failed, or if the service is away.
   */
  begin(wanted: readonly unknown[], offline: boolean): AbortSignal | null {
    const key = offline ? '' : JSON.stringify(wanted);
    const isKnown = offline || key === this.#key;
    this.#key = key;
    return isKnown ? null : this.repeat();
  }

  /** Begins the same search again. @returns Its signal. */
  repeat(): AbortSignal {
    this.#stop.abort();
    this.#stop = new AbortController();
    return this.#stop.signal;
  }
}
