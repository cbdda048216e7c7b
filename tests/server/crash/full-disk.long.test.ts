import { copyFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Random } from '#server/sample/random.ts';
import { needsCompaction } from '#server/maintenance/compact.ts';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { long } from '#tests/support/run/long.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { makeFull, makeSmall, random } from './files.ts';
import { proveHeld, proveWhole, type Held } from './proof.ts';
import { Actor, type Action } from './script.ts';
import { StoreError } from '#server/db/store-error.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = temporaryFolder();
const held = {} as Record<'full' | 'small', Held>;
beforeAll(() => {
  held.full = makeFull(folder('full'));
  copyFileSync(folder('full'), folder('small'));
  held.small = makeSmall(folder('small'), held.full);
});

let copies = 0;

/** A file on a disk with adjustable space. */
class Disk {
  readonly held: Held;
  readonly actor: Actor;
  readonly #reader: Db;
  readonly #source;
  #writer: Db | null = null;
  #most = 2 ** 30;
  #step = '';

  constructor(name: 'full' | 'small') {
    const file = folder(`copy-${copies++}`);
    copyFileSync(folder(name), file);
    this.held = held[name];
    this.#reader = openPosts(file, { random });
    this.#source = openSource(file, { random });
    this.actor = new Actor(() => {
      const db = openPosts(file, { random }, { onStep: (step) => (this.#step = step) });
      db.exec(`PRAGMA synchronous = OFF; PRAGMA max_page_count = ${this.#most}`);
      this.#writer ??= db;
      return db;
    });
  }

  pages(): number {
    return Number(this.#reader.prepare('PRAGMA page_count').get()?.[0]);
  }

  /** Lets the file grow by that many pages of 8 KiB: SQLite's own limit, reported like a full disk. */
  room(pages: number): void {
    this.#most = pages === Infinity ? 2 ** 30 : this.pages() + pages;
    this.#writer?.exec(`PRAGMA max_page_count = ${this.#most}`);
  }

  /** The step in which an action fails because the disk is full; null if it succeeds. */
  fails(action: Action): string | null {
    try {
      this.actor.act(action);
      return null;
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'full') return this.#step;
      throw error;
    }
  }

  /** Checks the whole content of the file, through readers that were open before. */
  prove(held: Held): void {
    proveHeld(this.#reader, this.#source, [held]);
    proveWhole(this.#reader);
  }

  get needsCompaction(): boolean {
    return needsCompaction(this.#reader);
  }

  close(): void {
    this.actor.close();
    this.#source.close();
    this.#reader.close();
  }
}

type Case = readonly [name: 'full' | 'small', step: string, action: Action];

/** Every step that needs space, each in the smaller of the files that have it. */
const STEPS: readonly Case[] = [
  ['small', 'import', { what: 'import', from: 110_001, posts: 700 }],
  ['small', 'objects', { what: 'objects', from: 200_001 }],
  ['full', 'seal: write', { what: 'compact' }],
  ['small', 'compact: write', { what: 'compact' }],
  ['small', 'reindex: write', { what: 'reindex' }],
];
const LARGE: readonly Case[] = [['full', 'import', { what: 'import', from: 110_001, posts: 700 }]];

describe('on a full disk', () => {
  test.each([
    ['create', (i: number): Action => ({ what: 'create', id: 100_000 + i })],
    ['edit', (i: number): Action => ({ what: 'edit', previous: 1000 + 7 * i, id: 100_000 + i })],
    ['delete', (i: number): Action => ({ what: 'delete', id: 1000 + 7 * i })],
  ])('a %s fails and leaves nothing, and succeeds once there is space again', (step, nth) => {
    const disk = new Disk('full');
    disk.room(0);
    const done: Action[] = [];
    let failed: string | null = null;
    while (done.length < 1000) {
      failed = disk.fails(nth(done.length));
      if (failed !== null) break;
      done.push(nth(done.length));
    }
    expect(failed).toBe(step);
    disk.prove(disk.held.with(...done));
    expect(disk.fails(nth(done.length))).toBe(step);
    disk.room(Infinity);
    expect(disk.fails(nth(done.length))).toBeNull();
    disk.prove(disk.held.with(...done, nth(done.length)));
    disk.close();
  });

  test.each(long() ? [...STEPS, ...LARGE] : STEPS)(
    '(%s) %s fails with any amount of space that is too small, and harms nothing',
    (name, step, action) => {
      const free = new Disk(name);
      const before = free.pages();
      expect(free.fails(action)).toBeNull();
      const needed = free.pages() - before;
      free.close();
      expect(needed).toBeGreaterThan(1);
      const pick = new Random(needed);
      const rooms = long()
        ? [0, pick.below(needed), pick.below(needed), needed - 1]
        : [0, pick.below(needed)];
      const steps = rooms.map((room) => {
        const disk = new Disk(name);
        disk.room(room);
        const failed = disk.fails(action);
        disk.prove(disk.held);
        // Still full: trying again makes nothing worse; single changes may succeed or fail.
        expect([room, disk.fails(action)]).not.toEqual([room, null]);
        disk.prove(disk.held);
        disk.room(Infinity);
        expect(disk.fails(action)).toBeNull();
        disk.prove(disk.held.with(action));
        if (action.what === 'compact') expect(disk.needsCompaction).toBe(false);
        disk.close();
        return failed;
      });
      expect(steps[0]).toBe(step);
      expect(steps).not.toContain(null);
    },
  );
});
