/** A cost that does not grow with the data is the same for both sizes; one that does is many times as much. */
export const MAX_GROWTH = 3;

/** Most times that each work is done. */
export const MAX_RUNS = 60;

/**
 * Minima of interleaved runs are nearly independent of what else the machine does. More runs only lower them: a busy
 * machine needs more, and a cost that grows stays too high.
 */
const MIN_RUNS = 3;

async function took(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Compares what the same work costs over little and over much data.
 *
 * @returns The factor by which it takes longer over much data, each at its fastest.
 */
export async function growth(few: () => unknown, many: () => unknown): Promise<number> {
  let [short, long] = [Infinity, Infinity];
  for (let run = 0; run < MAX_RUNS; run += 1) {
    short = Math.min(short, await took(few));
    long = Math.min(long, await took(many));
    if (run + 1 >= MIN_RUNS && long <= MAX_GROWTH * short) break;
  }
  return long / short;
}
