import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import * as v from 'valibot';
import { CONTROL_ROUTES, ImportOrder, SampleOrder, TokenOrder } from '#contract/control.ts';
import type { ControlEvent } from '#contract/control.ts';
import { plainProblem } from '#contract/fault.ts';
import { UNCACHED } from './context.ts';

/** How a piece of work tells what it does. */
export type Tell = (event: ControlEvent) => void;

/** Work on the open data folder. Each tells its events, the last one being its outcome; none throws. */
export interface Works {
  import(order: ImportOrder, tell: Tell, signal: AbortSignal): Promise<void>;
  token(order: TokenOrder, tell: Tell): Promise<void>;
  sample(tell: Tell, signal: AbortSignal): Promise<void>;
}

export interface Control {
  /** What an order must bear; read from the data folder by who may read that. */
  readonly secret: string;
  readonly works: Works;
}

/** Bytes of an order at most; a file list of any sensible length is shorter. */
const MAX_ORDER = 4 * 1024 * 1024;

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

async function readOrder<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  if (Number(c.req.header('content-length') ?? NaN) <= MAX_ORDER) {
    const body: unknown = await c.req.json().catch(() => undefined);
    const read = v.safeParse(schema, body);
    if (read.success) return read.output;
  }
  throw plainProblem(400, 'Bad Request', 'The order is not of the form this version knows.');
}

/** Runs work and streams its events, a JSON text per line; the client's going away stops it. */
function stream(c: Context, work: (tell: Tell, signal: AbortSignal) => Promise<void>): Response {
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

/** `POST /control/{import,token,sample}`: work handed over by the command line. */
export function control(path: keyof typeof CONTROL_ROUTES, of: Control | null) {
  return async (c: Context): Promise<Response> => {
    if (!of) throw plainProblem(404, 'Not Found', 'This service takes no orders.');
    const { secret, works } = of;
    const shown = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
    if (!timingSafeEqual(digest(shown), digest(secret))) throw plainProblem(401, 'Unauthorized');
    if (path === 'import') {
      const order = await readOrder(c, ImportOrder);
      return stream(c, (tell, signal) => works.import(order, tell, signal));
    }
    if (path === 'token') {
      const order = await readOrder(c, TokenOrder);
      return stream(c, (tell) => works.token(order, tell));
    }
    await readOrder(c, SampleOrder);
    return stream(c, (tell, signal) => works.sample(tell, signal));
  };
}
