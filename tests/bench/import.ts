import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openSource } from '#server/posts/index/source.ts';
import { digits, goal, shown, table, timing } from './measure.ts';

/** The resources that a command took, by GNU time; NaN where that is not installed. */
interface Measured {
  readonly seconds: number;
  /** Peak of the process. */
  readonly megabytes: number;
  /** Time of all cores, which depends less than `seconds` on what else the machine does. */
  readonly cpuSeconds: number;
}

function measured(args: string[], log: string): Measured {
  const gnu = existsSync('/usr/bin/time');
  const command = gnu ? '/usr/bin/time' : process.execPath;
  const all = gnu ? ['-f', '%M %U %S', '-o', log, process.execPath, ...args] : args;
  const start = performance.now();
  const { status, stderr } = spawnSync(command, all, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const seconds = (performance.now() - start) / 1000;
  if (!gnu) return { seconds, megabytes: NaN, cpuSeconds: NaN };
  const [kilobytes = NaN, user = NaN, system = NaN] = readFileSync(log, 'utf8')
    .split(' ')
    .map(Number);
  return { seconds, megabytes: kilobytes / 1024, cpuSeconds: user + system };
}

/** Cost and result of an import by the command. */
export interface Imported extends Measured {
  readonly posts: number;
  /** Size of the file of Posts. */
  readonly bytes: number;
}

/** Imports files of Posts by the command line, as a user does. */
export function importFiles(files: readonly string[], data: string): Imported {
  mkdirSync(data, { recursive: true });
  const args = ['bin/groundswell.js', 'import', '--data', data, ...files];
  const run = measured(args, join(data, 'time'));
  const file = join(data, 'posts.sqlite');
  const source = openSource(file, { random: (n) => new Uint8Array(n) });
  const { posts } = source.index;
  source.close();
  return { posts, ...run, bytes: statSync(file).size };
}

/**
 * Imports real Posts into a new folder each round.
 *
 * @param data - Folder that holds the last round's import for the benchmarks that follow.
 */
export function benchImport(files: readonly string[], rounds: number, data: string): void {
  const runs: Imported[] = [];
  for (let i = 0; i < rounds; i++) {
    rmSync(data, { recursive: true, force: true });
    runs.push(importFiles(files, data));
  }
  const [{ posts, bytes } = { posts: NaN, bytes: NaN }] = runs;
  const rates = timing(runs.map((run) => run.posts / run.seconds));
  const megabytes = Math.max(...runs.map((run) => run.megabytes));
  table('Import of real Posts by the command', [
    ['posts', 'posts/s', 'CPU µs/post', 'peak memory MB', 'file MB', 'bytes/post'],
    [
      posts.toLocaleString('en'),
      shown(rates),
      shown(timing(runs.map((run) => (1e6 * run.cpuSeconds) / run.posts))),
      digits(megabytes),
      digits(bytes / 1e6),
      digits(bytes / posts),
    ],
  ]);
  goal('posts/s', rates.median, '≥', 30_000);
  if (!Number.isNaN(megabytes)) goal('peak memory', megabytes, '≤', 500, ' MB');
}
