import type { Context } from 'hono';
import type { ControlEvent, ImportOrder, TokenOrder } from '#contract/control.ts';
import { UNCACHED } from './context.ts';

/** How a piece of work tells what it does. */
export type Emit = (event: ControlEvent) => void;

/** Runs work and streams its events, a JSON text per line; the client's going away stops it. */
export function streamWork(
  c: Context,
  work: (tell: Emit, signal: AbortSignal) => Promise<void>,
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

/** Work that can be stopped by the name its sender gave it. */
export class RunningJobs {
  readonly #stops = new Map<string, AbortController>();

  /** Runs work that a stop may end; it goes on telling, unlike work whose client has gone. */
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

  /** Stops what bears a name. @returns Whether there is such work. */
  stop(name: string | undefined): boolean {
    const work = name === undefined ? undefined : this.#stops.get(name);
    work?.abort();
    return work !== undefined;
  }
}

/** Work on the open data folder. Each tells its events, the last one being its outcome; none throws. */
export interface Jobs {
  import(order: ImportOrder, tell: Emit, signal: AbortSignal): Promise<void>;
  token(order: TokenOrder, tell: Emit): Promise<void>;
  sample(tell: Emit, signal: AbortSignal): Promise<void>;
  reindex(tell: Emit, signal: AbortSignal): Promise<void>;
  link(tell: Emit): Promise<void>;
}
