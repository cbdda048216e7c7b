/** The number of paid requests that a run may still send. */
export class Allowance {
  #remaining: number;

  /** @param requests - Approved but not sent yet; Infinity if they cost nothing. */
  constructor(requests: number) {
    this.#remaining = Math.max(0, requests);
  }

  get remaining(): number {
    return this.#remaining;
  }

  /** Counts a request that is about to be sent. @returns Whether it may be sent. */
  take(): boolean {
    if (this.#remaining < 1) return false;
    this.#remaining -= 1;
    return true;
  }

  /** Releases a request that certainly cost nothing. */
  release(): void {
    this.#remaining += 1;
  }
}
