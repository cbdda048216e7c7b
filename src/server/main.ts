import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { run } from '#server/cli/run.ts';
import { isSampleWorkerData, runSampleWorker } from '#server/cli/sample-worker.ts';
import { isDeskData, runDesk } from '#server/posts/editor-thread.ts';
import { runImportWorker } from '#server/import/worker.ts';
import { isUpkeepData, runUpkeep } from '#server/maintenance/compact-thread.ts';

/** From here and from the built `dist/server` alike. */
const ROOT = new URL('../../', import.meta.url);

function version(): string {
  const text = readFileSync(new URL('package.json', ROOT), 'utf8');
  return String((JSON.parse(text) as { version?: unknown }).version);
}

/** Programs that open a file as its user would, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a file by the program that the system has for it. */
function openFile(file: string, err: (text: string) => void): void {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, file], { stdio: 'ignore', detached: true });
  opener.once('error', ({ message }) => {
    err(`No browser could be opened (${message}). Open the address yourself.\n`);
  });
  opener.unref();
}

/** Runs this process's command line, with all that it needs of the machine. */
async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }
  const err = (text: string): void => void process.stderr.write(text);
  return await run(process.argv.slice(2), {
    environment: process.env,
    version: version(),
    out: (text) => void process.stdout.write(text),
    err,
    interactive: process.stderr.isTTY,
    now: Date.now,
    elapsed: () => performance.now(),
    random: (n) => randomBytes(n),
    open: (file) => openFile(file, err),
    entry: new URL(import.meta.url),
    assets: fileURLToPath(new URL('dist/app', ROOT)),
    platform: {
      token: process.env['GROUNDSWELL_PLATFORM_TOKEN'],
      url: process.env['GROUNDSWELL_PLATFORM_URL'],
      fetch,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      timeout: (ms) => AbortSignal.timeout(ms),
      agent: `groundswell/${version()}`,
    },
    stopping: stop.signal,
  });
}

/** Runs the task that a thread was started for. */
async function runThread(data: unknown, port: MessagePort): Promise<void> {
  const deps = { random: (n: number) => randomBytes(n), now: Date.now };
  if (isSampleWorkerData(data)) await runSampleWorker(data, port);
  else if (isDeskData(data)) runDesk(data, port, deps);
  else if (isUpkeepData(data)) await runUpkeep(data, port, deps);
  else await runImportWorker(data, port);
}

if (isMainThread) process.exitCode = await main();
else if (parentPort) await runThread(workerData, parentPort);
