import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { secretOf } from '#contract/accounts/session.ts';

const BIN = 'bin/groundswell.js';

/** Makes a temporary folder; the caller removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'groundswell-'));
}

/** Runs a command of the built program in its own process to the end. */
export async function program(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, out, err };
}

/** Output of a service so far. */
export class Printed {
  text = '';
  readonly #listeners = new Set<() => void>();

  add(part: string): void {
    this.text += part;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Resolves when the text matches.
   *
   * @param ended - Resolves when the service has ended.
   * @throws {Error} with the text, if the service ends first.
   */
  async until(pattern: RegExp, ended: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const listener = (): void => {
        if (pattern.test(this.text)) resolve();
      };
      this.#listeners.add(listener);
      listener();
      void ended.then((code) => reject(new Error(`serve ended with ${code}: ${this.text}`)));
    });
  }
}

/** A running service. */
export interface RunningService {
  readonly url: string;
  /** Session cookie of a browser that opened the printed address. */
  readonly cookie: string;
  readonly printed: Printed;
  /** Resolves with the exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Asks it to stop, as Ctrl-C does. */
  interrupt(): void;
  /** Asks it to stop and waits. @returns The exit code. */
  stop(): Promise<number | null>;
}

/** The service in its own process, as a user starts it. */
export interface ServiceProcess extends RunningService {
  readonly process: ChildProcess;
}

/** Signs in with the secret in an address, as the page does. @returns The cookie. */
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
 * Waits until a starting service prints its address.
 *
 * @throws {Error} with its output, if it ends first.
 */
export async function running(
  printed: Printed,
  ended: Promise<number | null>,
  interrupt: () => void,
): Promise<RunningService> {
  const address = /http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]+(?= )/;
  await printed.until(address, ended);
  const [found = ''] = address.exec(printed.text) ?? [];
  return {
    url: new URL(found).origin,
    cookie: await signIn(found),
    printed,
    ended,
    interrupt,
    stop: async () => {
      interrupt();
      return await ended;
    },
  };
}

/**
 * Starts `groundswell serve` in its own process on a data folder.
 *
 * @param env - Added to the environment.
 * @param args - Further arguments.
 * @param bin - The program; by default the one of this folder.
 * @throws {Error} with its output, if it ends before it serves.
 */
export async function serveProcess(
  data: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  bin = BIN,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [bin, 'serve', '--data', data, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const printed = new Printed();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => printed.add(part.toString()));
  }
  const service = await running(printed, ended, () => child.kill('SIGINT'));
  return { ...service, process: child };
}
