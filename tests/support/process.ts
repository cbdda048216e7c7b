import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretOf } from '#contract/session.ts';
import { postFiles } from './posts.ts';

const BIN = 'bin/groundswell.js';

/** A folder of its own for one test file; the caller removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'groundswell-'));
}

/** Runs one command of the service to its end. */
export function groundswell(...args: string[]): { code: number | null; out: string; err: string } {
  const run = spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

/** The service as a user starts it: a process of its own. */
export interface RunningService {
  readonly url: string;
  /** Cookie of a browser that was signed in by the address it printed. */
  readonly cookie: string;
  readonly process: ChildProcess;
  /** Ends it as Ctrl-C does and waits until it is gone. */
  stop(): Promise<void>;
}

/** Signs in as the page of an address does. @returns The cookie. */
export async function signIn(address: string): Promise<string> {
  const { origin, hash } = new URL(address);
  const answer = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ secret: secretOf(hash) }),
  });
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/**
 * Starts `groundswell serve` on a data folder and waits for the line that names its address.
 *
 * @param env - Added to the environment.
 * @throws {Error} with what it printed, if it ends before.
 */
export async function startServe(
  data: string,
  port = 0,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const child = spawn(process.execPath, [BIN, 'serve', '--data', data, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  const address = await new Promise<string>((resolve, reject) => {
    const read = (part: Buffer): void => {
      said += part.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]+(?= )/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${said}`)));
  });
  const url = new URL(address).origin;
  const cookie = await signIn(address);
  return {
    url,
    cookie,
    process: child,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** The folder that the tests of one run share (`GROUNDSWELL_TEST_RUN` names it). */
function runFolder(): string {
  const run = process.env['GROUNDSWELL_TEST_RUN'];
  if (!run) throw new Error('expected the folder of a run of the tests');
  return run;
}

/** Makes something in a folder of the run by a command, unless it is there. @returns Where it is. */
function madeOnce(folder: string, make: (making: string) => { code: number | null; err: string }) {
  if (existsSync(folder)) return folder;
  const making = `${folder}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const { code, err } = make(making);
  if (code !== 0) throw new Error(`Making ${folder} ended with ${code}: ${err}`);
  renameSync(making, folder);
  return folder;
}

/** Makes the sample of a run of the tests, unless it is there. */
export function makeSample(run: string): string {
  return madeOnce(join(run, 'sample'), (making) => groundswell('sample', '--data', making));
}

/** Puts the sample of this run of the tests into a data folder, so that none has to be made. */
export function giveSample(data: string): void {
  mkdirSync(data, { recursive: true });
  const file = 'sample.sqlite';
  copyFileSync(join(makeSample(runFolder()), file), join(data, file), constants.COPYFILE_FICLONE);
}

/**
 * A data folder with a corpus of real posts, imported by the command. Within one run of `npm test` it is
 * made once and shared (`GROUNDSWELL_TEST_RUN` names that run's folder).
 *
 * @param data - The folder of real posts.
 * @param prefix - Beginning of the names of its files.
 */
export function importedCorpus(data: string, prefix: string): string {
  return madeOnce(join(runFolder(), `corpus-${prefix}`), (making) => {
    giveSample(making);
    return groundswell('import', '--data', making, ...postFiles(data, prefix));
  });
}
