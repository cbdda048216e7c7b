import type { Context } from 'hono';
import type { ControlEvent, JobName, JobOrder } from '#contract/control/control.ts';
import { UNCACHED } from './headers.ts';

/** Reports an event of a job. */
export type Emit = (event: ControlEvent) => void;

/** Runs a job and streams its events as lines of JSON. The job's signal aborts when the client disconnects. */
export function streamWork<E>(
  c: Context,
  work: (emit: (event: E) => void, signal: AbortSignal) => Promise<void>,
): Response {
  const gone = new AbortController();
  c.req.raw.signal.addEventListener('abort', () => gone.abort(), { once: true });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: async (lines) => {
      await work((event) => {
        if (!gone.signal.aborted) lines.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
      }, gone.signal);
      if (!gone.signal.aborted) lines.close();
    },
    cancel: () => gone.abort(),
  });
  return c.body(body, 200, { 'content-type': 'application/x-ndjson', 'cache-control': UNCACHED });
}

/** Running work, which a stop names as its sender did. */
export class RunningJobs {
  readonly #stops = new Map<string, AbortController>();

  /** Runs a job that {@link stop} may end. A stopped job still reports its outcome, unlike one whose client has gone. */
  async run(
    name: string | undefined,
    gone: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (name === undefined) return await work(gone);
    const stop = new AbortController();
    this.#stops.set(name, stop);
    try {
      await work(AbortSignal.any([gone, stop.signal]));
    } finally {
      this.#stops.delete(name);
    }
  }

  /** Stops a job by name. @returns Whether it was running. */
  stop(name: string | undefined): boolean {
    const work = name === undefined ? undefined : this.#stops.get(name);
    work?.abort();
    return work !== undefined;
  }
}

/** Jobs on the open data folder. Each emits events, of which the last is its outcome; none rejects. */
export type Jobs = {
  readonly [K in JobName]: (order: JobOrder<K>, emit: Emit, signal: AbortSignal) => Promise<void>;
};
