import { existsSync, readFileSync } from 'node:fs';
import { COUNTS } from '#contract/counts.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { program, serveProcess } from '#tests/support/process.ts';
import { Client } from './client.ts';

/** The service as a user starts it, and a client that it knows. */
export interface Served {
  readonly client: Client;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** Prints a token by the command, without limits of rate. */
export async function tokenFor(data: string, kind: 'app' | 'user'): Promise<string> {
  const name = kind === 'user' ? ['--name', 'bench'] : [];
  const args = ['token', kind, ...name, '--limits', 'off', '--data', data];
  const { code, out, err } = await program(args);
  if (code !== 0) throw new Error(`token ${kind} ended with ${code}: ${err}`);
  return out.trim();
}

/** Starts the service on a data folder. */
export async function serve(data: string, token: string): Promise<Served> {
  const service = await serveProcess(data);
  const client = new Client(service.url, token);
  return {
    client,
    url: service.url,
    pid: service.process.pid ?? NaN,
    stop: () => {
      client.close();
      return service.stop();
    },
  };
}

/** Path of a page of counts. */
export function countsPath(query: string, span: Span, granularity: Granularity): string {
  const parameters = new URLSearchParams({
    query,
    granularity,
    start_time: new Date(span.start).toISOString(),
    end_time: new Date(span.end).toISOString(),
  });
  return `${COUNTS.all.path}?${parameters.toString()}`;
}

/** Memory of a process in MB. */
export interface Memory {
  /** Its own. */
  readonly own: number;
  /** Of files that it reads through mapped pages, which the machine takes back when it needs room. */
  readonly mapped: number;
  /** The most of both together so far. */
  readonly peak: number;
}

/** What the machine tells of a process's memory; null where it does not (only Linux does). */
export function memoryOf(pid: number): Memory | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  const status = readFileSync(file, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { own: megabytes('RssAnon'), mapped: megabytes('RssFile'), peak: megabytes('VmHWM') };
}
