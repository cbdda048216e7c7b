import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Random } from '#server/sample/random.ts';
import type { KillPoint } from './child.ts';
import { removeUnfinished } from '#server/db/create.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import { makeFull, makeSmall, makeUnindexed } from './files.ts';
import { openBench, type Bench, type Outcome } from './killed.ts';
import { proveAftermath, type Scene } from './aftermath.ts';
import { Held } from './proof.ts';
import { OBJECTS, POLLS, REPOSTED, REPOSTS, type Action } from './script.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const CHANGES: readonly Action[] = [
  { what: 'create', id: 100_001 },
  { what: 'edit', previous: 10_010, id: 100_002 },
  { what: 'delete', id: 10_012 },
  { what: 'import', from: 110_001, posts: 40 },
  { what: 'edit', previous: 20_020, id: 100_003 },
  { what: 'delete', id: 30_020 },
  { what: 'create', id: 30_020 },
  { what: 'poll', id: POLLS, target: 20_021 },
  { what: 'edit', previous: POLLS, id: 100_006 },
  { what: 'edit', previous: 100_006, id: 100_007 },
  { what: 'poll', id: POLLS + 1, target: 100_007 },
  // A version in the middle: the whole chain goes.
  { what: 'delete', id: 100_006 },
];

const RELATIONS: readonly Action[] = [
  { what: 'like', source: 7, target: 10_010 },
  { what: 'repost', source: 7, target: 10_010, id: 100_001 },
  { what: 'like', source: 8, target: 10_010 },
  { what: 'unlike', source: 7, target: 10_010 },
  { what: 'repost', source: 8, target: 10_010, id: 100_002 },
  { what: 'unrepost', source: 7, target: 10_010, id: 100_001 },
];

/** Every change that apps pay for, as the service makes it. */
const CHARGED: readonly Action[] = [
  { what: 'create', id: 100_001, charged: true },
  { what: 'create', id: 100_002, charged: true },
  { what: 'poll', id: POLLS, target: 20_021, charged: true },
  { what: 'edit', previous: 100_001, id: 100_003, charged: true },
  { what: 'like', source: 7, target: 10_010, charged: true },
  { what: 'follow', source: 7, target: 600_001, charged: true },
  { what: 'repost', source: 7, target: 10_010, id: 100_004, charged: true },
  { what: 'unlike', source: 7, target: 10_010, charged: true },
  { what: 'unrepost', source: 7, target: 10_010, id: 100_004, charged: true },
  { what: 'delete', id: 100_002, charged: true },
  { what: 'import', from: REPOSTS, posts: 300 },
  // First some of the reposts, then the rest with the Post: only that is charged.
  { what: 'delete', id: REPOSTED, charged: true },
  { what: 'delete', id: REPOSTED, charged: true },
];

const LISTS: readonly Action[] = [
  { what: 'addList', id: 500_001, charged: true },
  { what: 'addList', id: 500_002, charged: true },
  { what: 'addMember', source: 500_001, target: 8, charged: true },
  { what: 'addMember', source: 500_001, target: 9, charged: true },
  { what: 'setList', id: 500_001, private: true, charged: true },
  { what: 'addMember', source: 500_001, target: 10, charged: true },
  { what: 'removeMember', source: 500_001, target: 8, charged: true },
  { what: 'setList', id: 500_001, private: false, charged: true },
  { what: 'removeMember', source: 500_001, target: 9, charged: true },
  { what: 'removeList', id: 500_001, charged: true },
];

const ARCHIVE: readonly Action[] = [
  { what: 'archive', from: 700_001, relations: 40 },
  { what: 'create', id: 100_001 },
];

const COLLECTIONS: readonly Action[] = [
  { what: 'collect', into: 'a.csv', from: 120_001, posts: 30 },
  { what: 'collect', into: 'b.csv', from: 130_001, posts: 20 },
  // Posts of both.
  { what: 'collect', into: 'b.csv', from: 120_011, posts: 10 },
  { what: 'rename', into: 'b.csv', name: 'Autumn' },
  { what: 'exclude', into: 'a.csv' },
  { what: 'compact' },
  { what: 'include', into: 'a.csv' },
  { what: 'discard', into: 'b.csv' },
  { what: 'restore', into: 'b.csv' },
  { what: 'discard', into: 'a.csv' },
  { what: 'purge', only: 'posts' },
  { what: 'purge' },
];

const WORK: readonly Action[] = [
  { what: 'import', from: 110_001, posts: 40 },
  { what: 'compact', yields: 2 },
  { what: 'delete', id: 40_030 },
  { what: 'compact' },
  { what: 'reindex', yields: 1 },
  { what: 'edit', previous: 30_031, id: 100_004 },
  { what: 'delete', id: 110_003 },
  { what: 'reindex' },
  { what: 'create', id: 100_005 },
];

/**
 * Scenes that the short form leaves out: `charged` has the changes of the first two, each together with its charge, and
 * `objects` also adds more than a writer holds.
 */
const LONG_SCENES: readonly string[] = ['changes', 'relations', 'large archive'];

const random = countingBytes();
let bench: Bench;
const scenes = new Map<string, Scene>();
/** For each scene, what its script does if nothing ends it. */
const whole = new Map<string, Outcome>();

beforeAll(async () => {
  bench = openBench();
  const full = makeFull(bench.file('full'));
  const small = bench.copy(bench.file('full'));
  const set = (name: string, held: Held, script: readonly Action[], file = bench.file(name)) => {
    if (long() || !LONG_SCENES.includes(name)) scenes.set(name, { file, held, script });
  };
  set('full', full, [
    { what: 'compact', yields: 2 },
    { what: 'delete', id: 100 },
    { what: 'create', id: 100_001 },
    { what: 'compact' },
  ]);
  const held = makeSmall(small, full);
  set('changes', held, CHANGES, small);
  set('relations', held, RELATIONS, small);
  set('charged', held, CHARGED, small);
  set('lists', held, LISTS, small);
  set('archive', held, ARCHIVE, small);
  const large: Action = { what: 'archive', from: 710_001, relations: OBJECTS };
  set('large archive', held, [large], small);
  set('collections', held, COLLECTIONS, small);
  set('work', held, WORK, small);
  set(
    'objects',
    held,
    [
      { what: 'objects', from: 200_001 },
      { what: 'create', id: 100_001 },
    ],
    small,
  );
  set('unindexed', makeUnindexed(bench.file('unindexed')), [
    { what: 'reindex' },
    { what: 'create', id: 100_001 },
  ]);
  for (const [name, { file, script }] of scenes) {
    whole.set(name, await bench.run(bench.copy(file), script, null));
  }
});
afterAll(() => bench.remove());

const ALL_STEPS = [
  ['unindexed', 'reindex: sums'],
  ['changes', 'create'],
  ['changes', 'edit'],
  ['changes', 'remove'],
  ['changes', 'create putObjects answer'],
  ['changes', 'import'],
  ['objects', 'objects'],
  ['relations', 'relate'],
  ['relations', 'unrelate'],
  ['relations', 'repost'],
  ['relations', 'unrepost'],
  ['charged', 'create charge'],
  ['charged', 'create putObjects answer charge'],
  ['charged', 'edit charge'],
  ['charged', 'relate charge'],
  ['charged', 'unrelate charge'],
  ['charged', 'learn relate charge'],
  ['charged', 'repost charge'],
  ['charged', 'unrepost charge'],
  ['charged', 'import'],
  ['charged', 'remove charge'],
  ['lists', 'addList charge'],
  ['lists', 'setList charge'],
  ['lists', 'removeList charge'],
  ['lists', 'addMember charge'],
  ['lists', 'removeMember charge'],
  ['collections', 'collection'],
  ['collections', 'import'],
  ['collections', 'join'],
  ['collections', 'renameCollection'],
  ['collections', 'includeCollection'],
  ['collections', 'removeCollection'],
  ['collections', 'restoreCollection'],
  ['collections', 'purge'],
  ['archive', 'import'],
  ['large archive', 'relations'],
  ['full', 'seal: write'],
  ['full', 'seal'],
  ['work', 'compact: write'],
  ['work', 'compact'],
  ['work', 'clear'],
  ['work', 'reindex: write'],
  ['work', 'reindex'],
] as const;
const STEPS = ALL_STEPS.filter(([scene]) => long() || !LONG_SCENES.includes(scene));

/**
 * Points in a step, with random occurrence and statement: one of each kind in the long form. The short
 * form takes a single one, after the commit in every other step, and within the step in the rest.
 */
function pointsIn(step: string, statements: readonly number[], pick: Random): KillPoint[] {
  const any = (): number => 1 + pick.below(statements.length);
  const done: KillPoint = { step, at: 'done', n: any() };
  const busy = statements.flatMap((ran, i) => (ran > 0 ? [i] : []));
  const i = busy[pick.below(busy.length)];
  const within: KillPoint =
    i === undefined
      ? { step, at: 'commit', n: any() }
      : { step, at: 'within', n: i + 1, statements: 1 + pick.below(statements[i]!) };
  // Before the step begins equals after the previous one, and before its commit equals within it.
  if (long())
    return [done, within, { step, at: 'begin', n: any() }, { step, at: 'commit', n: any() }];
  return STEPS.findIndex(([, each]) => each === step) % 2 === 0 ? [within] : [done];
}

describe('a process that is killed', () => {
  test('is killed in every step, and each scene is correct without a kill', () => {
    for (const [name, outcome] of whole) {
      expect([name, outcome.killed, outcome.done]).toEqual([
        name,
        false,
        scenes.get(name)!.script.length,
      ]);
    }
    const met = [...whole.values()].flatMap(({ steps }) => Object.keys(steps ?? {}));
    const known = ALL_STEPS.map(([, step]) => String(step));
    expect(met.filter((step) => !known.includes(step))).toEqual([]);
    expect(STEPS.filter(([, step]) => !met.includes(step))).toEqual([]);
  });

  test.each(STEPS)(
    '(%s) in the step %s leaves what it reported as done, and all else complete',
    async (name, step) => {
      const scene = scenes.get(name)!;
      const points = pointsIn(step, whole.get(name)!.steps![step]!, new Random(STEPS.length));
      const outcomes = await Promise.all(
        points.map(async (point) => {
          const file = bench.copy(scene.file);
          return { point, file, outcome: await bench.run(file, scene.script, point) };
        }),
      );
      for (const { point, file, outcome } of outcomes) {
        expect([point, outcome.killed]).toEqual([point, true]);
        proveAftermath(file, scene, outcome);
      }
    },
  );
});

describe('a new store', () => {
  const script: readonly Action[] = [{ what: 'import', from: 1, posts: 20 }];

  test.each([
    ['migrate', 'begin', false],
    ['migrate', 'commit', false],
    ['migrate', 'done', false],
    ['place', 'begin', false],
    ['place', 'done', true],
  ] as const)(
    'is complete or absent if its process is killed at %s (%s), and the next process creates it',
    async (step, at, there) => {
      const folder = bench.file(`made-${step}-${at}`);
      mkdirSync(folder);
      const file = join(folder, 'store.sqlite');
      const outcome = await bench.run(file, script, { step, at, n: 1 });
      expect([outcome.killed, existsSync(file)]).toEqual([true, there]);
      removeUnfinished(folder);
      expect(readdirSync(folder)).toEqual(there ? ['store.sqlite'] : []);
      proveAftermath(file, { held: new Held(), script }, outcome);
    },
  );

  test('created by several processes at once is one store, with everything that each of them wrote', async () => {
    const file = bench.file('at-once');
    const scripts = [1, 1001, 2001, 3001].map((from): Action[] => [
      { what: 'import', from, posts: 20 },
    ]);
    const outcomes = await Promise.all(scripts.map((each) => bench.run(file, each, null)));
    expect(outcomes.map(({ done }) => done)).toEqual(scripts.map(() => 1));
    const all = scripts.flat();
    proveAftermath(file, { held: new Held(), script: all }, { ...outcomes[0]!, done: all.length });
  });

  test('keeps its log while this process has it open, whatever other processes open and close', async () => {
    const file = bench.file('shared');
    const first = openPosts(file, { random });
    // SQLite's locks belong to a process and a file: closing the file anywhere in this process releases
    // them.
    openPosts(file, { random }).close();
    const log = statSync(`${file}-wal`).ino;
    const outcome = await bench.run(file, script, null);
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino).toBe(log);
    first.close();
    proveAftermath(file, { held: new Held(), script }, outcome);
  });
});
