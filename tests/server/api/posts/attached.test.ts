import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { gif, mp4, png } from '#tests/support/data/media.ts';
import { faultsOf, person, type Caller } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now, posted: true });
afterAll(() => service.close());
beforeEach(() => {
  now += 60_000;
});

const alice = person(service, 'alice');
const bob = person(service, 'bob');
const UPLOAD = '/2/media/upload';

let images = 0;
/** Uploads an image that no one uploaded before. */
async function image(category = 'tweet_image'): Promise<string> {
  images += 1;
  const answer = await alice.postForm(UPLOAD, { media_category: category, media: png(images, 5) });
  return answer.body.data.id;
}

/** Uploads a file in one segment, with its check. */
async function uploaded(file: Buffer, body: object): Promise<string> {
  const begun = await alice.post(`${UPLOAD}/initialize`, body);
  const { id } = begun.body.data;
  await alice.postForm(`${UPLOAD}/${id}/append`, { segment_index: '0', media: file });
  await alice.post(`${UPLOAD}/${id}/finalize`);
  await service.media.idle();
  return id;
}

const create = (body: object, as: Caller = alice) => as.post('/2/tweets', body);

async function created(body: object, as: Caller = alice): Promise<string> {
  const answer = await create(body, as);
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

const ALL =
  'expansions=attachments.media_keys&tweet.fields=attachments&media.fields=alt_text,duration_ms,height,media_key,preview_image_url,public_metrics,type,url,variants,width';

/** A Post with all that answers say about its media. */
const read = async (id: string, host?: string) =>
  (await alice.get(`/2/tweets/${id}?${ALL}`, host === undefined ? {} : { host })).body;

/** Finds the Posts of a query. */
async function search(query: string): Promise<string[]> {
  now += 60_000;
  return await alice.ids(`/2/tweets/search/recent?${new URLSearchParams({ query })}`);
}

const finished = (): string[] =>
  readdirSync(join(service.folder, 'media')).filter((name) => name !== 'incoming');

describe('a Post', () => {
  it('with images shows them, and the service has their files', async () => {
    const ids = [await image(), await image()];
    await alice.post('/2/media/metadata', { id: ids[1], metadata: { alt_text: { text: 'grey' } } });
    const post = await created({ text: 'two pictures', media: { media_ids: ids } });
    const { data, includes } = await read(post, 'localhost');
    const keys = ids.map((id) => `3_${id}`);
    expect(data.attachments).toEqual({ media_keys: keys });
    const url = expect.stringMatching(/^http:\/\/localhost\/media\/[0-9a-f]{64}\.png$/);
    expect(includes.media).toEqual([
      { media_key: keys[0], type: 'photo', width: images - 1, height: 5, url },
      { media_key: keys[1], type: 'photo', width: images, height: 5, url, alt_text: 'grey' },
    ]);
    const file = await service.request(new URL(includes.media[0].url).pathname);
    expect(Buffer.from(await file.arrayBuffer()).equals(png(images - 1, 5))).toBe(true);
  });

  it('with a GIF or a video shows what plays', async () => {
    const animated = await uploaded(gif(6, 4, 5), { media_type: 'image/gif' });
    const file = mp4({ seconds: 2 });
    const video = await uploaded(file, { media_type: 'video/mp4' });
    const preview = await image();
    const posts = [
      await created({ media: { media_ids: [animated] } }),
      await created({ text: '', media: { media_ids: [video], preview_media_id: preview } }),
    ];
    const shown = await Promise.all(posts.map((id) => read(id)));
    const url = (end: string) => expect.stringMatching(new RegExp(`^http://.*\\.${end}$`));
    expect(shown.map(({ includes }) => includes.media[0])).toEqual([
      {
        media_key: `16_${animated}`,
        type: 'animated_gif',
        width: 6,
        height: 4,
        preview_image_url: url('gif'),
        variants: [{ bit_rate: 0, content_type: 'image/gif', url: url('gif') }],
      },
      {
        media_key: `7_${video}`,
        type: 'video',
        width: 640,
        height: 360,
        duration_ms: 2000,
        preview_image_url: url('png'),
        variants: [{ bit_rate: file.length * 4, content_type: 'video/mp4', url: url('mp4') }],
        public_metrics: { view_count: 0 },
      },
    ]);
    expect(shown.map(({ data }) => data.text)).toEqual(['', '']);
  });

  it('is found by its media', async () => {
    const photo = await created({ text: 'lupin', media: { media_ids: [await image()] } });
    const film = await uploaded(mp4(), { media_type: 'video/mp4' });
    const video = await created({ text: 'lupin', media: { media_ids: [film] } });
    await created({ text: 'lupin' });
    expect(await search('lupin has:media')).toEqual([video, photo]);
    expect(await search('lupin has:images')).toEqual([photo]);
    expect(await search('lupin has:videos')).toEqual([video]);
  });

  it('may have the text of another one, with other media', async () => {
    const media = async () => ({ media: { media_ids: [await image()] } });
    await created({ text: 'again', ...(await media()) });
    await created({ text: 'again', ...(await media()) });
    await created({ text: 'again' });
    await service.restart();
    expect((await create({ text: 'again' })).status).toBe(403);
    await created({ text: 'again', ...(await media()) });
  });

  it('may have the text of another one after an edit, which keeps its media', async () => {
    const dora = person(service, 'dora', { profile: { subscription_type: 'Premium' } });
    await created({ text: 'the same words' }, dora);
    const shared = await uploaded(png(60, 60), {
      media_category: 'tweet_image',
      additional_owners: [dora.id],
    });
    const previous_post_id = await created({ media: { media_ids: [shared] } }, dora);
    const edit = { text: 'the same words', edit_options: { previous_post_id } };
    const { data, includes } = await read(await created(edit, dora));
    expect([data.text, includes.media[0].width]).toEqual(['the same words', 60]);
  });

  it('keeps the files of its media, which others may not', async () => {
    const used = await image();
    const post = await created({ text: 'kept', media: { media_ids: [used] } });
    const { url } = (await read(post)).includes.media[0];
    await image();
    now += 3 * 86_400_000;
    await service.restart();
    service.media.sweep();
    service.media.sweep();
    const names = finished();
    expect(names).toContain(new URL(url).pathname.slice('/media/'.length));
    expect((await service.request(new URL(url).pathname)).status).toBe(200);
    expect(faultsOf(await create({ media: { media_ids: [used] } }))).toEqual([
      [{ 'media.media_ids': [used] }, 'Your media IDs are invalid.'],
    ]);
  });

  it('may use what another account shares', async () => {
    const shared = await uploaded(png(50, 50), {
      media_category: 'tweet_image',
      additional_owners: [bob.id],
    });
    const own = await image();
    await created({ media: { media_ids: [shared] } }, bob);
    expect(faultsOf(await create({ media: { media_ids: [own] } }, bob))).toEqual([
      [{ 'media.media_ids': [own] }, 'Your media IDs are invalid.'],
    ]);
  });

  it('may name users, which exist', async () => {
    const media = async (tagged_user_ids: string[]) => ({
      media: { media_ids: [await image()], tagged_user_ids },
    });
    await created(await media([bob.id]));
    expect(faultsOf(await create(await media([bob.id, '99'])))).toEqual([
      [{ 'media.tagged_user_ids': [`${bob.id},99`] }, 'Your tagged user IDs are invalid.'],
    ]);
  });
});

describe('a Post is refused', () => {
  const TOGETHER = 'A Post may have up to 4 images, or 1 GIF, or 1 video.';
  it('with media that does not go together', async () => {
    const [one, two] = [
      await uploaded(gif(3, 3, 2), { media_type: 'image/gif' }),
      await uploaded(mp4(), { media_type: 'video/mp4' }),
    ];
    const photo = await image();
    for (const ids of [
      [one, photo],
      [photo, two],
      [one, two],
    ]) {
      expect(faultsOf(await create({ text: 'x', media: { media_ids: ids } }))).toEqual([
        [{ 'media.media_ids': [ids.join(',')] }, TOGETHER],
      ]);
    }
  });

  it('with media that it cannot have', async () => {
    const photo = await image();
    const lists = [
      ['12'],
      [photo, photo],
      [await image('dm_image')],
      [await uploaded(mp4({ seconds: 0.1 }), { media_type: 'video/mp4' })],
      [(await alice.post(`${UPLOAD}/initialize`, { media_type: 'image/png' })).body.data.id],
    ];
    for (const ids of lists) {
      expect(faultsOf(await create({ text: 'x', media: { media_ids: ids } }))).toEqual([
        [{ 'media.media_ids': [ids.join(',')] }, 'Your media IDs are invalid.'],
      ]);
    }
    const other = { media_ids: [photo], preview_media_id: '12' };
    expect(faultsOf(await create({ text: 'x', media: other }))).toEqual([
      [{ 'media.preview_media_id': ['12'] }, 'Your preview media ID is invalid.'],
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['no ids', { media_ids: [] }, /^\$\.media\.media_ids: must have between 1 and 4 ids, got 0$/],
    ['five ids', { media_ids: ['1', '2', '3', '4', '5'] }, /between 1 and 4 ids, got 5$/],
    [
      'an id that is none',
      { media_ids: ['x'] },
      /^\$\.media\.media_ids\[0\]: \[x\] does not match/,
    ],
    ['no list', { media_ids: '1' }, /^\$\.media\.media_ids: must be an array/],
    ['nothing', {}, /^\$\.media\.media_ids: is required$/],
    ['an unknown member', { media_ids: ['1'], x: 1 }, /^\$\.media\.x: is not defined in the/],
    [
      'eleven users',
      { media_ids: ['1'], tagged_user_ids: Array(11).fill('1') },
      /and 10 ids, got 11$/,
    ],
  ])('with %s', async (_, media, message) => {
    const found = faultsOf(await create({ text: 'x', media }));
    expect(found.map(([, text]) => text)).toEqual([expect.stringMatching(message)]);
  });

  it('with media and a quote, or with neither text nor media', async () => {
    const quoted = await created({ text: 'to be quoted' });
    const both = { media: { media_ids: [await image()] }, quote_tweet_id: quoted };
    const messages = faultsOf(await create(both)).map(([, message]) => message);
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toMatch(/^You can only provide one of poll or quote_tweet_id/);
    expect(faultsOf(await create({ text: ' ' }))).toEqual([
      [{ text: [' '] }, "'text' must be a non-empty string"],
    ]);
    expect(faultsOf(await create({}))).toEqual([
      [{ text: [] }, "A Post without media must have a 'text'"],
    ]);
  });
});
