import { describe, expect, it } from 'vitest';
import {
  mediaKey,
  MOST_MEDIA_BYTES,
  typeInPosts,
  violation,
  type Content,
} from '#server/media/content.ts';
import type { MediaCategory } from '#contract/posts/media-requests.ts';

const gif: Content = { format: 'image/gif', width: 1280, height: 200, images: 350 };
const video: Content = {
  format: 'video/mp4',
  width: 1280,
  height: 720,
  durationMs: 140_000,
  rate: 60,
};

describe('limits by kind (platform-facts-additions, section 3a)', () => {
  it('of size', () => {
    const mib = 1024 ** 2;
    expect(MOST_MEDIA_BYTES).toMatchObject({ image: 5 * mib, gif: 15 * mib, video: 512 * mib });
  });

  it.each<[string, 'gif' | 'video', Partial<Content>, RegExp | null]>([
    ['a GIF at its limits', 'gif', {}, null],
    ['a GIF that is too wide', 'gif', { width: 1281 }, /1280×1080 pixels; this one has 1281×200/],
    ['a GIF that is too high', 'gif', { height: 1081, images: 1 }, /this one has 1280×1081/],
    ['a GIF of too many images', 'gif', { images: 351 }, /at most 350 images; this one has 351/],
    ['a GIF of just enough pixels', 'gif', { width: 1000, height: 1000, images: 300 }, null],
    ['a GIF of too many pixels', 'gif', { width: 1000, height: 1000, images: 301 }, /300000000/],
    ['a video at its limits', 'video', {}, null],
    ['the smallest video', 'video', { width: 32, height: 32, durationMs: 500, rate: 1 }, null],
    ['a video that is too short', 'video', { durationMs: 499 }, /minimum: 500 ms, actual: 499 ms/],
    ['a video that is too long', 'video', { durationMs: 140_001 }, /maximum: 140000 ms/],
    ['a video that is too narrow', 'video', { width: 31, height: 32 }, /between 32×32 and/],
    ['a video that is too wide', 'video', { width: 1281 }, /1280×1024 pixels; this one has 1281/],
    ['a video that is too high', 'video', { width: 1280, height: 1025 }, /this one has 1280×1025/],
    ['a video of 1024 rows', 'video', { width: 1280, height: 1024 }, null],
    ['an upright video', 'video', { width: 720, height: 1280 }, null],
    ['a video of 3:1', 'video', { width: 960, height: 320 }, null],
    ['a video beyond 3:1', 'video', { width: 961, height: 320 }, /between 1:3 and 3:1/],
    ['a video beyond 1:3', 'video', { width: 320, height: 961 }, /between 1:3 and 3:1/],
    ['a video of too many images', 'video', { rate: 60.01 }, /60 images per second; .* 60\.01/],
  ])('%s', (_, kind, other, message) => {
    const found = violation(kind, { ...(kind === 'gif' ? gif : video), ...other });
    if (message === null) expect(found).toBeNull();
    else expect(found).toMatch(message);
  });
});

it.each<[MediaCategory, string, string | null]>([
  ['tweet_image', '3_12', 'photo'],
  ['tweet_gif', '16_12', 'animated_gif'],
  ['tweet_video', '7_12', 'video'],
  ['amplify_video', '13_12', 'video'],
  ['dm_image', '3_12', null],
  ['dm_gif', '16_12', null],
  ['dm_video', '7_12', null],
  ['subtitles', '0_12', null],
])('a medium of %s has the key %s, and in Posts the type %s', (category, key, type) => {
  expect([mediaKey({ id: '12', category }), typeInPosts(category)]).toEqual([key, type]);
});
