import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as v from 'valibot';
import { Fault, invalidParameters, invalidWith, plainProblem } from '#contract/fault.ts';
import { jsonExcess, MAX_DEPTH } from '#core/text/bounded-json.ts';
import { jsonErrorAt } from './json-error.ts';
import { wrongMembers } from './params.ts';

/** Most bytes of a body where the endpoint has no rule of its own. */
export const MAX_BODY = 64 * 1024;

/** Most errors of an answer, so that a body with many mistakes does not make a far larger answer. */
const MAX_ERRORS = 16;

/** Most characters of a list or an object that an error repeats. */
const MAX_SHOWN = 1000;

function tooLarge(most: number): Fault {
  return plainProblem(413, 'Content Too Large', `A body may have at most ${most} bytes.`);
}

/** 400 for a whole body, in the recorded form (platform-facts-additions 1.7). */
export function invalidBody(message: string): Fault {
  return invalidWith({ parameters: {}, message });
}

/**
 * Checks that the connection is still open, after a body could not be read: else the sender is at fault, not the service,
 * which logs its own errors.
 *
 * @throws {@link Fault} 400 if it is closed.
 */
export function checkSender({ req }: Context): void {
  if (req.raw.signal.aborted) throw invalidBody('The sender disconnected.');
}

/**
 * Reads a body.
 *
 * @throws {@link Fault} 413 above `most` bytes; 415 if it is compressed; 400 if the sender disconnects before its end.
 */
export async function readBytes(c: Context, most: number): Promise<ArrayBuffer> {
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const detail = `A body with the content-encoding [${encoding}] is not read; send it without one.`;
    throw plainProblem(415, 'Unsupported Media Type', detail, { 'accept-encoding': 'identity' });
  }
  const onError = (): never => {
    throw tooLarge(most);
  };
  const length = c.req.header('content-length');
  try {
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) {
      await bodyLimit({ maxSize: most, onError })(c, () => Promise.resolve());
    } else if (!(Number(length) <= most)) {
      // The middleware would do the same, but first make a stream of the body, which takes longer than all else here.
      onError();
    }
    return await c.req.arrayBuffer();
  } catch (error) {
    if (!(error instanceof Fault)) checkSender(c);
    throw error;
  }
}

function readText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidBody('The body is not in UTF-8');
  }
}

function readJson(text: string): unknown {
  // The size of a body bounds the number of values, so only the depth needs a check.
  const excess = jsonExcess(text, MAX_DEPTH, Infinity);
  if (excess) {
    const position = Array.from(text.slice(0, excess.at)).length + 1;
    throw invalidBody(
      `The body nests more than ${MAX_DEPTH} levels deep (at position ${position})`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    const at = jsonErrorAt(text) ?? 0;
    const [found] = text.slice(at);
    const what = found === undefined ? 'unexpected end' : `unexpected ${JSON.stringify(found)}`;
    const position = Array.from(text.slice(0, at)).length + 1;
    throw invalidBody(`The body is not JSON: ${what} (at position ${position})`);
  }
}

/**
 * Reads the JSON in a request's body.
 *
 * @param most - Maximum size in bytes.
 * @param revise - Changes the text before it is parsed, for what JavaScript cannot parse exactly.
 * @throws {@link Fault} 413 for a body above `most`; 400 for a content type other than `application/json`, and with the
 *   position of a syntax error. Messages are the recorded ones where they exist (platform-facts-additions 1.7).
 */
export async function readJsonValue(
  c: Context,
  most: number,
  revise = (text: string): string => text,
): Promise<unknown> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw invalidBody('Requests with bodies must have content-type of application/json.');
  }
  return readJson(revise(readText(await readBytes(c, most))));
}

/**
 * Reads the JSON object in a request's body.
 *
 * @param most - Maximum size in bytes.
 * @throws {@link Fault} as {@link readJsonValue}; 400 for anything but a JSON object.
 */
export async function readObject(
  c: Context,
  most: number,
  revise?: (text: string) => string,
): Promise<object> {
  const body = await readJsonValue(c, most, revise);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody('Request body must be a JSON object.');
  }
  return body;
}

/** The message of an issue, with the positions of the list elements that its path leads through. */
function located({ message, path }: v.BaseIssue<unknown>): string {
  const keys = path?.map(({ key }) => key) ?? [];
  if (!keys.some((key) => typeof key === 'number')) return message;
  const names = `$.${keys.filter((key) => typeof key !== 'number').join('.')}`;
  if (!message.startsWith(names)) return message;
  const exact = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return `$${exact.join('')}${message.slice(names.length)}`;
}

/** The text with which an error repeats a value. */
function shown(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const text: string | undefined = JSON.stringify(value);
  return text !== undefined && text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * Reads the JSON object in a request's body by a schema of the contract.
 *
 * @param most - Maximum size in bytes.
 * @throws {@link Fault} as {@link readObject}; 400 naming every field that is unknown, missing or malformed, up to
 *   {@link MAX_ERRORS}.
 */
export async function readBody<T>(
  c: Context,
  schema: v.GenericSchema<unknown, T>,
  most = MAX_BODY,
  revise?: (text: string) => string,
): Promise<T> {
  const body = await readObject(c, most, revise);
  const read = v.safeParse(schema, body);
  if (read.success) return read.output;
  const fields = new Map(Object.entries(body));
  const wrong = read.issues.slice(0, MAX_ERRORS);
  throw wrongMembers(wrong, (name) => shown(fields.get(name)), located);
}

/**
 * Reads the JSON object in a request's body as {@link readBody} does, except that an error names each wrong field by its
 * whole path, with its value as JSON.
 *
 * @param messageOf - Returns the rule that a field breaks; its `value` is undefined if the field is missing.
 */
export async function readNested<T>(
  c: Context,
  schema: v.GenericSchema<unknown, T>,
  most: number,
  messageOf: (issue: v.BaseIssue<unknown>, path: string, value: string | undefined) => string,
): Promise<T> {
  const read = v.safeParse(schema, await readObject(c, most));
  if (read.success) return read.output;
  throw invalidParameters(
    read.issues.map((issue) => {
      const parameter = v.getDotPath(issue) ?? '';
      const given: unknown = issue.path?.at(-1)?.value;
      const value = given === undefined ? undefined : JSON.stringify(given);
      const message = messageOf(issue, parameter, value);
      return { parameter, ...(value !== undefined && { value }), message };
    }),
  );
}
