import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import * as v from 'valibot';
import {
  ImportOrder,
  LinkOrder,
  ReindexOrder,
  SampleOrder,
  TokenOrder,
  WORK_HEADER,
} from '#contract/control.ts';
import type { CONTROL_ROUTES } from '#contract/control.ts';
import { plainProblem } from '#contract/fault.ts';
import { UNCACHED } from '#server/http/context.ts';
import { streamWork, RunningJobs } from '#server/http/job-stream.ts';
import type { Jobs } from '#server/http/job-stream.ts';

export interface Control {
  /** What an order must bear; read from the data folder by who may read that. */
  readonly secret: string;
  readonly works: Jobs;
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

/** `POST /control/{import,token,sample,reindex,link,stop}`: work handed over by the command line, a handler for each. */
export function control(of: Control | null) {
  const underway = new RunningJobs();

  return (path: keyof typeof CONTROL_ROUTES) =>
    async (c: Context): Promise<Response> => {
      if (!of) throw plainProblem(404, 'Not Found', 'This service takes no orders.');
      const { secret, works } = of;
      const shown = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
      if (!timingSafeEqual(digest(shown), digest(secret))) throw plainProblem(401, 'Unauthorized');
      const name = c.req.header(WORK_HEADER);
      switch (path) {
        case 'import': {
          const order = await readOrder(c, ImportOrder);
          return streamWork(c, (tell, gone) =>
            underway.run(name, gone, (signal) => works.import(order, tell, signal)),
          );
        }
        case 'token': {
          const order = await readOrder(c, TokenOrder);
          return streamWork(c, (tell) => works.token(order, tell));
        }
        case 'sample':
          await readOrder(c, SampleOrder);
          return streamWork(c, (tell, gone) =>
            underway.run(name, gone, (signal) => works.sample(tell, signal)),
          );
        case 'reindex':
          await readOrder(c, ReindexOrder);
          return streamWork(c, (tell, gone) =>
            underway.run(name, gone, (signal) => works.reindex(tell, signal)),
          );
        case 'link':
          await readOrder(c, LinkOrder);
          return streamWork(c, (tell) => works.link(tell));
        case 'stop': {
          if (!underway.stop(name)) {
            throw plainProblem(404, 'Not Found', 'No such work is under way.');
          }
          return c.body(null, 204, { 'cache-control': UNCACHED });
        }
      }
    };
}
