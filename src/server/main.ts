import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { Timer } from './timer.ts';
import type { ThreadData } from './thread-task.ts';

/** The same relative path applies here and in the built `dist/server`. */
const ROOT = new URL('../../', import.meta.url);

function version(): string {
  const text = readFileSync(new URL('package.json', ROOT), 'utf8');
  return String((JSON.parse(text) as { version?: unknown }).version);
}

/** Commands that open a file with its default program, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a file with the system's default program. */
function openFile(file: string, err: (text: string) => void): void {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, file], { stdio: 'ignore', detached: true });
  opener.once('error', ({ message }) => {
    err(`No browser could be opened (${message}). Open the address yourself.\n`);
  });
  opener.unref();
}

/** Asks on the terminal; anything but a yes, and a signal to end, is a no. */
function confirmer(stop: AbortSignal): (question: string) => Promise<boolean> {
  return async (question) => {
    const { createInterface } = await import('node:readline/promises');
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // The terminal sends Ctrl-C to the reader of lines.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      const answer = await lines.question(`${question} [y/N] `, { signal: stop });
      return /^y(?:es)?$/i.test(answer.trim());
    } catch (error) {
      if (stop.aborted) return false;
      throw error;
    } finally {
      lines.close();
    }
  };
}

const timer: Timer = (ms, task) => {
  const running = setTimeout(task, ms);
  return () => clearTimeout(running);
};

/**
 * Runs this process's command line with the real clock, network and files.
 *
 * @param built - Resolves when the dashboard is built.
 * @returns The exit code.
 */
export async function main(built: Promise<unknown>): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!stop.signal.aborted) return stop.abort();
      // An exit would end the threads first, and one inside SQLite can abort the process.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  }
  const err = (text: string): void => void process.stderr.write(text);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // The reader of a pipe may have had enough, such as `head`.
    if (code === 'EPIPE') process.exit(0);
    err(`The output cannot be written: ${code === 'ENOSPC' ? 'the disk is full' : message}.\n`);
    process.exit(1);
  });
  // Threads start faster without what only the command line needs.
  const { run } = await import('#server/cli/main.ts');
  const { readSecret } = await import('#server/cli/secret-input.ts');
  const { localNames, publicNames } = await import('#server/fetcher/resolve.ts');
  return await run(process.argv.slice(2), {
    environment: process.env,
    version: version(),
    out: (text) => void process.stdout.write(text),
    err,
    readSecret: (prompts) => readSecret(prompts, { input: process.stdin, output: process.stderr }),
    onHangup: (listener) => {
      process.on('SIGHUP', listener);
      return () => process.off('SIGHUP', listener);
    },
    interactive: process.stderr.isTTY,
    terminal: process.stdout.isTTY,
    confirm: process.stdin.isTTY && process.stderr.isTTY ? confirmer(stop.signal) : null,
    now: Date.now,
    elapsed: () => performance.now(),
    random: (n) => randomBytes(n),
    open: (file) => openFile(file, err),
    host: new URL(import.meta.url),
    assets: fileURLToPath(new URL('dist/app', ROOT)),
    built,
    reporter: new URL('dist/report/main.js', ROOT),
    smtp: process.env['GROUNDSWELL_SMTP_URL'],
    platform: {
      token: process.env['GROUNDSWELL_PLATFORM_TOKEN'],
      url: process.env['GROUNDSWELL_PLATFORM_URL'],
      fetch,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      timeout: (ms) => AbortSignal.timeout(ms),
      agent: `groundswell/${version()}`,
    },
    outgoing: {
      publicNames: publicNames(),
      localNames,
      timer,
    },
    stopping: stop.signal,
  });
}

if (!isMainThread && parentPort) {
  // The command line starts faster without what only threads need.
  const { runThread } = await import('#server/thread.ts');
  await runThread(workerData as ThreadData, parentPort, timer);
}
