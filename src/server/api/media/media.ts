import { Readable } from 'node:stream';
import type { Context } from 'hono';
import * as v from 'valibot';
import { invalidParameters, invalidRequest, type Fault } from '#contract/fault.ts';
import { isProtocolParameter } from '#server/auth/signature.ts';
import { queryOf } from '#server/http/form.ts';
import { readMultipart } from '#server/http/form-body.ts';
import { readBytes, readObject } from '#server/http/json-body.ts';
import type { MediaFiles, TemporaryFile } from '#server/media/media-files.ts';

/** Most bytes of a file in a JSON body, where it is in memory as a whole. A form may have larger ones. */
export const MOST_IN_JSON = 5 * 1024 ** 2;
/** Room for other members, next to a file in Base64. */
const OTHER_MEMBERS = 8192;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const FORM = /^multipart\/form-data\s*(?:;|$)/i;
const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** The content of a request, and the file in its member `media`. */
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

async function fromBase64(
  files: MediaFiles,
  media: unknown,
  most: number,
): Promise<TemporaryFile | null> {
  if (media === undefined) return null;
  if (typeof media !== 'string' || !BASE64.test(media)) {
    throw invalidRequest('media', '', '$.media: must be a file in Base64');
  }
  const bytes = Buffer.from(media, 'base64');
  return await files.receive(Readable.from([bytes]), most, () => tooLarge(most));
}

/** The members of a JSON body, or of a form without files. */
async function readMembers(c: Context, type: string): Promise<Record<string, unknown>> {
  const most = Math.ceil((MOST_IN_JSON * 4) / 3) + OTHER_MEMBERS;
  if (!URL_ENCODED.test(type)) return { ...(await readObject(c, most)) };
  const text = new TextDecoder().decode(await readBytes(c, most));
  const sent = [...new URLSearchParams(text)];
  return Object.fromEntries(sent.filter(([name]) => !isProtocolParameter(name)));
}

/**
 * Reads what a request says: a multipart form, whose file goes to the disk while it arrives, a JSON object or a form
 * with the file in Base64, or only parameters in the address.
 *
 * @param most - Maximum size of the file, bytes.
 *
 * Rejects with {@link Fault} 400 for a malformed body or a file that is too large.
 */
export async function readInput(c: Context, files: MediaFiles, most: number): Promise<Input> {
  const query = Object.fromEntries(queryOf(c));
  const type = c.req.header('content-type') ?? '';
  if (FORM.test(type)) {
    const { fields, file } = await readMultipart(c, 'media', (stream, signal) =>
      files.receive(stream, most, () => tooLarge(most), signal),
    );
    return { fields: { ...query, ...fields }, part: file };
  }
  const isEmpty = type === '' && Object.keys(query).length > 0;
  const body = isEmpty ? {} : await readMembers(c, type);
  const { media, ...fields } = { ...query, ...body };
  return { fields, part: await fromBase64(files, media, Math.min(most, MOST_IN_JSON)) };
}

/**
 * Reads members by a schema of the contract.
 *
 * @throws {@link Fault} 400 that names every member that is unknown, missing or malformed.
 */
export function parseFields<T>(
  fields: Readonly<Record<string, unknown>>,
  schema: v.GenericSchema<unknown, T>,
): T {
  const read = v.safeParse(schema, fields);
  if (read.success) return read.output;
  throw invalidParameters(
    read.issues.map(({ path, message }) => {
      const parameter = String(path?.[0]?.key ?? '');
      const value = fields[parameter];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return { parameter, ...(text === undefined ? {} : { value: text }), message };
    }),
  );
}
