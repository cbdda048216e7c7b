import { existsSync, readFileSync } from 'node:fs';
import { COUNTS } from '#contract/counts/count-operations.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { program, serveProcess } from '#tests/support/service/process.ts';
import { Client } from './client.ts';

/** The service as a user starts it, and a client with a token for it. */
export interface Served {
  readonly client: Client;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** Issues a token without rate limits by the `token` command. */
export async function tokenFor(data: string, kind: 'app' | 'user'): Promise<string> {
  const name = kind === 'user' ? ['--name', 'bench'] : [];
  const args = ['token', kind, ...name, '--limits', 'off', '--data', data];
  const { code, out, err } = await program(args);
  if (code !== 0) throw new Error(`token ${kind} ended with ${code}: ${err}`);
  return out.trim();
}

/** Starts the service on a data folder. @param args - Further arguments. */
export async function serve(
  data: string,
  token: string,
  args: readonly string[] = [],
): Promise<Served> {
  const service = await serveProcess(data, {}, args);
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

/** CPU time of a process so far, ms; NaN on systems other than Linux. */
export function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return NaN;
  // After the name, which may contain spaces: proc(5), fields 14 and 15 in ticks of 10 ms.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process in MB. */
export interface Memory {
  /** Anonymous pages. */
  readonly own: number;
  /** Pages of mapped files, which the system reclaims when it needs memory. */
  readonly mapped: number;
  /** Highest sum of both so far. */
  readonly peak: number;
}

/** Reads the memory of a process; null on systems other than Linux. */
export function memoryOf(pid: number): Memory | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  const status = readFileSync(file, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { own: megabytes('RssAnon'), mapped: megabytes('RssFile'), peak: megabytes('VmHWM') };
}
