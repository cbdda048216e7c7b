import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MediaKind } from '#server/media/content.ts';
import { inspect } from '#server/media/inspect.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { bmp, box, gif, jpeg, mp4, png, SRT, VTT } from '#tests/support/data/media.ts';

const file = temporaryFolder();

async function check(bytes: Buffer, kind: MediaKind) {
  const path = file('file');
  writeFileSync(path, bytes);
  return await inspect(path, bytes.length, kind);
}

const uint32 = (n: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
};

describe('a file is what its content says', () => {
  it.each<[string, MediaKind, Buffer, object]>([
    ['a PNG', 'image', png(3, 2), { format: 'image/png', width: 3, height: 2 }],
    ['a JPEG', 'image', jpeg(30, 20), { format: 'image/jpeg', width: 30, height: 20 }],
    [
      'a JPEG whose size comes late',
      'image',
      jpeg(30, 20, 200_000),
      { format: 'image/jpeg', width: 30, height: 20 },
    ],
    ['a bitmap', 'image', bmp(5, 4), { format: 'image/bmp', width: 5, height: 4 }],
    ['a GIF as an image', 'image', gif(5, 4, 1), { format: 'image/gif', width: 5, height: 4 }],
    ['a GIF', 'gif', gif(5, 4, 3), { format: 'image/gif', width: 5, height: 4, images: 3 }],
    [
      'a video',
      'video',
      mp4({ seconds: 1.5 }),
      { format: 'video/mp4', width: 640, height: 360, durationMs: 1500, rate: 30 },
    ],
    [
      'a QuickTime video',
      'video',
      mp4({ brand: 'qt  ' }),
      { format: 'video/quicktime', width: 640, height: 360, durationMs: 2000, rate: 30 },
    ],
    ['a turned video', 'video', mp4({ turned: true }), { width: 360, height: 640 }],
    ['WebVTT', 'subtitles', VTT, { format: 'text/vtt', width: 0, height: 0 }],
    ['SubRip', 'subtitles', SRT, { format: 'text/srt', width: 0, height: 0 }],
  ])('%s', async (_, kind, bytes, content) => {
    expect(await check(bytes, kind)).toMatchObject({ content });
  });
});

describe('a refused file', () => {
  const webm = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex');
  const huge = box('stsz', uint32(0), uint32(100), uint32(0xffffffff));
  const deep = (n: number): Buffer => (n === 0 ? Buffer.alloc(0) : box('trak', deep(n - 1)));
  const whole = mp4();
  it.each<[string, MediaKind, Buffer, 1 | 3, RegExp]>([
    ['text', 'image', Buffer.from('no image'), 1, /^media type unrecognized$/],
    ['a document', 'image', Buffer.from('%PDF-1.7\n'), 1, /^media type unrecognized$/],
    ['a web page', 'image', Buffer.from('<!doctype html><p>'), 1, /^media type unrecognized$/],
    ['an SVG', 'image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 1, /unrecog/],
    ['an image as a video', 'video', png(40, 40), 1, /^A file of image\/png is no video$/],
    ['a video as an image', 'image', whole, 1, /^A file of video\/mp4 is no image$/],
    ['an image as a GIF', 'gif', jpeg(4, 4), 1, /^A file of image\/jpeg is no gif$/],
    ['WebM', 'video', webm, 3, /^This service cannot check files of video\/webm$/],
    ['an image of no size', 'image', png(0, 5), 1, /pixels$/],
    ['half of the headers of an image', 'image', jpeg(4, 4).subarray(0, 12), 1, /cannot be read/],
    ['half of a GIF', 'gif', gif(4, 4, 2).subarray(0, 40), 1, /^The file is damaged: the GIF ends/],
    [
      'half of a video',
      'video',
      whole.subarray(0, 500),
      1,
      /damaged: the box at byte 24 ends early/,
    ],
    ['a video without moov', 'video', whole.subarray(0, 24 + 1008), 1, /it has no moov box/],
    ['sound', 'video', mp4({ handler: 'soun' }), 1, /it has no video track/],
    ['a fragmented video', 'video', Buffer.concat([whole, box('moof')]), 3, /it is fragmented/],
    ['a short video', 'video', mp4({ seconds: 0.4 }), 1, /minimum: 500 ms, actual: 400 ms/],
    ['a fast video', 'video', mp4({ rate: 100 }), 1, /60 images per second; this one has 100/],
    ['a GIF of many images', 'gif', gif(2, 2, 351), 1, /at most 350 images; this one has 351/],
    [
      'a nest of boxes',
      'video',
      Buffer.concat([whole.subarray(0, 24), box('moov', deep(5000))]),
      1,
      /./,
    ],
  ])('%s', async (_, kind, bytes, code, message) => {
    const name = code === 1 ? 'InvalidMedia' : 'UnsupportedMedia';
    expect(await check(bytes, kind)).toEqual({
      fault: { code, name, message: expect.stringMatching(message) },
    });
  });

  it('may claim billions of samples in a few bytes, which are not read', async () => {
    expect(await check(mp4({ more: [huge] }), 'video')).toMatchObject({
      content: { width: 640, durationMs: 2000 },
    });
    const times = mp4();
    // The number of entries of `stts`.
    times.writeUInt32BE(0xffffffff, times.indexOf('stts') + 8);
    expect(await check(times, 'video')).toMatchObject({ fault: { code: 1 } });
  });
});
