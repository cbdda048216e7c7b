import { performance } from 'node:perf_hooks';

export interface Timing {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median, least and greatest of numbers. */
export function timing(values: readonly number[]): Timing {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? NaN,
    min: sorted[0] ?? NaN,
    max: sorted.at(-1) ?? NaN,
  };
}

/** Times a piece of work in milliseconds, after one round that is not counted. */
export async function time(rounds: number, work: () => unknown): Promise<Timing> {
  await work();
  const values: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    await work();
    values.push(performance.now() - start);
  }
  return timing(values);
}

/** `1.23 (1.10–1.90)`: the median and its spread. */
export function shown({ median, min, max }: Timing): string {
  const n = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
  return `${n(median)} (${n(min)}–${n(max)})`;
}

/** Prints rows as columns of one width each. */
export function table(title: string, rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  process.stdout.write(`\n${title}\n`);
  for (const row of rows) {
    process.stdout.write(`  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}\n`);
  }
}
