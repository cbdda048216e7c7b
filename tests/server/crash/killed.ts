import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Job, KillPoint, Line } from './child.ts';
import type { Action } from './script.ts';

/** The observed outcome of a process. */
export interface Outcome {
  readonly killed: boolean;
  /** Actions of the script that it reported as done. */
  readonly done: number;
  /** The last reported revision of the file; null if nothing was reported as done. */
  readonly revision: number | null;
  /** See {@link Line}; null if it was killed. */
  readonly steps: Readonly<Record<string, readonly number[]>> | null;
}

/** The way a process is ended before its script is done: by itself at a point, or from outside after some ms. */
export type Kill = KillPoint | { readonly afterMs: number } | null;

/** The program of `child.ts`, in a folder with files for it. */
export interface Bench {
  file(name: string): string;
  /**
   * A copy of a closed file under another name: SQLite recognises a file that was open before by its
   * inode.
   */
  copy(from: string): string;
  run(file: string, script: readonly Action[], kill: Kill): Promise<Outcome>;
  remove(): void;
}

/**
 * Opens a folder for the child's program, which was built before (see {@link
 * file://./../../support/run/programs.ts}).
 */
export function openBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-crash-'));
  const program = join(inject('programs'), 'crash-child.js');
  let copies = 0;
  const file = (name: string): string => join(folder, name);
  return {
    file,
    copy: (from) => {
      const log = statSync(`${from}-wal`, { throwIfNoEntry: false });
      if (log && log.size > 0) throw new RangeError(`expected a closed file, got ${from}`);
      const to = file(`copy-${++copies}`);
      copyFileSync(from, to);
      return to;
    },
    run: (name, script, kill) => run(program, name, script, kill),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function run(
  program: string,
  file: string,
  script: readonly Action[],
  kill: Kill,
): Promise<Outcome> {
  const outside = kill !== null && 'afterMs' in kill ? kill.afterMs : null;
  const job: Job = { file, script, kill: kill !== null && 'step' in kill ? kill : null };
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, complaint] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    if (said === '' && outside !== null) setTimeout(() => child.kill('SIGKILL'), outside);
    said += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => (complaint += part.toString()));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((end) =>
    child.once('close', (code, signal) => end([code, signal])),
  );
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the process failed: ${complaint}`);
  const lines = said.split('\n').slice(0, -1);
  let outcome: Outcome = { killed: signal !== null, done: 0, revision: null, steps: null };
  for (const line of lines.map((line) => JSON.parse(line) as Line)) {
    if (line.type === 'done') {
      outcome = { ...outcome, done: line.action + 1, revision: line.revision };
    } else if (line.type === 'end') outcome = { ...outcome, steps: line.steps };
  }
  return outcome;
}
