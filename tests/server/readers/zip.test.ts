import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { openFeeds } from '#server/readers/feed.ts';
import type { Row } from '#core/readers/row.ts';
import { freshFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const at = freshFolder();

async function read(bytes: Uint8Array): Promise<Row[]> {
  const path = at('posts.zip');
  writeFileSync(path, bytes);
  const rows: Row[] = [];
  for (const feed of await openFeeds(path)) {
    for await (const some of feed.rows()) rows.push(...some);
  }
  return rows;
}

const lines = Array.from({ length: 40 }, (_, i) => `${i},text ${i * i}\n`).join('');
const ARCHIVE = zipSync({
  'data/tweets.js': [
    strToU8(
      `window.YTD.tweets.part0 = [${'{"tweet":{"id":"1","full_text":"oat"}},'.repeat(30)}{}]`,
    ),
    { level: 6 },
  ],
  'data/account.js': strToU8('window.YTD.account.part0 = [{"account":{"username":"ann"}}]'),
});
const PLAIN = zipSync({
  'a.csv': [strToU8(`id,text\n${lines}`), { level: 0 }],
  'b.txt': strToU8('id,text\n1,a\n'),
});
const PACKED = gzipSync(`id,text\n${lines}`);

/** An entry whose extra field for 64-bit lengths is too short for one. */
const NARROW = zipSync({ 'a.csv': [strToU8('id,text\n'), { extra: { 1: new Uint8Array(4) } }] });

/** The positions of the directory's first entry, and of the end record. */
const directoryAt = (zip: Uint8Array): number =>
  new DataView(zip.buffer).getUint32(zip.length - 6, true);

/** A zip with some bytes changed. */
function changed(zip: Uint8Array, place: number, bytes: readonly number[]): Uint8Array {
  const copy = new Uint8Array(zip);
  copy.set(bytes, place);
  return copy;
}

const FULL = [0xff, 0xff, 0xff, 0xff];

/** The message for each kind of damage. */
const DAMAGES: readonly [name: string, zip: () => Uint8Array, message: string][] = [
  ['cut off', () => ARCHIVE.subarray(0, 100), 'is cut off: the zip ends at byte 100'],
  [
    'a directory beyond the file',
    () => changed(PLAIN, PLAIN.length - 6, FULL),
    'directory is damaged',
  ],
  [
    'more entries than there are',
    () => changed(PLAIN, PLAIN.length - 12, [9]),
    'directory is damaged',
  ],
  [
    'a name beyond the directory',
    () => changed(PLAIN, directoryAt(PLAIN) + 28, [0xff, 0xff]),
    'directory is damaged',
  ],
  [
    'an entry beyond the file',
    () => changed(PLAIN, directoryAt(PLAIN) + 20, [0xf0, 0xff, 0xff, 0x0f]),
    'overlaps what follows',
  ],
  [
    'a length that needs 64 bits',
    () => changed(PLAIN, directoryAt(PLAIN) + 20, FULL),
    'directory is damaged',
  ],
  [
    'a field for 64 bits that is too short',
    () => changed(NARROW, directoryAt(NARROW) + 20, FULL),
    'directory is damaged',
  ],
  [
    'an entry elsewhere',
    () => changed(PLAIN, directoryAt(PLAIN) + 42, [5]),
    'no zip entry at byte 5',
  ],
  ['two entries of the same bytes', () => overlapping(), 'overlaps what follows'],
  ['an encrypted entry', () => changed(PLAIN, directoryAt(PLAIN) + 8, [1]), 'is encrypted'],
  ['another way of packing', () => changed(PLAIN, directoryAt(PLAIN) + 10, [14]), 'zip method 14'],
  [
    'a part of a split zip',
    () => changed(PLAIN, PLAIN.length - 18, [2]),
    'is one part of a split zip',
  ],
  [
    'a length that cannot be true',
    () => changed(PLAIN, directoryAt(PLAIN) + 24, [0, 0, 0, 9]),
    'cannot contain',
  ],
  [
    'a wrong checksum',
    () => changed(PLAIN, directoryAt(PLAIN) + 16, [1, 2, 3, 4]),
    'its checksum in the zip does not match',
  ],
  [
    'a flipped byte of a row',
    () => changed(PLAIN, 60, [0x39]),
    'its checksum in the zip does not match',
  ],
];

/** A zip whose second entry points to the bytes of the first. */
function overlapping(): Uint8Array {
  const zip = new Uint8Array(PLAIN);
  const first = directoryAt(zip);
  const second = first + 46 + 'a.csv'.length;
  zip.copyWithin(second + 10, first + 10, first + 28);
  zip.copyWithin(second + 42, first + 42, first + 46);
  return zip;
}

describe('a zip', () => {
  test.each(DAMAGES)('with %s is refused with a message', async (_, zip, message) => {
    await expect(read(zip())).rejects.toMatchObject({
      name: 'FeedError',
      message: expect.stringContaining(message) as string,
    });
  });

  it('names entries in messages without terminal control characters', async () => {
    const zip = zipSync({ 'a\u001b[31m\n.csv': strToU8('"x') });
    await expect(read(zip)).rejects.toThrow('posts.zip/a\ufffd[31m\ufffd.csv: has no header line');
  });
});

describe('compressed files with changed or missing bytes', () => {
  it('give their rows, or a FeedError with a message', async () => {
    const files = [ARCHIVE, PLAIN, PACKED];
    const whole: number[] = [];
    for (const file of files) whole.push((await read(file)).length);
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: files.length - 1 }),
        fc.array(change, { maxLength: 4 }),
        fc.option(fc.nat()),
        // Fields at the end locate everything: they change as often as all the rest.
        fc.boolean(),
        async (which, changes, cut, nearEnd) => {
          const bytes = new Uint8Array(files[which] ?? PLAIN);
          for (const [place, value] of changes) {
            const n = nearEnd ? Math.min(200, bytes.length) : bytes.length;
            bytes[bytes.length - n + (place % n)] = value;
          }
          const end = cut === null ? bytes.length : cut % bytes.length;
          const result = await read(bytes.subarray(0, end)).catch((error: unknown) => error);
          if (result instanceof Error) {
            expect(result.name).toBe('FeedError');
            expect(result.message).not.toMatch(/out of range|outside buffer|undefined|NaN/);
          } else if (Array.isArray(result)) {
            expect(result.length).toBeLessThanOrEqual(whole[which] ?? 0);
          }
        },
      ),
      { numRuns: runs(400) },
    );
  });
});
