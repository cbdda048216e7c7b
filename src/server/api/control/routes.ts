import type { Context } from 'hono';
import * as v from 'valibot';
import { JOBS, orderEndpoint, STOP, WORK_HEADER, type JobName } from '#contract/control/control.ts';
import { plainProblem } from '#contract/fault.ts';
import { streamWork, RunningJobs } from '#server/http/job-stream.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';

/** Maximum size of an order in bytes: far more than any sensible list of files. */
const MAX_ORDER = 4 * 1024 * 1024;

async function readOrder<T>(c: Context, schema: v.GenericSchema<unknown, T>): Promise<T> {
  if (Number(c.req.header('content-length') ?? NaN) <= MAX_ORDER) {
    const body: unknown = await c.req.json().catch(() => undefined);
    const read = v.safeParse(schema, body);
    if (read.success) return read.output;
  }
  throw plainProblem(400, 'Bad Request', 'This version does not understand the order.');
}

/** `POST /control/…`: jobs for the command line, and `POST /control/stop`, which ends one of them. */
export function control({ http, control: orders }: ServiceContext): Route[] {
  const names = Object.keys(JOBS) as JobName[];
  const running = new RunningJobs();
  const nameOf = (c: Context): string | undefined => c.req.header(WORK_HEADER);
  const route = <K extends JobName>(kind: K): Route =>
    http.serve(
      orderEndpoint(kind),
      ({ c, body: order }) =>
        streamWork(c, (emit, gone) =>
          running.run(nameOf(c), gone, (signal) => orders.jobs[kind](order, emit, signal)),
        ),
      { body: readOrder },
    );
  return [
    ...names.map(route),
    http.serve(STOP, ({ c }) => {
      if (running.stop(nameOf(c))) return null;
      throw plainProblem(404, 'Not Found', 'No such job is running.');
    }),
  ];
}
