import fc from 'fast-check';
import { strFromU8, strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openArchive } from '#app/counts/files/archive.ts';
import type { Manifest } from '#app/counts/files/archive-schema.ts';
import { Fault } from '#contract/fault.ts';
import { archiveOf, boundaries, flipped, partsOf } from '#tests/support/data/archives.ts';
import { long } from '#tests/support/run/long.ts';
import { runs } from '#tests/support/run/runs.ts';
import { writeArchive } from '#app/counts/files/write-archive.ts';
import type { ArchiveKind } from '#app/counts/files/archive-kind.ts';

const MANIFEST: Manifest = { groundswell: 'backup', version: 1, boards: [] };
const cells = Uint8Array.from({ length: 744 }, (_, i) => (i * 7) % 11);
const PARTS = [
  { name: 'series/1.json', pieces: [strToU8('{"any":'), strToU8('"thing"}')] },
  { name: 'cells/1-hour.bin', pieces: [cells] },
  { name: 'fixed/1.bin', pieces: [new Uint8Array(0)] },
];

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

/** The whole content of a file. */
async function contentOf(file: Blob): Promise<unknown> {
  const { archive, manifest } = await openArchive(file, 'backup');
  const parts: [string, Uint8Array][] = [];
  for (const name of archive.names) parts.push([name, (await archive.bytes(name)).slice()]);
  archive.finish();
  return { manifest, parts };
}

/** The reason for which a file is rejected. */
async function refusal(file: Blob, kind: ArchiveKind = 'backup'): Promise<string> {
  const read = kind === 'backup' ? contentOf(file) : openArchive(file, kind);
  const error: unknown = await read.then(
    () => 'read',
    (error: unknown) => error,
  );
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  expect(error.body.type).toBe(`groundswell:bad-${kind}`);
  expect(error.body.title).toBe(`This file cannot be read as a ${kind}`);
  return error.body.detail ?? '';
}

const whole = await bytesOf(await writeArchive(MANIFEST, PARTS));

describe('an archive', () => {
  it('is a zip that other programs unpack', async () => {
    const parts = await partsOf(new Blob([Uint8Array.from(whole)]));
    expect([...parts.keys()]).toEqual(['manifest.json', ...PARTS.map(({ name }) => name)]);
    expect(JSON.parse(strFromU8(parts.get('manifest.json') as Uint8Array))).toEqual(MANIFEST);
    expect(parts.get('cells/1-hour.bin')).toEqual(cells);
  });

  it('returns its parts unchanged, and has the same bytes for the same parts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.uint8Array(), { maxLength: 3 })), async (all) => {
        const parts = all.map((pieces, i) => ({ name: `fixed/${i + 1}.bin`, pieces }));
        const file = await writeArchive(MANIFEST, parts);
        const { archive, manifest } = await openArchive(file, 'backup');
        expect(manifest).toEqual(MANIFEST);
        for (const { name, pieces } of parts) {
          expect([...(await archive.bytes(name))]).toEqual(pieces.flatMap((piece) => [...piece]));
        }
        archive.finish();
        expect(await bytesOf(await writeArchive(MANIFEST, parts))).toEqual(await bytesOf(file));
      }),
      { numRuns: runs(50) },
    );
  });

  it('packs counts that begin with zeros so that every program unpacks them', async () => {
    // When streaming, fflate 0.8.3 packs these to 12 bytes that zlib rejects: "invalid distance too far back".
    const counts = new Uint8Array(Uint16Array.from({ length: 31 }).fill(300, 5, 15).buffer);
    const parts = [{ name: 'cells/1-day.bin', pieces: [counts] }];
    const file = await writeArchive(MANIFEST, parts);
    expect((await partsOf(file)).get('cells/1-day.bin')).toEqual(counts);
    const { archive } = await openArchive(file, 'backup');
    expect([...(await archive.bytes('cells/1-day.bin'))]).toEqual([...counts]);
  });

  it('begins with its kind, which is not compressed', () => {
    expect(strFromU8(whole.subarray(30, 100), true)).toMatch(
      /^manifest\.json\{"groundswell":"backup"/u,
    );
  });

  it('is rejected or has the same content when any bit is flipped', async () => {
    const same = await contentOf(new Blob([Uint8Array.from(whole)]));
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
        const content = await contentOf(flipped(whole, bit)).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Fault);
          refused += 1;
          return same;
        });
        expect(content).toEqual(same);
      }),
      { numRuns: long() ? 20_000 : 400 },
    );
    expect(refused).toBeGreaterThan(200);
  });

  it('is rejected if it is cut off, even between parts, or followed by other bytes', async () => {
    const cuts = fc.oneof(fc.constantFrom(...boundaries(whole)), fc.nat(whole.length - 1));
    await fc.assert(
      fc.asyncProperty(cuts, async (cut) => {
        expect(await refusal(new Blob([whole.slice(0, cut)]))).toMatch(
          cut < 4 ? /not a Groundswell file/u : /damaged or was cut off/u,
        );
        if (cut > 0) await refusal(new Blob([whole.slice(cut)]));
      }),
      { numRuns: runs(200) },
    );
    expect(await refusal(new Blob([Uint8Array.of(...whole, 0)]))).toMatch(
      /damaged or was cut off/u,
    );
  });

  const manifest = (text: string): [string, Uint8Array] => ['manifest.json', strToU8(text)];
  const own = manifest(JSON.stringify(MANIFEST));
  it.each<[string, Blob, RegExp]>([
    ['is empty', new Blob([]), /not a Groundswell file: it begins with other bytes/u],
    ['is text', new Blob(['query,label,start_utc']), /it begins with other bytes/u],
    [
      'is another zip',
      archiveOf([['data/tweets.js', strToU8('[]')]]),
      /not a Groundswell file: it has no manifest\.json/u,
    ],
    [
      'was repacked by another program',
      new Blob([Uint8Array.from(zipSync({ 'manifest.json': own[1] }))]),
      /its parts do not follow one another/u,
    ],
    ['has a manifest that is not JSON', archiveOf([manifest('{')]), /Its manifest is not JSON/u],
    [
      'has a manifest of something else',
      archiveOf([manifest('{"name":"an extension","version":"1"}')]),
      /its manifest does not say what it is/u,
    ],
    ['has no object as manifest', archiveOf([manifest('null')]), /does not say what it is/u],
    [
      'has an inherited name as its kind',
      archiveOf([manifest('{"groundswell":"toString","version":1}')]),
      /does not say what it is/u,
    ],
    [
      'is a bundle',
      archiveOf([manifest('{"groundswell":"bundle","version":1}')]),
      /It is a bundle, not a backup/u,
    ],
    [
      'has a newer version',
      archiveOf([manifest('{"groundswell":"backup","version":2}'), ['new/1.bin', cells]]),
      /A newer version of Groundswell wrote it: its format has version 2, and this one reads version 1/u,
    ],
    [
      'has a version that is not a number',
      archiveOf([manifest('{"groundswell":"backup","version":{"toString":1}}')]),
      /its format has version \{"toString":1\},/u,
    ],
    [
      'has a manifest with an unknown field',
      archiveOf([manifest('{"groundswell":"backup","version":1,"boards":[],"x":1}')]),
      /Its manifest is not valid: x/u,
    ],
    [
      'nests deeply',
      archiveOf([manifest('['.repeat(9_000))]),
      /nests more than 256 levels deep \(at position 257\)/u,
    ],
    [
      'has many objects',
      archiveOf([manifest(`[${'[],'.repeat(1_100_000)}0]`)]),
      /more than 1000000 objects and lists/u,
    ],
    ['leads out of its folder', archiveOf([own, ['../../etc/passwd', cells]]), /"\.\.\/\.\.\/etc/u],
    ['has an absolute path', archiveOf([own, ['/fixed/1.bin', cells]]), /"\/fixed\/1\.bin"/u],
    ['has an unknown part', archiveOf([own, ['notes.txt', cells]]), /unknown part "notes\.txt"/u],
    [
      'has a part twice',
      archiveOf([own, ['fixed/1.bin', cells], ['fixed/1.bin', cells]]),
      /its parts do not follow/u,
    ],
  ])('is rejected if it %s', async (_, file, words) => {
    expect(await refusal(file)).toMatch(words);
  });

  it('is rejected if it lacks a part, or has one that nothing refers to', async () => {
    const { archive } = await openArchive(new Blob([Uint8Array.from(whole)]), 'backup');
    await expect(archive.bytes('series/2.json')).rejects.toMatchObject({
      body: { detail: 'Its part "series/2.json" is missing.' },
    });
    await archive.bytes('series/1.json');
    expect(() => archive.finish()).toThrow('Nothing in it refers to its part "cells/1-hour.bin".');
  });
});

describe('the limits of an archive', () => {
  /** Changes a field of every entry in the directory of a file. */
  async function withField(file: Blob, place: number, value: number): Promise<Blob> {
    const bytes = await bytesOf(file);
    const view = new DataView(bytes.buffer);
    const end = bytes.length - 22;
    for (let at = view.getUint32(end + 16, true); at < end;) {
      view.setUint32(at + place, value, true);
      at += 46 + view.getUint16(at + 28, true);
    }
    return new Blob([Uint8Array.from(bytes)]);
  }
  const UNPACKED = 24;

  it('reject an entry that declares more than its bytes can unpack to, without reading it', async () => {
    const file = archiveOf([['fixed/1.bin', new Uint8Array(1)]]);
    expect(await refusal(await withField(file, UNPACKED, 2 ** 20))).toMatch(
      /unpacks to more than a backup may have, at "fixed\/1\.bin"/u,
    );
  });

  it('reject an entry that unpacks to more than it declares', async () => {
    const file = archiveOf([
      ['manifest.json', strToU8(JSON.stringify(MANIFEST))],
      ['fixed/1.bin', new Uint8Array(100_000)],
    ]);
    const bytes = await bytesOf(file);
    const view = new DataView(bytes.buffer);
    const at = boundaries(bytes).at(-2) as number;
    expect(view.getUint32(at + UNPACKED, true)).toBe(100_000);
    view.setUint32(at + UNPACKED, 99_999, true);
    expect(await refusal(new Blob([Uint8Array.from(bytes)]))).toMatch(
      /its part "fixed\/1\.bin" is not as it was written/u,
    );
  });

  it.each<[ArchiveKind, number]>([
    ['bundle', 2 ** 30],
    ['board', 2 ** 27],
  ])('reject a %s by the total unpacked size of its entries, unread', async (kind, most) => {
    const size = 2 ** 27;
    const count = Math.floor(most / size) + 1;
    const names = Array.from({ length: count }, (_, i) => `fixed/${i + 1}.bin`);
    // Each entry has enough packed bytes for its declared size, so that only the sum is too large.
    let state = 1;
    const noise = Uint8Array.from({ length: 140_000 }, () => {
      state = Math.imul(state, 1_664_525) + 1_013_904_223;
      return state >>> 24;
    });
    const bomb = archiveOf(names.map((name) => [name, noise]));
    expect(await refusal(await withField(bomb, UNPACKED, size), kind)).toMatch(
      new RegExp(`unpacks to more than a ${kind} may have, at "fixed/${count}\\.bin"`, 'u'),
    );
  });

  it.each<[ArchiveKind, number]>([
    ['bundle', 2 ** 29],
    ['board', 2 ** 25],
  ])('reject a %s file that is too large, without reading it', async (kind, most) => {
    const large = { size: most + 1 } as Blob;
    expect(await refusal(large, kind)).toBe(
      `It has ${most + 1} bytes; a ${kind} has at most ${most}.`,
    );
  });

  it('also apply to writing', async () => {
    const zeros = new Uint8Array(2 ** 24);
    const pieces = Array.from({ length: 17 }, () => zeros);
    const large = writeArchive(MANIFEST, [{ name: 'fixed/1.bin', pieces }]);
    await expect(large).rejects.toThrow(/more than 268435456 bytes in one part/u);
  });
});
