import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { run, type RunDeps } from '#server/cli/main.ts';
import { localNames } from '#server/fetcher/resolve.ts';
import { long } from '#tests/support/run/long.ts';
import { Printed, running, type RunningService } from './process.ts';
import { here, threadEntry } from './threads.ts';
import type { Timer } from '#server/timer.ts';
import { machineTimer } from '#tests/support/timers.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** The dependencies that the program gives its commands, except for the output. */
export function depsOf({
  environment = {},
  timer = machineTimer,
  sleep: wait = (ms, signal) => sleep(ms, undefined, { signal }),
  ...over
}: CommandOptions): Omit<RunDeps, 'out' | 'err'> {
  return {
    environment,
    version,
    interactive: false,
    terminal: false,
    confirm: null,
    readSecret: () => Promise.resolve([null]),
    onHangup: () => () => {},
    now: Date.now,
    elapsed: () => performance.now(),
    random: (n) => randomBytes(n),
    open: () => {},
    host: long() ? threadEntry() : here,
    assets: resolve('dist/app'),
    built: Promise.resolve(),
    reporter: pathToFileURL(resolve('dist/report/main.js')),
    smtp: environment['GROUNDSWELL_SMTP_URL'],
    platform: {
      token: environment['GROUNDSWELL_PLATFORM_TOKEN'],
      url: environment['GROUNDSWELL_PLATFORM_URL'],
      fetch,
      sleep: wait,
      timeout: (ms) => AbortSignal.timeout(ms),
      agent: `groundswell/${version}`,
    },
    outgoing: { publicNames: localNames, localNames, timer },
    stopping: new AbortController().signal,
    ...over,
  };
}

/**
 * Options of a command. In the short form its tasks run on this thread by default: a thread takes longer to start than
 * most commands take. Programs that tests start, and the services of browsers, have threads in both forms.
 */
export type CommandOptions = Partial<
  Pick<
    RunDeps,
    | 'environment'
    | 'samplePosts'
    | 'built'
    | 'open'
    | 'stopping'
    | 'now'
    | 'terminal'
    | 'confirm'
    | 'readSecret'
    | 'host'
    | 'onHangup'
  >
> & {
  readonly timer?: Timer;
  /** The clock that waits for the platform; by default the machine's. */
  readonly sleep?: RunDeps['platform']['sleep'];
};

/** Exit code and output of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process to its end, with options. */
export async function command(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  let [out, err] = ['', ''];
  const code = await run(args, {
    ...depsOf(options),
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  return { code, out, err };
}

/** Runs a command in this process to its end. */
export const groundswell = (...args: string[]): Promise<CommandResult> => command(args);

/** A new app token without limits for the service of a data folder. */
export async function appToken(data: string): Promise<string> {
  const { out } = await groundswell('token', 'app', '--limits', 'off', '--data', data);
  return out.trim();
}

export interface ServeOptions extends Omit<CommandOptions, 'stopping'> {
  readonly port?: number;
  /** Further arguments. */
  readonly args?: readonly string[];
}

/**
 * Starts `groundswell serve` in this process on a data folder.
 *
 * @throws {Error} with its output, if it ends before it serves.
 */
export async function serve(
  data: string,
  { port = 0, args = [], ...options }: ServeOptions = {},
): Promise<RunningService> {
  const stop = new AbortController();
  const printed = new Printed();
  const print = (text: string): void => printed.add(text);
  const ended = run(['serve', '--data', data, '--port', String(port), ...args], {
    ...depsOf(options),
    stopping: stop.signal,
    out: print,
    err: print,
  });
  return await running(printed, ended, () => stop.abort());
}
