import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDb } from '#server/db/driver.ts';
import { openPlatform } from '#server/platform/store.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openService } from '#server/auth/store.ts';
import { countingBytes, temporaryFolder } from './folder.ts';
import { StoreError } from '#server/db/store-error.ts';

const file = temporaryFolder();
const random = countingBytes();

interface Closable {
  close(): void;
}

const KINDS: readonly (readonly [string, (name: string) => Closable])[] = [
  ['posts', (name) => openPosts(name, { random })],
  ['service', (name) => openService(name, { random })],
  ['platform', (name) => openPlatform(name)],
];

function errorOf(work: () => unknown): StoreError | null {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  return null;
}

/** A file name in a new folder. */
function alone(name: string): string {
  mkdirSync(file(name));
  return file(`${name}/store.sqlite`);
}

describe.each(KINDS)('%s', (kind, open) => {
  test('a file of 0 bytes is never a new store, and stays unchanged', () => {
    const name = alone(`${kind}-empty`);
    open(name).close();
    truncateSync(name, 0);
    rmSync(`${name}-wal`, { force: true });
    writeFileSync(`${name}-wal`, 'what may be left of it');
    const error = errorOf(() => open(name).close());
    expect(error?.reason).toBe('empty');
    expect(error?.message).toBe(
      `${name} is empty: its content is lost; restore it from a backup, or delete it to start again`,
    );
    expect(statSync(name).size).toBe(0);
    expect(readFileSync(`${name}-wal`, 'utf8')).toBe('what may be left of it');
  });

  test.each([1, 16, 60, 512, 8191])(
    'a file cut to %i bytes, less than a page, is damaged',
    (bytes) => {
      const name = alone(`${kind}-cut-${bytes}`);
      open(name).close();
      truncateSync(name, bytes);
      const before = readFileSync(name);
      expect(errorOf(() => open(name).close())?.reason).toBe('damaged');
      expect(readFileSync(name).equals(before)).toBe(true);
    },
  );

  test('a file cut to one page is damaged', () => {
    const name = alone(`${kind}-page`);
    open(name).close();
    truncateSync(name, 8192);
    expect(errorOf(() => open(name).close())?.reason).toBe('damaged');
  });

  test('a file of zeros, or a database of SQLite that another program made, is refused and stays unchanged', () => {
    const zeros = alone(`${kind}-zeros`);
    writeFileSync(zeros, Buffer.alloc(16_384));
    const bare = alone(`${kind}-bare`);
    const other = openDb(bare);
    // Like a new one, it has no table yet.
    other.exec('PRAGMA user_version = 1');
    other.close();
    for (const name of [zeros, bare]) {
      const before = readFileSync(name);
      expect(errorOf(() => open(name).close())?.reason).toBe('not-a-store');
      expect(readFileSync(name).equals(before)).toBe(true);
    }
  });

  test('a missing file with an existing log is not a new store', () => {
    const name = alone(`${kind}-log`);
    writeFileSync(`${name}-wal`, 'the latest of it');
    expect(errorOf(() => open(name).close())?.reason).toBe('missing');
    expect(existsSync(name)).toBe(false);
    expect(readFileSync(`${name}-wal`, 'utf8')).toBe('the latest of it');
    // A log that was checkpointed is empty.
    truncateSync(`${name}-wal`, 0);
    open(name).close();
    expect(errorOf(() => open(name).close())).toBeNull();
  });

  test('a missing file is created completely, for its user alone, without remains next to it', () => {
    const name = alone(`${kind}-new`);
    const store = open(name);
    const names = readdirSync(dirname(name)).filter(
      (each) => !/^store\.sqlite(-wal|-shm)?$/.test(each),
    );
    expect(names).toEqual([]);
    for (const each of readdirSync(dirname(name))) {
      expect(statSync(`${dirname(name)}/${each}`).mode & 0o777).toBe(0o600);
    }
    // Everything is in the file itself.
    copyFileSync(name, `${name}.copy`);
    open(`${name}.copy`).close();
    store.close();
  });
});

test('a file behind a link is the store, even if it is new', () => {
  const name = alone('linked');
  openPosts(name, { random }).close();
  symlinkSync(name, file('link.sqlite'));
  openPosts(file('link.sqlite'), { random }).close();
});
