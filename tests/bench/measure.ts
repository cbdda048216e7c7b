import { performance } from 'node:perf_hooks';

export interface Timing {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly p95: number;
  readonly p99: number;
}

/** Computes the median, the extremes and the high percentiles (nearest rank). */
export function timing(values: readonly number[]): Timing {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? NaN;
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? NaN,
    min: sorted[0] ?? NaN,
    max: sorted.at(-1) ?? NaN,
    p95: at(0.95),
    p99: at(0.99),
  };
}

/** Runs the work once. @returns Milliseconds. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Times the work in milliseconds, after one warm-up round. */
export async function time(rounds: number, work: () => unknown): Promise<Timing> {
  await work();
  const values: number[] = [];
  for (let i = 0; i < rounds; i++) values.push(await milliseconds(work));
  return timing(values);
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** Formats a number with about three significant digits. */
export function digits(value: number): string {
  if (value >= 100 || value === 0) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value >= 0.1 ? value.toFixed(2) : value.toFixed(3);
}

/** Formats a timing as `1.23 (1.10–1.90)`: the median and the range. */
export function shown({ median, min, max }: Timing): string {
  return `${digits(median)} (${digits(min)}–${digits(max)})`;
}

/** Says whether a goal is reached, else by how much it is missed. */
export function verdict(got: number, rule: '≤' | '≥', wanted: number): string {
  if (Number.isNaN(got)) return 'not measured';
  if (rule === '≤' ? got <= wanted : got >= wanted) return 'reached';
  if (wanted === 0) return `missed by ${digits(got)}`;
  const factor = rule === '≤' ? got / wanted : wanted / got;
  return `missed by a factor of ${factor.toFixed(2)}`;
}

/** Prints a result next to its goal. */
export function goal(what: string, got: number, rule: '≤' | '≥', wanted: number, unit = ''): void {
  fact(
    `${what}: ${digits(got)}${unit} (goal ${rule} ${wanted}${unit}: ${verdict(got, rule, wanted)})`,
  );
}

/** Prints a figure that has no goal. */
export function fact(line: string): void {
  process.stdout.write(`  ${line}\n`);
}

/** Prints rows as aligned columns. */
export function table(title: string, rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  process.stdout.write(`\n${title}\n`);
  for (const row of rows) {
    const cells = row.map((cell, i) => cell.padEnd(widths[i] ?? 0));
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`);
  }
}
