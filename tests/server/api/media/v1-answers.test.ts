import { Context } from 'hono';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { v1Errors } from '#server/api/media/v1-answers.ts';
import { form, gif, jpeg, mp4, png } from '#tests/support/data/media.ts';
import { startService } from '#tests/support/service/service.ts';
import { addApp, signed, type SigningOptions } from '#tests/support/service/signing-in.ts';

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now, posted: true });
afterAll(() => service.close());
beforeEach(() => void (now += 1_000_000));

const app = addApp(service, 'Pictures');
const grant = { name: 'ann', app: app.name, limited: true, oauth1: true };
const { token, signing } = service.auth.issueUserToken(grant);
const signer = { ...app, token, secret: signing?.access_token_secret ?? '' };

const UPLOAD = '/1.1/media/upload.json';
const authorization = (path: string, options: SigningOptions): string =>
  signed(`https://upload.twitter.com${path}`, signer, {
    ...options,
    over: { oauth_timestamp: Math.floor(now / 1000) },
  });

type Fields = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, string | Buffer>>;

/** Sends a signed `application/x-www-form-urlencoded`, whose fields the signature covers. */
const sendForm = (fields: Fields, sent = fields, path = UPLOAD): Promise<Response> =>
  service.request(path, {
    method: 'POST',
    body: new URLSearchParams(sent),
    headers: { cookie: '', authorization: authorization(path, { method: 'POST', form: fields }) },
  });
/** Sends a signed multipart form, which the signature does not cover. */
const sendParts = (fields: Body, path = UPLOAD): Promise<Response> => {
  const { body, type } = form(fields);
  const headers = { cookie: '', authorization: authorization(path, { method: 'POST' }) };
  return service.request(path, {
    method: 'POST',
    body,
    headers: { 'content-type': type, ...headers },
  });
};
const sendJson = (path: string, body: string): Promise<Response> =>
  service.request(path, {
    method: 'POST',
    body,
    headers: {
      cookie: '',
      'content-type': 'application/json',
      authorization: authorization(path, { method: 'POST' }),
    },
  });
const get = (path: string): Promise<Response> =>
  service.request(path, { headers: { cookie: '', authorization: authorization(path, {}) } });

/** The status and the body of an answer; null if it has no body. */
async function read(answer: Response): Promise<[status: number, body: unknown]> {
  const text = await answer.text();
  return [answer.status, text === '' ? null : JSON.parse(text)];
}

/** The id of a medium in an answer of success. */
async function idOf(answer: Response): Promise<string> {
  expect(answer.ok).toBe(true);
  const text = await answer.text();
  const { media_id_string: id } = JSON.parse(text) as { media_id_string: string };
  // As a number of all its digits, which JavaScript would round.
  expect(text).toContain(`"media_id":${id},`);
  return id;
}

const media_data = png(8, 6).toString('base64');
const AS_IMAGE = {
  media_id: expect.any(Number),
  media_id_string: expect.stringMatching(/^\d{15,19}$/),
  media_key: expect.stringMatching(/^3_\d+$/),
  size: png(8, 6).length,
  expires_after_secs: 86_400,
  image: { image_type: 'image/png', w: 8, h: 6 },
};

it('does not read a form that names no signer of this service', async () => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(Buffer.from('media_data='));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const known = authorization(UPLOAD, { method: 'POST', form: { media_data: '' } });
  const send = (header: string): Promise<Response> =>
    service.request(UPLOAD, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: {
        cookie: '',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: header,
      },
    } as RequestInit);
  for (const name of ['oauth_token', 'oauth_consumer_key']) {
    const unknown = known.replace(new RegExp(`${name}="[^"]*"`), `${name}="unknown"`);
    expect((await send(unknown)).status).toBe(401);
  }
  expect(pulled).toBe(0);
  expect((await send(known)).status).toBe(400);
  expect(pulled).toBe(1);
});

describe('an image in one request', () => {
  it.each<[string, () => Promise<Response>]>([
    ['a multipart form', () => sendParts({ media: png(8, 6) })],
    ['a multipart form in Base64', () => sendParts({ media_data })],
    ['a signed form in Base64', () => sendForm({ media_data })],
    ['a form without padding', () => sendForm({ media_data: media_data.replace(/=+$/, '') })],
    [
      'a multipart form with a category in the address',
      () => sendParts({ media: png(8, 6) }, `${UPLOAD}?media_category=tweet_image`),
    ],
    ['a form with a parameter of its client', () => sendForm({ media_data, chunk_size: '5' })],
  ])('as %s is answered in the form of version 1.1', async (_, send) => {
    expect(await read(await send())).toEqual([200, AS_IMAGE]);
  });

  it('may be as large as an image may be, in a form too', async () => {
    const most = 5 * 1024 ** 2;
    const fill = most - png(4, 4, 1).length + 1;
    const [fits, over] = [png(4, 4, fill), png(4, 4, fill + 1)];
    expect(fits.length).toBe(most);
    const send = (bytes: Buffer) => sendForm({ media_data: bytes.toString('base64') });
    expect(await read(await send(fits))).toMatchObject([200, { size: most }]);
    const message = 'a file in this request may have at most 5242880 bytes.';
    expect(await read(await send(over))).toEqual([400, { request: UPLOAD, error: message }]);
  });

  it('is refused in a form above 8 MiB, and in one above 64 KiB elsewhere', async () => {
    const large = await sendForm({ media_data: 'A'.repeat(8 * 1024 ** 2) });
    const error = 'A body may have at most 8388608 bytes.';
    expect(await read(large)).toEqual([413, { request: UPLOAD, error }]);
    const other = await sendForm({ media: 'A'.repeat(65_536) }, undefined, '/2/media/upload');
    expect(other.status).toBe(413);
  });

  it('is refused if the form is not the signed one', async () => {
    const changed = await sendForm({ media_data }, { media_data: jpeg(8, 6).toString('base64') });
    const errors = [{ code: 32, message: 'Could not authenticate you.' }];
    expect(await read(changed)).toEqual([401, { errors }]);
  });

  it('can be described, and be in a Post', async () => {
    const id = await idOf(await sendParts({ media: png(8, 6) }));
    const other = await idOf(await sendForm({ media_data }));
    const CREATE = '/1.1/media/metadata/create.json';
    // tweepy sends the id that it was given: a number, or its text.
    const described = [
      await sendJson(CREATE, `{"media_id": ${id}, "alt_text": {"text": "\\"media_id\\": 1"}}`),
      await sendJson(CREATE, `{"media_id": "${other}", "alt_text": {"text": "a cup"}}`),
    ];
    for (const answer of described) expect(await read(answer)).toEqual([200, null]);
    const created = await sendJson(
      '/2/tweets',
      JSON.stringify({ text: 'tea', media: { media_ids: [id, other] } }),
    );
    const { data } = (await created.json()) as { data: { id: string } };
    const fields = 'expansions=attachments.media_keys&media.fields=alt_text,width';
    const shown = await get(`/2/tweets/${data.id}?${fields}`);
    expect((await shown.json()).includes.media).toMatchObject([
      { media_key: `3_${id}`, width: 8, alt_text: '"media_id": 1' },
      { media_key: `3_${other}`, width: 8, alt_text: 'a cup' },
    ]);
  });
});

describe('a file in segments', () => {
  const commands: readonly [string, (fields: Fields) => Promise<Response>][] = [
    ['a form', (fields) => sendForm(fields)],
    ['a multipart form', (fields) => sendParts(fields)],
    [
      'the address',
      (fields) => {
        const path = `${UPLOAD}?${new URLSearchParams(fields).toString()}`;
        const headers = { cookie: '', authorization: authorization(path, { method: 'POST' }) };
        return service.request(path, { method: 'POST', headers });
      },
    ],
  ];

  it.each(commands)('takes its commands in %s', async (_, send) => {
    const file = jpeg(64, 48, 100_000);
    const begun = await send({
      command: 'INIT',
      total_bytes: String(file.length),
      media_type: 'image/jpeg',
      chunk_size: '1048576',
    });
    expect(begun.status).toBe(202);
    const media_id = await idOf(begun);
    const cut = file.length >> 1;
    const appended = [
      await sendParts({
        command: 'APPEND',
        media_id,
        segment_index: '0',
        media: file.subarray(0, cut),
      }),
      await sendForm({
        command: 'APPEND',
        media_id,
        segment_index: '1',
        media_data: file.subarray(cut).toString('base64'),
      }),
    ];
    for (const answer of appended) expect(await read(answer)).toEqual([204, null]);
    expect(await read(await send({ command: 'FINALIZE', media_id }))).toEqual([
      201,
      {
        ...AS_IMAGE,
        media_id_string: media_id,
        media_key: `3_${media_id}`,
        size: file.length,
        image: { image_type: 'image/jpeg', w: 64, h: 48 },
      },
    ]);
  });

  it('may begin and end with an empty file, of which nothing remains', async () => {
    const media = png(8, 6);
    const init = { command: 'INIT', media_type: 'image/png', media: Buffer.alloc(0) };
    const media_id = await idOf(await sendParts(init));
    await sendParts({ command: 'APPEND', media_id, segment_index: '0', media });
    await idOf(await sendParts({ command: 'FINALIZE', media_id, media: Buffer.alloc(0) }));
    expect(service.media.files.parts()).toEqual([]);
  });

  it.each<[string, Buffer, string]>([
    ['video/mp4', mp4(), '7'],
    ['image/gif', gif(20, 10, 4), '16'],
  ])('of %s is checked after its end', async (media_type, media, prefix) => {
    const total_bytes = String(media.length);
    const media_id = await idOf(await sendForm({ command: 'INIT', total_bytes, media_type }));
    await sendParts({ command: 'APPEND', media_id, segment_index: '0', media });
    const ended = await read(await sendForm({ command: 'FINALIZE', media_id }));
    const medium = {
      media_id: expect.any(Number),
      media_id_string: media_id,
      media_key: `${prefix}_${media_id}`,
      size: media.length,
      expires_after_secs: 86_400,
    };
    const pending = { state: 'pending', check_after_secs: 1 };
    expect(ended).toEqual([201, { ...medium, processing_info: pending }]);
    await service.media.idle();
    const status = await get(`${UPLOAD}?command=STATUS&media_id=${media_id}`);
    const processing_info = { state: 'succeeded', progress_percent: 100 };
    expect(await read(status)).toEqual([200, { ...medium, processing_info }]);
  });
});

describe('what is wrong is answered in the form of version 1.1', () => {
  const refused = (error: string) => ({ request: UPLOAD, error });
  const wrong = (code: number, message: unknown) => ({ errors: [{ code, message }] });
  const BAD_FILE = 'must be a file in Base64.';

  it.each<[string, () => Promise<Response>, number, object]>([
    ['no file', () => sendForm({}), 400, wrong(38, 'media parameter is missing.')],
    [
      'another file',
      () => sendParts({ media: Buffer.from('text') }),
      400,
      refused('media type unrecognized.'),
    ],
    ['no Base64', () => sendForm({ media_data: 'no Base64!' }), 400, refused(BAD_FILE)],
    ['no Base64 in parts', () => sendParts({ media_data: 'AAA=AAAA' }), 400, refused(BAD_FILE)],
    [
      'text after the end of Base64',
      () => sendParts({ media_data: `${media_data.slice(0, -4)}AA==BBBB` }),
      400,
      refused(BAD_FILE),
    ],
    [
      'a video in one request',
      () => sendParts({ media: mp4(), media_category: 'tweet_video' }),
      400,
      wrong(44, expect.stringMatching(/^media_category parameter is invalid: "tweet_video" is/)),
    ],
    [
      'an unknown command',
      () => sendForm({ command: 'STOP' }),
      400,
      wrong(44, 'command parameter is invalid: [STOP] is not one of [INIT,APPEND,FINALIZE]'),
    ],
    [
      'an unknown medium',
      () => sendParts({ command: 'APPEND', media_id: '12', segment_index: '0', media: png(1, 1) }),
      400,
      wrong(44, 'media_id parameter is invalid: BadRequest: Not found'),
    ],
    [
      'the state of no medium',
      () => get(`${UPLOAD}?command=STATUS`),
      400,
      wrong(38, 'media_id parameter is missing.'),
    ],
    [
      'a malformed body',
      () => sendJson(UPLOAD, '[]'),
      400,
      wrong(214, 'Request body must be a JSON object.'),
    ],
    [
      'another method',
      () => service.request(UPLOAD, { method: 'DELETE' }),
      405,
      wrong(86, 'Use POST or GET here.'),
    ],
  ])('%s', async (_, send, status, body) => {
    expect(await read(await send())).toEqual([status, body]);
  });

  it.each<[Fault, object]>([
    [plainProblem(429, 'Too Many Requests'), wrong(88, 'Rate limit exceeded')],
    [plainProblem(404, 'Not Found', 'No media.'), wrong(34, 'No media.')],
    [plainProblem(503, 'Service Unavailable', 'Not yet.'), wrong(130, 'Not yet.')],
    [plainProblem(507, 'Insufficient Storage', 'Full.'), wrong(131, 'Full.')],
  ])('%s', (fault, body) => {
    const at = (path: string) => new Context(new Request(`http://127.0.0.1${path}`));
    expect(v1Errors(at(UPLOAD), fault)).toEqual(body);
    expect(v1Errors(at('/2/media/upload'), fault)).toBeNull();
  });
});

it('counts requests with those of version 2', async () => {
  const remaining = async (path: string): Promise<number> => {
    const { headers } = await sendForm({}, {}, path);
    return Number(headers.get('x-rate-limit-remaining'));
  };
  const before = await remaining(UPLOAD);
  expect(await remaining('/2/media/upload')).toBe(before - 1);
});
