/** How many requests that cost something may still be sent; everything that a run sends shares one. */
export class Allowance {
  #left: number;

  /** @param requests - That were agreed to and not sent yet; Infinity where they cost nothing. */
  constructor(requests: number) {
    this.#left = Math.max(0, requests);
  }

  get left(): number {
    return this.#left;
  }

  /** Counts a request that is about to be sent. @returns Whether it may be. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Counts a request back that certainly cost nothing. */
  giveBack(): void {
    this.#left += 1;
  }
}
