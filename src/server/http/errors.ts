import type { Context, ErrorHandler } from 'hono';
import { Fault, plainProblem } from '#contract/fault.ts';
import { UNCACHED } from './headers.ts';

/** Never received: web servers log this status for a client that closed its connection. */
const CLIENT_CLOSED = 499;

/** The answer to a client that closed its connection. */
export function clientGone(): Response {
  return new Response(null, { status: CLIENT_CLOSED });
}

/**
 * Answers errors as problems (RFC 9457). An error that is not a {@link Fault} is logged, and its details are not sent to
 * the client.
 *
 * @param otherForm - The body of a fault where its request's interface has another form than problems; null elsewhere.
 * @param explain - Turns a known error from below the interface into a Fault; null for others.
 */
export function errorHandler(
  explain: (error: unknown) => Fault | null,
  log: (line: string) => void,
  otherForm: (c: Context, fault: Fault) => Promise<object | null> = () => Promise.resolve(null),
): ErrorHandler {
  const faultOf = (error: Error): Fault => {
    if (error instanceof Fault) return error;
    log(error.stack ?? error.message);
    const detail = 'The service failed; see its log for the cause.';
    return explain(error) ?? plainProblem(500, 'Internal Server Error', detail);
  };
  return async (error, c) => {
    const fault = faultOf(error);
    const { status, headers } = fault;
    const other = await otherForm(c, fault);
    const body = other ?? fault.body;
    c.header('cache-control', UNCACHED);
    c.header('content-type', `application/${other ? 'json' : 'problem+json'}; charset=utf-8`);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    return c.body(JSON.stringify(body), status as 400);
  };
}

/** @param allow - Value of the `allow` header, such as `GET, HEAD, PUT`. */
export function methodNotAllowed(allow: string): Fault {
  const methods = allow.replace(', HEAD', '').split(', ');
  const last = methods.pop() ?? '';
  const use = methods.length > 0 ? `${methods.join(', ')} or ${last}` : last;
  return plainProblem(405, 'Method Not Allowed', `Use ${use} here.`, { allow });
}

export function nothingAt({ req }: Context): Fault {
  // As sent: the path of routing has one version of the advertiser interface for all.
  return plainProblem(404, 'Not Found', `There is nothing at ${new URL(req.url).pathname}.`);
}
