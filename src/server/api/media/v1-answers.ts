import type { Context } from 'hono';
import type * as v from 'valibot';
import type { Fault, FaultBody } from '#contract/fault.ts';
import type { AppendAnswer, UploadAnswer, V1UploadAnswer } from '#contract/posts/media.ts';
import { readBody } from '#server/http/json-body.ts';

/** Beginning of the paths of version 1.1 that take media. */
const V1_MEDIA = '/1.1/media/';

type Processing = NonNullable<UploadAnswer['data']['processing_info']>;

function withoutType(processing: Processing): Omit<Processing, 'type'> {
  const { type: _, ...info } = processing;
  return info;
}

/**
 * Answers an upload in the form of version 1.1.
 *
 * @param status - Of 204, the answer has no body.
 */
export function v1Answer(
  c: Context,
  { data }: UploadAnswer | AppendAnswer,
  status: 200 | 201 | 202 | 204,
): Response {
  if (status === 204 || !('id' in data)) return c.body(null, status);
  const { id, media_key, size, expires_after_secs, processing_info, image } = data;
  const members: Omit<V1UploadAnswer, 'media_id'> = {
    media_id_string: id,
    media_key,
    ...(size !== undefined && { size }),
    expires_after_secs,
    ...(processing_info && { processing_info: withoutType(processing_info) }),
    ...(image && { image }),
  };
  // An id has more digits than a number of JavaScript.
  const text = `{"media_id":${id},${JSON.stringify(members).slice(1)}`;
  return c.body(text, status, { 'content-type': 'application/json; charset=utf-8' });
}

/** Reads a JSON body whose `media_id` may be a number, which tweepy sends: JavaScript would round it. */
export function readWithNumericId<T>(
  c: Context,
  schema: v.GenericSchema<unknown, T>,
  most?: number,
): Promise<T> {
  return readBody(c, schema, most, (text) =>
    text.replaceAll(/("media_id"\s*:\s*)(\d+)(?=\s*[,}])/g, '$1"$2"'),
  );
}

/** Codes by status, from the list of version 1.1; 32 and 88 are always with these texts (platform-facts 1.7). */
const CODES: Readonly<Record<number, readonly [code: number, message?: string]>> = {
  401: [32, 'Could not authenticate you.'],
  403: [220],
  404: [34],
  405: [86],
  429: [88, 'Rate limit exceeded'],
  503: [130],
};
const BAD_REQUEST = 214;
const INTERNAL_ERROR = 131;

function parameterErrors(errors: NonNullable<FaultBody['errors']>) {
  return errors.map(({ parameters = {}, message }) => {
    const [[found, values] = ['', []]] = Object.entries(parameters);
    // The rules for media name it as version 2 does.
    const name = found === 'id' ? 'media_id' : found;
    if (name === '') return { code: BAD_REQUEST, message };
    if (values.length === 0) return { code: 38, message: `${name} parameter is missing.` };
    const reason = message.replace(`$.${name}: `, '');
    return { code: 44, message: `${name} parameter is invalid: ${reason}` };
  });
}

/**
 * The body of an answer of version 1.1 to a fault; null where the request is not one for media by version 1.1. A file
 * that is refused has a form of its own (recorded in issues of its clients: abraham/twitteroauth 466, 467), and errors
 * of parameters have the recorded codes 38 and 44.
 */
export function v1Errors(c: Context, { status, body, message }: Fault): object | null {
  const path = new URL(c.req.url).pathname;
  if (!path.startsWith(V1_MEDIA)) return null;
  const { errors = [], detail = message } = body;
  const refused = errors.find(({ parameters = {} }) =>
    ['media', 'media_data'].some((name) => (parameters[name]?.length ?? 0) > 0),
  );
  if (refused || status === 413) {
    const error = refused ? refused.message.replace(/^\$\.media(?:_data)?: /, '') : detail;
    return { request: path, error: `${error.replace(/\.$/, '')}.` };
  }
  if (errors.length > 0) return { errors: parameterErrors(errors) };
  const [code, text = detail] = CODES[status] ?? [status < 500 ? BAD_REQUEST : INTERNAL_ERROR];
  return { errors: [{ code, message: text }] };
}
