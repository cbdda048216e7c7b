import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byteRange } from '#server/api/media/file.ts';
import { jpeg, VTT } from '#tests/support/data/media.ts';
import { person } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService();
afterAll(() => service.close());
const file = jpeg(20, 10, 500);
let path: string;

/** Uploads a file; its path, by its hash. */
async function upload(media: Buffer, media_category: string): Promise<string> {
  const alice = person(service, 'alice');
  const answer = await alice.postForm('/2/media/upload', { media_category, media });
  expect(answer.status).toBe(200);
  const [name = ''] = service.media.files
    .finished()
    .map((each) => each.name)
    .filter((fileName) => fileName !== path?.slice('/media/'.length));
  return `/media/${name}`;
}
beforeAll(async () => {
  path = await upload(file, 'tweet_image');
});

const get = (headers: Record<string, string> = {}, of = path, method = 'GET'): Promise<Response> =>
  service.request(of, { method, headers: { cookie: '', ...headers } });
const bytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe('a finished file', () => {
  it('is served to everyone, as what it is, and runs nothing', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(file.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-frame-options': 'DENY',
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
    });
    expect((await bytes(answer)).equals(file)).toBe(true);
    const head = await get({}, path, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(file.length),
      '',
    ]);
  });

  it('of text has its character set', async () => {
    const answer = await get({}, await upload(VTT, 'subtitles'));
    expect(answer.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  });

  it('is not sent again', async () => {
    const tag = (await get()).headers.get('etag') ?? '';
    for (const held of [`"other", ${tag}`, '*']) {
      const answer = await get({ 'if-none-match': held });
      expect([answer.status, await answer.text()]).toEqual([304, '']);
    }
  });

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=100-', 100, file.length - 1],
    ['bytes=-7', file.length - 7, file.length - 1],
    ['bytes=5-100000', 5, file.length - 1],
  ])('in part: %s', async (range, from, to) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${to}/${file.length}`);
    expect((await bytes(answer)).equals(file.subarray(from, to + 1))).toBe(true);
  });

  it('in part only as long as it is the same', async () => {
    const tag = (await get()).headers.get('etag') ?? '';
    expect((await get({ range: 'bytes=0-9', 'if-range': tag })).status).toBe(206);
    expect((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
  });

  it('has no bytes after its end', async () => {
    const answer = await get({ range: `bytes=${file.length}-` });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([
      416,
      `bytes */${file.length}`,
    ]);
  });
});

it.each([
  ['bytes=0-1,3-4', undefined],
  ['bytes=-', undefined],
  ['bytes=9-3', undefined],
  ['lines=0-1', undefined],
  ['bytes=-0', null],
  ['bytes=20-30', null],
  ['bytes = 0 - 3', { from: 0, to: 3 }],
] as const)('the range %s of 20 bytes', (header, range) => {
  expect(byteRange(header, 20)).toEqual(range);
});

it('finds no other file', async () => {
  writeFileSync(join(service.folder, 'media', 'secret.jpg'), 'x');
  const hash = 'a'.repeat(64);
  const others = ['secret.jpg', 'incoming', '..%2fservice.sqlite', `${hash}.jpg`, `${hash}.html`];
  for (const name of others) expect((await get({}, `/media/${name}`)).status).toBe(404);
});
