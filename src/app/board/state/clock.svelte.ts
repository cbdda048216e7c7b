/** The time as the page says it: ticks every second while someone waits, else every half minute. */
export class Clock {
  now = $state(0);

  /**
   * @param time - `Date.now`, handed in.
   * @param every - `setInterval`, handed in.
   * @param waiting - Whether seconds matter.
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
