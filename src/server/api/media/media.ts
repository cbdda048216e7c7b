import type { Context } from 'hono';
import * as v from 'valibot';
import { invalidRequest, type Fault } from '#contract/fault.ts';
import { formFields, isForm, queryOf } from '#server/http/form.ts';
import { readMultipart } from '#server/http/form-body.ts';
import { readObject } from '#server/http/json-body.ts';
import { wrongMembers } from '#server/http/params.ts';
import type { MediaFiles, TemporaryFile } from '#server/media/media-files.ts';

/** Most bytes of a file in a body that is in memory as a whole. A multipart form may have larger ones. */
export const MOST_IN_JSON = 5 * 1024 ** 2;
/** Room for other members, next to a file in Base64. */
const OTHER_MEMBERS = 8192;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const UNPADDED = /^[A-Za-z0-9+/]*$/;
const FORM = /^multipart\/form-data\s*(?:;|$)/i;

/** The rules of a version of the interface for requests with a file. */
export interface UploadRules {
  /** Name of the member with the file in Base64. */
  readonly base64: 'media' | 'media_data';
  readonly unknownFields: 'refused' | 'ignored';
  /** The category of a whole file where a request names none; it is required if absent. */
  readonly category?: 'tweet_image';
}

/** The content of a request, and its file. */
export interface Input {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The file, on the disk; null if there is none. */
  readonly part: TemporaryFile | null;
}

function tooLarge(most: number): Fault {
  return invalidRequest(
    'media',
    '',
    `$.media: a file in this request may have at most ${most} bytes`,
  );
}

function notBase64(name: string): Fault {
  return invalidRequest(name, '', `$.${name}: must be a file in Base64`);
}

/** Characters of a text that are decoded without a pause for other requests. */
const PIECE = 2 ** 18;

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}

/** Decodes Base64 while it arrives. Only its end may be padded. Rejects with {@link Fault} 400 for other text. */
async function* decoded(
  source: AsyncIterable<Buffer> | Iterable<string>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const decode = (text: string, form: RegExp): Uint8Array => {
    if (form.test(text)) return Buffer.from(text, 'base64');
    throw notBase64(name);
  };
  let rest = '';
  for await (const piece of source) {
    const text = rest + String(piece);
    // The last characters may be its end.
    const most = Math.max(text.length - 4, 0);
    const length = most - (most % 4);
    rest = text.slice(length);
    yield decode(text.slice(0, length), UNPADDED);
  }
  yield decode(rest, BASE64);
}

/** The members of a JSON body, or of a form without files. */
async function readMembers(c: Context): Promise<Record<string, unknown>> {
  const most = Math.ceil((MOST_IN_JSON * 4) / 3) + OTHER_MEMBERS;
  if (isForm(c)) return Object.fromEntries(await formFields(c, most));
  return { ...(await readObject(c, most)) };
}

/**
 * Reads what a request says: a multipart form, whose file goes to the disk while it arrives, a JSON object or a form
 * with the file in Base64, or only parameters in the address.
 *
 * @param most - Maximum size of the file, bytes.
 *
 * Rejects with {@link Fault} 400 for a malformed body or a file that is too large.
 */
export async function readInput(
  c: Context,
  files: MediaFiles,
  most: number,
  { base64 }: UploadRules,
): Promise<Input> {
  const query = Object.fromEntries(queryOf(c));
  const type = c.req.header('content-type') ?? '';
  if (FORM.test(type)) {
    const { fields, file } = await readMultipart(
      c,
      ['media', base64],
      async (stream, signal, name) => {
        const source = name === 'media' ? stream : decoded(stream, name);
        return await files.receive(source, most, () => tooLarge(most), signal);
      },
    );
    return { fields: { ...query, ...fields }, part: file };
  }
  const isEmpty = type === '' && Object.keys(query).length > 0;
  const body = isEmpty ? {} : await readMembers(c);
  const { [base64]: text, ...fields }: Record<string, unknown> = { ...query, ...body };
  if (text === undefined) return { fields, part: null };
  if (typeof text !== 'string') throw notBase64(base64);
  const room = Math.min(most, MOST_IN_JSON);
  const part = await files.receive(decoded(piecesOf(text), base64), room, () => tooLarge(room));
  return { fields, part };
}

/**
 * Reads members by a schema of the contract.
 *
 * @throws {@link Fault} 400 that names every member that is missing, malformed or, unless they are ignored, unknown.
 */
export function parseFields<T>(
  sent: Readonly<Record<string, unknown>>,
  schema: v.GenericSchema<unknown, T> & { readonly entries: object },
  unknownFields: UploadRules['unknownFields'] = 'refused',
): T {
  const known = Object.entries(sent).filter(([name]) => Object.hasOwn(schema.entries, name));
  const fields = unknownFields === 'ignored' ? Object.fromEntries(known) : sent;
  const read = v.safeParse(schema, fields);
  if (read.success) return read.output;
  throw wrongMembers(read.issues, (name) => {
    const value = fields[name];
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
