import type { Context } from 'hono';
import * as v from 'valibot';
import { CONTROL, WORK_HEADER } from '#contract/control/control.ts';
import { plainProblem } from '#contract/fault.ts';
import { streamWork, RunningJobs, type Emit, type Jobs } from '#server/http/job-stream.ts';
import { absent, type Http, type Route } from '#server/http/serve.ts';

export interface ControlDeps {
  readonly http: Http;
  /** Null if the service takes no orders. */
  readonly jobs: Jobs | null;
}

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

/** `POST /control/{import,token,user,login,app,collections,community,requests,note,feed,platform,emit,sample,reindex,link,stop}`: jobs for the command line. */
export function control({ http, jobs }: ControlDeps): Route[] {
  if (!jobs) {
    const detail = 'This service takes no orders.';
    return Object.values(CONTROL).map((endpoint) => absent(endpoint, detail));
  }
  const running = new RunningJobs();
  const nameOf = (c: Context): string | undefined => c.req.header(WORK_HEADER);
  /** Streams a job that `CONTROL.stop` can end. */
  const stoppable = (c: Context, work: (emit: Emit, signal: AbortSignal) => Promise<void>) =>
    streamWork(c, (emit, gone) => running.run(nameOf(c), gone, (signal) => work(emit, signal)));
  const read = { body: readOrder };

  return [
    http.serve(
      CONTROL.import,
      ({ c, body: order }) => stoppable(c, (emit, signal) => jobs.import(order, emit, signal)),
      read,
    ),
    http.serve(
      CONTROL.token,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.token(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.user,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.user(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.login,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.login(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.app,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.app(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.collections,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.collections(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.community,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.community(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.emit,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.emit(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.requests,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.requests(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.note,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.note(order, emit)),
      read,
    ),
    http.serve(
      CONTROL.feed,
      ({ c, body: order }) => stoppable(c, (emit, signal) => jobs.feed(order, emit, signal)),
      read,
    ),
    http.serve(
      CONTROL.platform,
      ({ c, body: order }) => streamWork(c, (emit) => jobs.platform(order, emit)),
      read,
    ),
    http.serve(CONTROL.sample, ({ c }) => stoppable(c, jobs.sample), read),
    http.serve(CONTROL.reindex, ({ c }) => stoppable(c, jobs.reindex), read),
    http.serve(CONTROL.link, ({ c }) => streamWork(c, jobs.link), read),
    http.serve(CONTROL.stop, ({ c }) => {
      if (running.stop(nameOf(c))) return null;
      throw plainProblem(404, 'Not Found', 'No such job is running.');
    }),
  ];
}
