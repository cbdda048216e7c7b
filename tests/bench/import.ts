import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openSource } from '#server/store/source.ts';
import { shown, table, timing } from './measure.ts';

/** Runs a command and tells its peak memory in MB where the machine has GNU time, else NaN. */
function measured(args: string[], log: string): { seconds: number; megabytes: number } {
  const gnu = existsSync('/usr/bin/time');
  const command = gnu ? '/usr/bin/time' : process.execPath;
  const all = gnu ? ['-f', '%M', '-o', log, process.execPath, ...args] : args;
  const start = performance.now();
  const { status, stderr } = spawnSync(command, all, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const seconds = (performance.now() - start) / 1000;
  return { seconds, megabytes: gnu ? Number(readFileSync(log, 'utf8')) / 1024 : NaN };
}

/**
 * Imports files of Posts by the command, as a user does, into a new folder each round.
 *
 * @param keep - Where the last round's data folder is left for the other benchmarks.
 */
export function benchImport(files: readonly string[], rounds: number, keep: string): void {
  let posts = 0;
  const rates: number[] = [];
  let megabytes = 0;
  for (let i = 0; i < rounds; i++) {
    rmSync(keep, { recursive: true, force: true });
    const args = ['bin/groundswell.js', 'import', '--data', keep, ...files];
    const run = measured(args, `${keep}.time`);
    const source = openSource(join(keep, 'posts.sqlite'), { random: (n) => new Uint8Array(n) });
    posts = source.index.posts;
    source.close();
    rates.push(posts / run.seconds);
    megabytes = Math.max(megabytes, run.megabytes);
  }
  const bytes = statSync(join(keep, 'posts.sqlite')).size;
  table('Import by the command', [
    ['posts', 'posts/s', 'peak memory MB', 'file MB'],
    [
      posts.toLocaleString('en'),
      shown(timing(rates)),
      megabytes.toFixed(0),
      (bytes / 1e6).toFixed(0),
    ],
  ]);
}
