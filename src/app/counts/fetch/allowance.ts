/** How many paid requests a run may still send. */
export class Allowance {
  #left: number;

  /** @param requests - Approved and not sent yet; Infinity if they cost nothing. */
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

  /** Returns a request that certainly cost nothing. */
  giveBack(): void {
    this.#left += 1;
  }
}
