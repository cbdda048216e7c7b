import { ApiError, Client } from '@xdevplatform/xdk';
import { ApiResponseError, EUploadMimeType, TwitterApi } from 'twitter-api-v2';
import { afterAll, describe, expect, it } from 'vitest';
import { gif, jpeg, mp4, png } from '#tests/support/data/media.ts';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';
import { startPlatformHosts } from '#tests/support/service/platform-hosts.ts';
import { addApp } from '#tests/support/service/signing-in.ts';

// Uploads of the published clients, unchanged: platform-facts section 13 says how they are directed to another host.

const { service, url } = await listeningService();
const ann = service.auth.issueUserToken({ name: 'ann', limited: true }).token;

/** The bytes of a file of this service. */
async function fetched(address: string | undefined): Promise<Buffer> {
  const answer = await fetch(address ?? '');
  return Buffer.from(await answer.arrayBuffer());
}

describe('twitter-api-v2', () => {
  const open = () => v2ClientOf(url, ann);

  it('uploads images in chunks, describes one and posts them', async () => {
    const client = open();
    const [large, small] = [jpeg(64, 48, 200_000), png(30, 20)];
    const ids = [
      await client.uploadMedia(large, { media_type: EUploadMimeType.Jpeg }, 64 * 1024),
      await client.uploadMedia(small, { media_type: 'image/png', media_category: 'tweet_image' }),
    ] as const;
    const described = await client.createMediaMetadata(ids[1], { alt_text: { text: 'grey' } });
    expect(described.data.associated_metadata).toEqual({ alt_text: { text: 'grey' } });
    const { data } = await client.tweet('two pictures', { media: { media_ids: [...ids] } });
    const found = await client.singleTweet(data.id, {
      expansions: ['attachments.media_keys'],
      'media.fields': ['alt_text', 'height', 'media_key', 'type', 'url', 'width'],
    });
    const media = found.includes?.media ?? [];
    expect(media).toMatchObject([
      { media_key: `3_${ids[0]}`, type: 'photo', width: 64, height: 48 },
      { media_key: `3_${ids[1]}`, type: 'photo', width: 30, height: 20, alt_text: 'grey' },
    ]);
    expect((await fetched(media[0]?.url)).equals(large)).toBe(true);
    expect((await fetched(media[1]?.url)).equals(small)).toBe(true);
  });

  it('waits for the check of a GIF and of a video', async () => {
    const client = open();
    const animated = await client.uploadMedia(gif(20, 10, 4), { media_type: EUploadMimeType.Gif });
    const file = mp4({ fill: 100_000 });
    const video = await client.uploadMedia(file, { media_type: EUploadMimeType.Mp4 }, 32 * 1024);
    const posts = [
      await client.tweet({ media: { media_ids: [animated] } }),
      await client.tweet('a film', { media: { media_ids: [video] } }),
    ];
    const { data, includes } = await client.tweets(
      posts.map((post) => post.data.id),
      {
        expansions: ['attachments.media_keys'],
        'media.fields': ['duration_ms', 'public_metrics', 'type', 'variants'],
      },
    );
    expect(data.map(({ attachments }) => attachments?.media_keys)).toEqual([
      [`16_${animated}`],
      [`7_${video}`],
    ]);
    expect(includes?.media).toMatchObject([
      { type: 'animated_gif' },
      { type: 'video', duration_ms: 2000, public_metrics: { view_count: 0 } },
    ]);
    const [variant] = includes?.media?.[1]?.variants ?? [];
    expect((await fetched(variant?.url)).equals(file)).toBe(true);
  });

  it('reads why a file is refused', async () => {
    const client = open();
    const reason = async (request: Promise<unknown>): Promise<unknown> => {
      const error = await refusal(Error, request);
      return error instanceof ApiResponseError ? error.errors?.[0] : error.message;
    };
    const send = (bytes: Buffer, media_type: EUploadMimeType) =>
      client.uploadMedia(bytes, { media_type });
    expect(await reason(send(Buffer.from('no image'), EUploadMimeType.Png))).toMatchObject({
      message: 'media type unrecognized',
    });
    expect(await reason(send(mp4({ seconds: 0.2 }), EUploadMimeType.Mp4))).toBe(
      'Media processing failed: Duration too short, minimum: 500 ms, actual: 200 ms',
    );
    const unknown = client.tweet('none', { media: { media_ids: ['12'] } });
    expect(await reason(unknown)).toMatchObject({ message: 'Your media IDs are invalid.' });
  });
});

describe('twitter-api-v2 by version 1.1', () => {
  const open = async (): Promise<TwitterApi> => {
    const hosts = await startPlatformHosts(url);
    afterAll(hosts.close);
    const app = addApp(service, 'Signed');
    const grant = { name: 'ann', app: app.name, limited: true, oauth1: true };
    const { token, signing } = service.auth.issueUserToken(grant);
    const tokens = {
      appKey: app.api_key,
      appSecret: app.api_key_secret,
      accessToken: token,
      accessSecret: signing?.access_token_secret ?? '',
    };
    return new TwitterApi(tokens, { httpAgent: hosts.agent });
  };

  it('uploads an image and a video, describes the image, posts it, and reads a refusal', async () => {
    const { v1, v2 } = await open();
    const file = jpeg(64, 48, 200_000);
    const image = await v1.uploadMedia(file, {
      mimeType: EUploadMimeType.Jpeg,
      chunkLength: 64 * 1024,
    });
    await v1.createMediaMetadata(image, { alt_text: { text: 'grey' } });
    const video = await v1.uploadMedia(mp4(), { mimeType: EUploadMimeType.Mp4 }, true);
    expect(video).toMatchObject({ media_key: `7_${video.media_id_string}` });
    const { data } = await v2.tweet('a picture', { media: { media_ids: [image] } });
    const found = await v2.singleTweet(data.id, {
      expansions: ['attachments.media_keys'],
      'media.fields': ['alt_text', 'width'],
    });
    expect(found.includes?.media).toMatchObject([
      { media_key: `3_${image}`, width: 64, alt_text: 'grey' },
    ]);
    const text = v1.uploadMedia(Buffer.from('no image'), { mimeType: EUploadMimeType.Png });
    const refused = await refusal(ApiResponseError, text);
    expect([refused.code, refused.data]).toMatchObject([
      400,
      { error: 'media type unrecognized.' },
    ]);
  });
});

describe('@xdevplatform/xdk', () => {
  const open = (): Client => new Client({ baseUrl: url, accessToken: ann });

  it('uploads in one request and in segments, and posts', async () => {
    const { media, posts } = open();
    const file = png(24, 16);
    const upload = await media.upload({
      media: file.toString('base64'),
      mediaCategory: 'tweet_image',
    });
    const square = jpeg(8, 8, 900);
    const begun = await media.initializeUpload({
      mediaType: 'image/jpeg',
      mediaCategory: 'tweet_image',
      totalBytes: square.length,
    });
    const id = begun.data?.id ?? '';
    for (const [n, part] of [square.subarray(0, 500), square.subarray(500)].entries()) {
      await media.appendUpload(id, { segmentIndex: n, media: part.toString('base64') });
    }
    const ended = await media.finalizeUpload(id);
    expect(ended.data).toMatchObject({ id, mediaKey: `3_${id}` });
    const metadata = { altText: { text: 'a square' } };
    const described = await media.createMetadata({ id, metadata });
    expect(described.data).toEqual({ id, associatedMetadata: metadata });
    const mediaIds = [upload.data?.id ?? '', id];
    const made = await posts.create({ text: 'by xdk, with media', media: { mediaIds } });
    const found = await posts.getById(made.data?.id ?? '', {
      expansions: ['attachments.media_keys'],
      mediaFields: ['alt_text', 'url', 'width'],
    });
    expect(found.includes?.media).toMatchObject([
      { type: 'photo', width: 24 },
      { type: 'photo', width: 8, altText: 'a square' },
    ]);
  });

  it('asks for the state of a check', async () => {
    const { media } = open();
    const { data } = await media.initializeUpload({ mediaType: 'video/mp4' });
    const id = data?.id ?? '';
    await media.appendUpload(id, { segmentIndex: 0, media: mp4().toString('base64') });
    expect((await media.finalizeUpload(id)).data?.processingInfo).toMatchObject({
      state: 'pending',
      checkAfterSecs: 1,
    });
    await service.media.idle();
    const state = await media.getUploadStatus(id, { command: 'STATUS' });
    expect(state.data?.processingInfo).toMatchObject({ state: 'succeeded', progressPercent: 100 });
    const none = await refusal(ApiError, media.getUploadStatus('12'));
    expect([none.status, JSON.stringify(none.data)]).toEqual([
      400,
      expect.stringContaining('BadRequest: Not found'),
    ]);
  });
});
