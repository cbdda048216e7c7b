import * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { errorMessage } from '#core/thrown.ts';

/** Type of the {@link Fault} for a service that cannot be reached. */
export const UNREACHABLE = 'groundswell:unreachable';
/** Type of the {@link Fault} for a browser that is not signed in to its service. */
export const SIGNED_OUT = 'groundswell:signed-out';
/** Type of the {@link Fault} for an answer that is not what the contract says. */
export const BROKEN_ANSWER = 'groundswell:broken-answer';

const problem = v.looseObject({
  title: v.optional(v.string()),
  detail: v.optional(v.string()),
  type: v.optional(v.string()),
  status: v.optional(v.number()),
  errors: v.optional(
    v.array(
      v.looseObject({
        message: v.string(),
        parameters: v.optional(v.record(v.string(), v.array(v.string()))),
      }),
    ),
  ),
});

/** Node's reason phrase for statuses it does not know; other servers send none. */
const WORDLESS = /^(?:unknown)?$/i;

/** Explains a status that comes without an explanation, so that the user never sees a bare number or "unknown". */
function unexplained(status: number, reason: string): { title: string; detail: string } {
  const known = WORDLESS.test(reason) ? '' : ` (${reason})`;
  const outside = status < 100 || status > 599 ? ', which HTTP does not define,' : '';
  return {
    title: known === '' ? `HTTP ${status}` : reason,
    detail: `The answer has status ${status}${known}${outside} and no explanation.`,
  };
}

/** Turns an error answer back into the service's {@link Fault}; an unknown body leaves only the status. */
export async function faultOf(response: Response): Promise<Fault> {
  const text = await response.text().catch(() => '');
  const headers = Object.fromEntries(response.headers);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    body = undefined;
  }
  const read = v.safeParse(problem, body);
  const { status } = response;
  const none = unexplained(status, response.statusText.trim());
  if (!read.success) return new Fault(status, { ...none, type: 'about:blank', status }, headers);
  const { errors, detail: explanation, ...rest } = read.output;
  const texts = [rest.title, explanation, ...(errors ?? []).map(({ message }) => message)];
  const hasText = texts.some((text) => text !== undefined && !WORDLESS.test(text.trim()));
  const title = hasText && rest.title ? rest.title : none.title;
  const detail = hasText ? explanation : none.detail;
  return new Fault(
    status,
    {
      ...rest,
      title,
      type: rest.type ?? 'about:blank',
      status: rest.status ?? status,
      ...(detail === undefined ? {} : { detail }),
      ...(errors === undefined
        ? {}
        : {
            errors: errors.map(({ message, parameters }) =>
              parameters === undefined ? { message } : { message, parameters },
            ),
          }),
    },
    headers,
  );
}

/** The fault for a service that cannot be reached. */
export function unreachable(cause: unknown): Fault {
  const detail = errorMessage(cause);
  return new Fault(0, { title: 'The service cannot be reached', detail, type: UNREACHABLE });
}

/** The fault for an answer that breaks the contract. */
export function brokenAnswer(path: string, detail: string): Fault {
  const title = 'The service answered in a form that this page does not know';
  return new Fault(200, { title, detail: `${path}: ${detail}`, type: BROKEN_ANSWER });
}

export function signedOut(): Fault {
  return new Fault(401, {
    title: 'Not signed in',
    detail: 'This browser is not signed in to the service.',
    type: SIGNED_OUT,
    status: 401,
  });
}

/** True if an error means that the service gives no answers for now, so that the cache must do. */
export function isAway(error: unknown): error is Fault {
  if (!(error instanceof Fault)) return false;
  return error.body.type === UNREACHABLE || error.body.type === SIGNED_OUT;
}

/**
 * Reads the text of an answer by a schema of the contract.
 *
 * @throws {@link Fault} of type {@link BROKEN_ANSWER} where it is not JSON or not of the schema's form.
 */
export function readBy<T>(schema: v.GenericSchema<unknown, T>, path: string, text: string): T {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    throw brokenAnswer(path, errorMessage(error));
  }
  const read = v.safeParse(schema, json);
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw brokenAnswer(path, `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`);
}
