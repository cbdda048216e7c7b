import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { changesOver, makeChanges } from '#server/posts/editor/changes.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { faultsOf, person, type Answered, type Caller } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';
import { form, gif, jpeg, mp4, png, SRT, VTT } from '#tests/support/data/media.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
let now = START;
const service = startService({ now: () => now, posted: true });
afterAll(() => service.close());
beforeEach(() => {
  now += 60_000;
});

const alice = person(service, 'alice');
const UPLOAD = '/2/media/upload';

const finalize = (id: string, who: Caller = alice) => who.post(`${UPLOAD}/${id}/finalize`);
const status = (id: string, who: Caller = alice) =>
  who.get(`${UPLOAD}?command=STATUS&media_id=${id}`);

/** Begins an upload. */
async function begin(body: object): Promise<string> {
  const answer = await alice.post(`${UPLOAD}/initialize`, body);
  expect(answer.status).toBe(200);
  return answer.body.data.id;
}

const append = (id: string, n: number, media: Buffer, who: Caller = alice) =>
  who.postForm(`${UPLOAD}/${id}/append`, { segment_index: String(n), media });

/** Cuts a file into segments. */
function cut(bytes: Buffer, parts: number): Buffer[] {
  const length = Math.ceil(bytes.length / parts);
  return Array.from({ length: parts }, (_, i) => bytes.subarray(i * length, (i + 1) * length));
}

const parts = (): string[] => readdirSync(join(service.folder, 'media', 'incoming'));
const finished = (): string[] =>
  readdirSync(join(service.folder, 'media')).filter((name) => name !== 'incoming');

describe('an upload in one request', () => {
  it.each<[string, () => Promise<Answered>]>([
    ['a form', () => alice.postForm(UPLOAD, { media_category: 'tweet_image', media: png(8, 6) })],
    [
      'a form that begins with the file',
      () => alice.postForm(UPLOAD, { media: png(8, 6), media_category: 'tweet_image' }),
    ],
    [
      'JSON',
      () =>
        alice.post(UPLOAD, {
          media: png(8, 6).toString('base64'),
          media_category: 'tweet_image',
          media_type: 'image/png',
        }),
    ],
  ])('as %s', async (_, send) => {
    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^\d{15,19}$/),
        media_key: expect.stringMatching(/^3_\d+$/),
        size: png(8, 6).length,
        expires_after_secs: 86_400,
        image: { image_type: 'image/png', w: 8, h: 6 },
      },
      meta: {},
    });
    expect(answer.headers.get('x-access-level')).toBe('read-write');
    expect(parts()).toEqual([]);
  });

  it('takes subtitles, and what a file is, not what it is called', async () => {
    for (const media of [VTT, SRT]) {
      const answer = await alice.postForm(UPLOAD, { media_category: 'subtitles', media });
      expect(answer.body.data).not.toHaveProperty('image');
    }
    const other = await alice.postForm(UPLOAD, {
      media_category: 'tweet_image',
      media_type: 'image/png',
      media: jpeg(8, 6),
    });
    expect(other.body.data.image.image_type).toBe('image/jpeg');
  });

  const image = { media_category: 'tweet_image' };
  it.each<[string, Record<string, string | Buffer>, object, RegExp]>([
    ['no file', image, { media: [] }, /^\$\.media: is required$/],
    ['no category', { media: png(1, 1) }, { media_category: [] }, /media_category: is required/],
    [
      'a category for segments',
      { media_category: 'tweet_video', media: mp4() },
      { media_category: ['tweet_video'] },
      /is not one of \[tweet_image,dm_image,subtitles\]/,
    ],
    [
      'an unknown field',
      { ...image, colour: 'red', media: png(1, 1) },
      { colour: ['red'] },
      /^\$\.colour: is not defined in the schema and/,
    ],
    [
      'an unknown type',
      { ...image, media_type: 'image/svg', media: png(1, 1) },
      { media_type: ['image/svg'] },
      /^\$\.media_type: "image\/svg" is not one of/,
    ],
    [
      'another file',
      { ...image, media: Buffer.from('text') },
      { media: [''] },
      /^media type unrecognized$/,
    ],
    ['a video', { ...image, media: mp4() }, { media: [''] }, /^A file of video\/mp4 is no image$/],
    [
      'too much',
      { ...image, media: png(1, 1, 5 * 1024 ** 2) },
      { media: ['5242959'] },
      /^File size exceeds 5242880 bytes/,
    ],
  ])('of %s is refused and leaves nothing', async (_, fields, parameters, message) => {
    const before = finished();
    expect(faultsOf(await alice.postForm(UPLOAD, fields))).toEqual([
      [parameters, expect.stringMatching(message)],
    ]);
    expect([parts(), finished()]).toEqual([[], before]);
  });

  it('of JSON without a file in Base64 is refused', async () => {
    for (const media of ['no Base64!', 7, null]) {
      const answer = await alice.post(UPLOAD, { media, media_category: 'tweet_image' });
      expect(faultsOf(answer)).toEqual([[{ media: [''] }, '$.media: must be a file in Base64']]);
    }
  });

  it('of a malformed form is refused', async () => {
    const { body, type } = form({ media_category: 'tweet_image', media: png(2, 2) });
    const send = (bytes: Uint8Array<ArrayBuffer>, contentType = type) =>
      alice.ask('POST', UPLOAD, { body: bytes, headers: { 'content-type': contentType } });
    const messages = [
      faultsOf(await send(body.subarray(0, body.length - 60))),
      faultsOf(await send(body, 'multipart/form-data')),
      faultsOf(await send(body, 'text/plain')),
      faultsOf(await alice.postForm(UPLOAD, { media_category: 'x'.repeat(5000) })),
      faultsOf(
        await alice.postForm(
          UPLOAD,
          Object.fromEntries([...Array(40).keys()].map((i) => [`f${i}`, ''])),
        ),
      ),
    ];
    expect(messages.map(([first]) => first?.[1])).toEqual([
      'The form is incomplete or malformed.',
      'The content-type of a form must name its boundary.',
      'Requests with bodies must have content-type of application/json.',
      'A field of a form may have at most 4096 bytes.',
      'A form may have at most 32 fields and one file.',
    ]);
    expect(parts()).toEqual([]);
  });
});

describe('an upload in segments', () => {
  it.each<[string, (n: number) => number[]]>([
    ['in order', (n) => [...Array(n).keys()]],
    ['in reverse', (n) => [...Array(n).keys()].reverse()],
    ['with repeats', (n) => [2, ...Array(n).keys(), 0, 1]],
  ])('%s is one file', async (_, orderOf) => {
    const file = jpeg(64, 48, 100_000);
    const id = await begin({ media_type: 'image/jpeg', total_bytes: file.length });
    const segments = cut(file, 4);
    for (const n of orderOf(4)) {
      const answer = await append(id, n, segments[n]!);
      const expiresAt = Math.floor((now + 1_295_999_000) / 1000);
      expect(answer.body).toEqual({ data: { expires_at: expiresAt }, meta: {} });
    }
    const ended = await finalize(id);
    expect(ended.status).toBe(201);
    const { data } = ended.body;
    expect(data).toEqual({
      id,
      media_key: `3_${id}`,
      size: file.length,
      expires_after_secs: 86_400,
      image: { image_type: 'image/jpeg', w: 64, h: 48 },
    });
    expect((await finalize(id)).body.data).toEqual(data);
    expect(parts()).toEqual([]);
  });

  it('replaces a segment that comes again', async () => {
    const file = png(12, 10);
    const id = await begin({ media_category: 'tweet_image' });
    await append(id, 0, Buffer.from('something else'));
    await alice.post(`${UPLOAD}/${id}/append`, {
      segment_index: 0,
      media: file.toString('base64'),
    });
    expect(parts()).toHaveLength(1);
    expect((await finalize(id)).body.data.image).toMatchObject({ w: 12, h: 10 });
  });

  it.each<[string, readonly number[], object, string]>([
    ['any', [], { segment_index: ['0'] }, 'The segment with the segment_index [0] is missing'],
    [
      'the first',
      [1, 2],
      { segment_index: ['0'] },
      'The segment with the segment_index [0] is missing',
    ],
    [
      'one within',
      [0, 2],
      { segment_index: ['1'] },
      'The segment with the segment_index [1] is missing',
    ],
    [
      'the last',
      [0, 1],
      { total_bytes: ['105'] },
      'The segments have 70 bytes; total_bytes is [105]',
    ],
  ])('without %s cannot end, and can continue', async (_, sent, parameters, message) => {
    // 105 bytes, in three segments of 35.
    const file = png(9, 9, 105 + 20 - png(9, 9, 20).length);
    const segments = cut(file, 3);
    const id = await begin({ media_category: 'tweet_image', total_bytes: 105 });
    for (const n of sent) await append(id, n, segments[n]!);
    expect(faultsOf(await finalize(id))).toEqual([[parameters, message]]);
    for (const n of [0, 1, 2]) expect((await append(id, n, segments[n]!)).status).toBe(200);
    expect((await finalize(id)).status).toBe(201);
  });

  it.each<[string, object, object, RegExp]>([
    ['no type', {}, { media_category: [] }, /^\$\.media_category: is required where/],
    [
      'too many bytes for a video',
      { media_category: 'tweet_video', total_bytes: 536_870_913 },
      { total_bytes: ['536870913'] },
      /^File size exceeds 536870912 bytes, the most of a tweet_video/,
    ],
    [
      'too many bytes for a GIF',
      { media_type: 'image/gif', total_bytes: 15_728_641 },
      { total_bytes: ['15728641'] },
      /^File size exceeds 15728640 bytes/,
    ],
    [
      'too many bytes at all',
      { media_type: 'image/gif', total_bytes: 17_179_869_185 },
      { total_bytes: ['17179869185'] },
      /is not a whole number between 0 and 17179869184$/,
    ],
    [
      'half a byte',
      { media_type: 'image/gif', total_bytes: 1.5 },
      { total_bytes: ['1.5'] },
      /whole number/,
    ],
    [
      'an owner that is no id',
      { media_type: 'image/gif', additional_owners: ['x'] },
      { additional_owners: ['["x"]'] },
      /^\$\.additional_owners\[0\]: \[x\] does not match/,
    ],
    [
      'an unknown member',
      { media_type: 'image/gif', name: 'x' },
      { name: ['x'] },
      /^\$\.name: is not defined/,
    ],
  ])('with %s does not begin', async (_, body, parameters, message) => {
    const answer = await alice.post(`${UPLOAD}/initialize`, body);
    expect(faultsOf(answer)).toEqual([[parameters, expect.stringMatching(message)]]);
  });

  it('takes no segment beyond its limits', async () => {
    const id = await begin({ media_category: 'tweet_image', total_bytes: 10 });
    const refused = async (n: number | string, media: Buffer) =>
      faultsOf(await alice.postForm(`${UPLOAD}/${id}/append`, { segment_index: String(n), media }));
    expect(await refused(1000, Buffer.alloc(1))).toEqual([
      [
        { segment_index: ['1000'] },
        '$.segment_index: [1000] is not a whole number between 0 and 999',
      ],
    ]);
    expect(await refused('one', Buffer.alloc(1))).toEqual([
      [
        { segment_index: ['one'] },
        '$.segment_index: [one] is not a whole number between 0 and 999',
      ],
    ]);
    expect(await refused(0, Buffer.alloc(11))).toEqual([
      [{ segment_index: ['0'] }, 'The segments have 11 bytes; total_bytes is [10]'],
    ]);
    expect(await refused(0, Buffer.alloc(5 * 1024 ** 2 + 1))).toEqual([
      [{ media: [''] }, '$.media: a file in this request may have at most 5242880 bytes'],
    ]);
    expect(
      faultsOf(await alice.postForm(`${UPLOAD}/${id}/append`, { segment_index: '0' })),
    ).toEqual([[{ media: [] }, '$.media: is required']]);
    expect(parts()).toEqual([]);
  });

  it('is refused where the file is not for its category, and stays open', async () => {
    const id = await begin({ media_category: 'tweet_video' });
    await append(id, 0, png(40, 40));
    expect(faultsOf(await finalize(id))).toEqual([
      [{ media: [id] }, 'A file of image/png is no video'],
    ]);
    await append(id, 0, Buffer.from('neither'));
    expect(faultsOf(await finalize(id))).toEqual([[{ media: [id] }, 'media type unrecognized']]);
    await append(id, 0, mp4());
    expect((await finalize(id)).status).toBe(201);
    expect(faultsOf(await append(id, 1, mp4()))).toEqual([
      [{ id: [id] }, 'The upload of this media is finalized already'],
    ]);
    await service.media.idle();
  });
});

describe('an upload by commands', () => {
  const command = async (how: 'form' | 'query' | 'encoded', fields: Record<string, string>) => {
    if (how === 'form') return await alice.postForm(UPLOAD, fields);
    const text = new URLSearchParams(fields).toString();
    if (how === 'query') return await alice.post(`${UPLOAD}?${text}`);
    return await alice.ask('POST', UPLOAD, { body: new URLSearchParams(fields) });
  };

  it.each(['form', 'query', 'encoded'] as const)('as %s', async (how) => {
    const file = gif(10, 8, 3);
    const begun = await command(how, {
      command: 'INIT',
      media_type: 'image/gif',
      total_bytes: String(file.length),
      additional_owners: '12,34',
    });
    const { data } = begun.body;
    expect(data).toMatchObject({ media_key: `16_${data.id}`, expires_after_secs: 1_295_999 });
    const media_id = data.id;
    for (const [n, media] of cut(file, 2).entries()) {
      const fields = { command: 'APPEND', media_id, segment_index: String(n) };
      const inForm = { media, ...fields };
      const sent = await alice.postForm(
        how === 'query' ? `${UPLOAD}?${new URLSearchParams(fields)}` : UPLOAD,
        how === 'query' ? { media } : inForm,
      );
      expect(sent.status).toBe(200);
    }
    const ended = await command(how, { command: 'FINALIZE', media_id });
    expect(ended.status).toBe(201);
    expect(ended.body.data.processing_info.state).toBe('pending');
    await service.media.idle();
    expect((await status(media_id)).body.data.processing_info.state).toBe('succeeded');
  });

  it('names a wrong command', async () => {
    expect(faultsOf(await command('form', { command: 'STOP' }))).toEqual([
      [{ command: ['STOP'] }, '$.command: [STOP] is not one of [INIT,APPEND,FINALIZE]'],
    ]);
  });
});

describe('the check of a video or GIF', () => {
  it('goes from pending over in_progress to succeeded', async () => {
    const file = mp4({ fill: 300_000 });
    const id = await begin({ media_type: 'video/mp4' });
    for (const [n, part] of cut(file, 3).entries()) await append(id, n, part);
    const { data } = (await finalize(id)).body;
    expect(data).toEqual({
      id,
      media_key: `7_${id}`,
      size: file.length,
      expires_after_secs: 86_400,
      processing_info: { state: 'pending', type: 'pending', check_after_secs: 1 },
    });
    const seen = new Set<string>();
    let progress = 0;
    while (!seen.has('succeeded')) {
      // Requests in process leave no turn for the check's reads.
      await new Promise((resolve) => setImmediate(resolve));
      const { processing_info: info } = (await status(id)).body.data;
      seen.add(info.state);
      expect(info.progress_percent ?? 0).toBeGreaterThanOrEqual(progress);
      progress = info.progress_percent ?? 0;
      if (info.state === 'succeeded') expect(info.progress_percent).toBe(100);
      else expect(info.check_after_secs).toBe(1);
    }
    expect([...seen].at(-1)).toBe('succeeded');
    expect(parts()).toEqual([]);
  });

  it.each<[string, string, Buffer, object]>([
    [
      'a short video',
      'video/mp4',
      mp4({ seconds: 0.2 }),
      {
        code: 1,
        name: 'InvalidMedia',
        message: 'Duration too short, minimum: 500 ms, actual: 200 ms',
      },
    ],
    [
      'half of a GIF',
      'image/gif',
      gif(4, 4, 4).subarray(0, 60),
      { code: 1, name: 'InvalidMedia', message: 'The file is damaged: the GIF ends early' },
    ],
    [
      'WebM',
      'video/webm',
      Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex'),
      {
        code: 3,
        name: 'UnsupportedMedia',
        message: 'This service cannot check files of video/webm',
      },
    ],
  ])('of %s fails, with the reason', async (_, media_type, file, error) => {
    const id = await begin({ media_type });
    await append(id, 0, file);
    expect((await finalize(id)).status).toBe(201);
    await service.media.idle();
    const { processing_info: info } = (await status(id)).body.data;
    expect(info).toEqual({ state: 'failed', type: 'failed', error });
    expect(parts()).toEqual([]);
  });

  it('continues after a restart, and an upload too', async () => {
    const file = mp4({ seconds: 3 });
    const [first, second] = cut(file, 2);
    const done = await begin({ media_type: 'video/mp4' });
    await append(done, 0, file);
    const open = await begin({ media_type: 'video/mp4' });
    await append(open, 0, first!);
    await finalize(done);
    await service.restart();
    await append(open, 1, second!);
    expect((await finalize(open)).status).toBe(201);
    await service.media.idle();
    for (const id of [done, open]) {
      expect((await status(id)).body.data.processing_info.state).toBe('succeeded');
    }
    expect(parts()).toEqual([]);
  });

  it('has no state where it is not needed, or before the end of the upload', async () => {
    const image = await begin({ media_category: 'tweet_image' });
    await append(image, 0, png(3, 3));
    await finalize(image);
    const open = await begin({ media_category: 'tweet_video' });
    for (const id of [image, open, '12']) {
      expect(faultsOf(await status(id))).toEqual([[{ media_id: [id] }, 'BadRequest: Not found']]);
    }
  });
});

describe('who may upload', () => {
  it('and only the owner goes on', async () => {
    const bob = person(service, 'bob');
    const id = await begin({ media_category: 'tweet_gif' });
    await append(id, 0, gif(2, 2, 2));
    const refusals = [
      await append(id, 1, png(1, 1), bob),
      await finalize(id, bob),
      await bob.post('/2/media/metadata', { id, metadata: {} }),
      await bob.postForm(UPLOAD, { command: 'FINALIZE', media_id: id }),
    ];
    for (const answer of refusals) {
      expect(faultsOf(answer)).toEqual([[{ id: [id] }, 'BadRequest: Not found']]);
    }
    expect(faultsOf(await status(id, bob))).toEqual([
      [{ media_id: [id] }, 'BadRequest: Not found'],
    ]);
  });
});

describe('metadata', () => {
  const describeMedia = (id: string, metadata: object) =>
    alice.post('/2/media/metadata', { id, metadata });

  it('is stored and answered', async () => {
    const id = await begin({ media_category: 'tweet_image' });
    const answer = await describeMedia(id, { alt_text: { text: 'a cat' } });
    expect([answer.status, answer.body]).toEqual([
      200,
      { data: { id, associated_metadata: { alt_text: { text: 'a cat' } } } },
    ]);
    const more = await describeMedia(id, { sensitive_media_warning: { other: true } });
    expect(more.body.data.associated_metadata).toEqual({
      alt_text: { text: 'a cat' },
      sensitive_media_warning: { other: true },
    });
  });

  it.each<[string, object, string]>([
    [
      'a long text',
      { alt_text: { text: '🐈'.repeat(1001) } },
      '$.metadata.alt_text.text: may have at most 1000 characters, got 1001',
    ],
    [
      'a text that is none',
      { alt_text: { text: 7 } },
      '$.metadata.alt_text.text: must be a string, got 7',
    ],
    ['no text', { alt_text: {} }, '$.metadata.alt_text.text: is required'],
    [
      'an unknown member',
      { colour: 1 },
      '$.metadata.colour: is not defined in the schema and the schema does not allow additional properties',
    ],
    [
      'a word for an object',
      { upload_source: 'x' },
      '$.metadata.upload_source: must be an object, got "x"',
    ],
  ])('with %s is refused', async (_, metadata, message) => {
    const id = await begin({ media_category: 'tweet_image' });
    const [first] = faultsOf(await describeMedia(id, metadata));
    expect(first?.[1]).toBe(message);
    expect((await describeMedia(id, { alt_text: { text: '🐈'.repeat(1000) } })).status).toBe(200);
  });
});

describe('what no Post uses', () => {
  it('expires, with its files', async () => {
    const open = await begin({ media_category: 'tweet_image' });
    await append(open, 0, png(21, 21));
    const file = png(22, 22);
    const send = () => alice.postForm(UPLOAD, { media_category: 'tweet_image', media: file });
    const { id } = (await send()).body.data;
    const [stored, waiting] = [finished().length, parts().length];
    now += 25 * 3_600_000;
    expect(faultsOf(await alice.post('/2/media/metadata', { id }))).toEqual([
      [{ id: [id] }, 'BadRequest: Not found'],
    ]);
    // The same file again: its hash is in use.
    const again = (await send()).body.data.id;
    service.media.sweep();
    expect([finished().length < stored, parts().length]).toEqual([true, waiting]);
    expect((await alice.post('/2/media/metadata', { id: again })).status).toBe(200);
    now += 15 * 86_400_000;
    service.media.sweep();
    expect([parts(), finished()]).toEqual([[], []]);
    expect(faultsOf(await append(open, 1, png(1, 1)))).toEqual([
      [{ id: [open] }, 'BadRequest: Not found'],
    ]);
  });
});

describe('media of a Post', () => {
  const upload = async (media: Buffer): Promise<string> => {
    const answer = await alice.postForm(UPLOAD, { media_category: 'tweet_image', media });
    return answer.body.data.id;
  };
  const post = async (body: object): Promise<string> => {
    const answer = await alice.post('/2/tweets', body);
    expect(answer.status).toBe(201);
    return answer.body.data.id;
  };
  const remove = async (id: string): Promise<void> => {
    expect((await alice.send('DELETE', `/2/tweets/${id}`)).status).toBe(200);
  };
  const shown = async (id: string) => {
    const fields = 'expansions=attachments.media_keys&media.fields=url,alt_text';
    return (await alice.get(`/2/tweets/${id}?${fields}`)).body.includes.media[0];
  };
  const file = async (url: string): Promise<number> =>
    (await service.request(new URL(url).pathname, { headers: { cookie: '' } })).status;

  it('shows what its owner says of it after the Post was created', async () => {
    const id = await upload(png(7, 7));
    const made = await post({ text: 'described later', media: { media_ids: [id] } });
    expect(await shown(made)).not.toHaveProperty('alt_text');
    const metadata = { alt_text: { text: 'seven by seven' } };
    expect((await alice.post('/2/media/metadata', { id, metadata })).status).toBe(200);
    expect(await shown(made)).toMatchObject({ alt_text: 'seven by seven' });
  });

  it('is no longer served once the last Post that has it is deleted', async () => {
    const bytes = png(9, 7);
    const id = await upload(bytes);
    const [first, second] = [
      await post({ text: 'first', media: { media_ids: [id] } }),
      await post({ text: 'second', media: { media_ids: [id] } }),
    ];
    const { url } = await shown(first);
    expect(await file(url)).toBe(200);
    await remove(first);
    expect(await file(url)).toBe(200);
    expect(await shown(second)).toMatchObject({ url });
    await remove(second);
    expect(await file(url)).toBe(404);
    const again = await alice.post('/2/tweets', { text: 'again', media: { media_ids: [id] } });
    expect(faultsOf(again)[0]?.[1]).toBe('Your media IDs are invalid.');
  });

  it('leaves the file to another medium with the same bytes', async () => {
    const [one, other] = [await upload(png(9, 8)), await upload(png(9, 8))];
    const made = await post({ text: 'the same bytes', media: { media_ids: [one] } });
    const { url } = await shown(made);
    await remove(made);
    expect(await file(url)).toBe(200);
    const last = await post({ text: 'the other one', media: { media_ids: [other] } });
    await remove(last);
    expect(await file(url)).toBe(404);
  });

  it('is removed by the next start if the process ended after the deletion of its Post', async () => {
    const id = await upload(png(9, 9));
    const made = await post({ text: 'ends here', media: { media_ids: [id] } });
    const { url } = await shown(made);
    now += 26 * 3_600_000;
    // In use, so it does not expire.
    service.media.sweep();
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: randomBytes });
    makeChanges(
      db,
      changesOver(db, () => now),
      [{ what: 'remove', of: [BigInt(made)] }],
    );
    db.close();
    expect(await file(url)).toBe(200);
    await service.restart();
    expect(await file(url)).toBe(404);
  });
});
