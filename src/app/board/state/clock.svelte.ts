/** The current time for the page: ticks every second while seconds matter, otherwise every 30 seconds. */
export class Clock {
  now = $state(0);

  /**
   * @param time - `Date.now`.
   * @param every - `setInterval`.
   * @param waiting - Whether seconds matter now.
   */
  constructor(
    time: () => number,
    every: (act: () => void, ms: number) => unknown,
    waiting: () => boolean,
  ) {
    this.now = time();
    let ticks = 0;
    every(() => {
      ticks += 1;
      if (waiting() || ticks % 30 === 0) this.now = time();
    }, 1000);
  }
}
