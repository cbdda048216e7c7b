import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { extract, pack } from 'tar-stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { BackupError } from '#server/backup/manifest.ts';
import { readBackup } from '#server/backup/restore.ts';
import { metaOf } from '#server/db/meta.ts';
import { checkPosts } from '#server/maintenance/check.ts';
import { openService } from '#server/auth/store.ts';
import { Actor } from '#tests/server/crash/script.ts';
import { openQuickly, random } from '#tests/server/crash/files.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { AT, backUp, CALENDAR, contentsOf, digest, makeData } from './data.ts';
import { StoreError } from '#server/db/store-error.ts';

const path = temporaryFolder();

let places = 0;
/** Reads a backup into a new folder. @returns The folder. */
async function read(file: string): Promise<string> {
  const folder = path(`read-${++places}`);
  await readBackup(file, {
    signal: new AbortController().signal,
    onProgress: () => {},
    begin: () => {
      mkdirSync(folder);
      return folder;
    },
  });
  return folder;
}

const file = path('backup.tar');
let archive: Buffer;
let original: Map<string, string>;
beforeAll(async () => {
  makeData(path('data'));
  expect(await backUp(path('data'), file)).toEqual({
    bytes: statSync(file).size,
    stores: 7,
    media: 3,
    token: true,
  });
  archive = readFileSync(file);
  original = contentsOf(path('data'));
});

/** The entries of an archive, in order. */
async function entriesOf(bytes: Buffer): Promise<Map<string, Buffer>> {
  const tar = extract();
  tar.end(bytes);
  const found = new Map<string, Buffer>();
  for await (const entry of tar) {
    found.set(entry.header.name, await buffer(entry as AsyncIterable<Uint8Array> as never));
  }
  return found;
}

/** An archive of other entries. */
async function archiveOf(entries: Iterable<readonly [string, Buffer | string]>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of entries) tar.entry({ name }, content);
  tar.finalize();
  return await buffer(tar as AsyncIterable<Uint8Array> as never);
}

describe('a backup', () => {
  test('holds what its data folder holds, to the byte, readable for this user alone', async () => {
    const folder = await read(file);
    expect(contentsOf(folder)).toEqual(original);
    const service = openService(join(folder, 'service.sqlite'), { random });
    const url = 'https://example.com/fairs.ics';
    expect(service.calendars.list()).toEqual([{ ...CALENDAR, id: '1', url, fault: null }]);
    service.close();
    expect(original.size).toBe(12);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is a tar archive with a manifest first and the sums of all parts last', async () => {
    const entries = await entriesOf(archive);
    const names = [...entries.keys()];
    expect([names[0], names.at(-1)]).toEqual(['groundswell-backup.json', 'checksums.sha256']);
    const manifest = JSON.parse(String(entries.get(names[0]!)));
    expect(manifest).toMatchObject({
      format: 1,
      version: '0.1.0',
      createdAt: new Date(AT).toISOString(),
    });
    const sums = names.slice(0, -1).map((name) => `${digest(entries.get(name)!)}  ${name}\n`);
    expect(String(entries.get('checksums.sha256'))).toBe(sums.join(''));
  });

  test('overwrites nothing and leaves no part of itself when it fails or is aborted', async () => {
    const before = readdirSync(path(''));
    await expect(backUp(path('data'), file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(backUp(path('data'), path('absent/a.tar'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const stop = new AbortController();
    const stopped = backUp(path('data'), path('stopped.tar'), {
      signal: stop.signal,
      onStep: (step) => step === 'posts.sqlite' && stop.abort(),
    });
    await expect(stopped).rejects.toThrow('abort');
    expect(readdirSync(path(''))).toEqual(before);
    expect(readFileSync(file).equals(archive)).toBe(true);
  });

  test('of stores that a newer program wrote is refused', async () => {
    const folder = path('newer');
    mkdirSync(folder);
    const db = openQuickly(join(folder, 'posts.sqlite'));
    db.write('test', () => metaOf(db).put('format', 99));
    db.close();
    const failed = backUp(folder, path('newer.tar'));
    await expect(failed).rejects.toSatisfy(
      (error) => error instanceof StoreError && error.reason === 'newer-version',
    );
  });

  test(
    'while others write is as of its beginning, and loses no event between two stores',
    { tags: 'long' },
    async () => {
      const folder = path('busy');
      makeData(folder, 3000);
      const store = join(folder, 'posts.sqlite');
      const actor = new Actor(() => openQuickly(store));
      const service = openService(join(folder, 'service.sqlite'), { random });
      let ids = 900_000;
      let writes = 0;
      await backUp(folder, path('busy.tar'), {
        onProgress: () => {
          writes += 1;
          actor.act({ what: 'import', from: (ids += 100), posts: 20 });
          service.outbox.add([{ type: 'follow.follow', users: ['1', '2'], body: {} }], AT);
        },
      });
      actor.close();
      service.close();
      expect(writes).toBeGreaterThan(15);
      const restored = await read(path('busy.tar'));
      const work = checkPosts(join(restored, 'posts.sqlite'), { random });
      let step = work.next();
      while (!step.done) step = work.next();
      expect([step.value.problems, step.value.posts]).toEqual([0, 3000]);
      const there = openService(join(restored, 'service.sqlite'), { random });
      expect(there.outbox.oldest(10)).toEqual([]);
      there.close();
    },
  );
});

describe('a file that is not a whole backup of this version', () => {
  /** The reason a file is refused. */
  async function refusal(bytes: Buffer): Promise<string> {
    const other = path(`other-${++places}`);
    writeFileSync(other, bytes);
    const error: unknown = await read(other).then(
      () => null,
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(BackupError);
    return (error as Error).message.replace(other, 'FILE');
  }

  const FOREIGN = 'FILE is not a backup of Groundswell. Nothing was restored.';
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['an empty file', () => Buffer.alloc(0)],
    ['text', () => Buffer.from('id,text\n1,tea\n'.repeat(100))],
    ['zeros', () => Buffer.alloc(10_240)],
    ['a database', () => readFileSync(path('data/service.sqlite'))],
    ['another archive', () => archiveOf([['a.txt', 'a']])],
    ['another manifest', () => archiveOf([['groundswell-backup.json', '{"format": "one"}']])],
    ['no JSON', () => archiveOf([['groundswell-backup.json', '{']])],
    ['a large manifest', () => archiveOf([['groundswell-backup.json', Buffer.alloc(2 ** 21, 32)]])],
  ])('is refused: %s', async (_, bytes) => {
    expect(await refusal(await bytes())).toBe(FOREIGN);
  });

  /** The backup with other entries. */
  const changed = async (change: (entries: Map<string, Buffer>) => void): Promise<Buffer> => {
    const entries = await entriesOf(archive);
    change(entries);
    return await archiveOf(entries);
  };
  const withManifest = (text: (text: string) => string): Promise<Buffer> =>
    changed((entries) => {
      const name = 'groundswell-backup.json';
      entries.set(name, Buffer.from(text(String(entries.get(name)))));
    });

  test.each<[string, string, () => Promise<Buffer>]>([
    [
      'of a newer format',
      'was written by a newer version of this program (9.0.0). Nothing was restored; use that version.',
      () =>
        withManifest((text) =>
          text.replace('"format": 1', '"format": 2').replace('0.1.0', '9.0.0'),
        ),
    ],
    [
      'with a newer store',
      'was written by a newer version of this program (0.1.0). Nothing was restored; use that version.',
      () => withManifest((text) => text.replace(/("posts.sqlite",\s+"format": )\d+/, '$199')),
    ],
    [
      'with an earlier store',
      'was written by an earlier version of this program (0.1.0). Nothing was restored; restore it with the last version that can, start that one, and back up with it.',
      () => withManifest((text) => text.replace(/("posts.sqlite",\s+"format": )\d+/, '$114')),
    ],
    [
      'with another part',
      'is damaged: the checksum of service.sqlite does not match. Nothing was restored.',
      () =>
        changed((entries) => entries.set('service.sqlite', readFileSync(path('data/ads.sqlite')))),
    ],
    [
      'without a part',
      'is damaged: ads.sqlite is missing. Nothing was restored.',
      () => changed((entries) => entries.delete('ads.sqlite')),
    ],
    [
      'with a part outside the data folder',
      'is damaged: it has the part "media/../../evil". Nothing was restored.',
      () =>
        changed((entries) => {
          const sums = entries.get('checksums.sha256')!;
          entries.delete('checksums.sha256');
          entries.set('media/../../evil', Buffer.from('evil')).set('checksums.sha256', sums);
        }),
    ],
    [
      'without its sums',
      'is incomplete: it was cut off. Nothing was restored.',
      () => changed((entries) => entries.delete('checksums.sha256')),
    ],
  ])('is refused: %s', async (_, why, bytes) => {
    expect(await refusal(await bytes())).toBe(`FILE ${why}`);
    expect(existsSync(path('evil'))).toBe(false);
  });

  test('is refused if it is cut off before the end of its sums', async () => {
    const from = (await archiveEnd()) - 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: from }), async (size) => {
        expect(await refusal(archive.subarray(0, size))).toMatch(/Nothing was restored\.$/);
      }),
      { numRuns: runs(60) },
    );
  });

  /** The end of the last part of the archive. */
  async function archiveEnd(): Promise<number> {
    const sums = (await entriesOf(archive)).get('checksums.sha256')!;
    return archive.lastIndexOf(sums) + sums.length;
  }

  test('restores what was backed up, or is refused, whichever bit of it changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.nat(archive.length - 1), fc.nat(3000)),
        fc.nat(7),
        async (at, bit) => {
          const bytes = Buffer.from(archive);
          bytes[at]! ^= 1 << bit;
          const other = path('flipped');
          writeFileSync(other, bytes);
          const folder = await read(other).catch((error: unknown) => {
            expect(error).toBeInstanceOf(BackupError);
            return null;
          });
          if (folder === null) return;
          expect(contentsOf(folder)).toEqual(original);
          rmSync(folder, { recursive: true });
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
