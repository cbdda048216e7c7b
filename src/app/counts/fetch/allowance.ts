/** The number of paid requests that a run may still send. */
export class Allowance {
  #left: number;

  /** @param requests - Approved but not sent yet; Infinity if they cost nothing. */
  constructor(requests: number) {
    this.#left = Math.max(0, requests);
  }

  get left(): number {
    return this.#left;
  }

  /** Counts a request that is about to be sent. @returns Whether it may be sent. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Releases a request that certainly cost nothing. */
  release(): void {
    this.#left += 1;
  }
}
