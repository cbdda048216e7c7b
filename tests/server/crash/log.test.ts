import { afterAll, beforeEach, expect, it } from 'vitest';
import { long } from '#tests/support/run/long.ts';
import { logStage } from './log-stage.ts';

const stage = await logStage();
afterAll(() => stage.close());
beforeEach(() => {
  stage.received.length = 0;
});

const POSTS = 100;
/** The entries of the log from an import: each Post once, by time. */
const IMPORTED = Array.from({ length: POSTS }, (_, i) => `post.create ${1000 + i}`);
const AT = ['done', 'commit', 'begin'] as const;
/** Kills in writes; the first of them are the short form. */
const points = (short: number, writes: readonly (readonly [step: string, n: number])[]) =>
  writes
    .flatMap(([step, n]) => AT.map((at) => ({ step, n, at })))
    .slice(0, long() ? Infinity : short);
/** So fast that all Posts are due at once. */
const SPEED = 1_000_000;

// In the short form, the tests of kills also end with a process that nothing kills.
it(
  'without a kill, an import and an emitted event arrive once each',
  { tags: 'long' },
  async () => {
    const { data, csv } = stage.data(POSTS);
    const imported = { data, work: { import: csv, speed: SPEED }, kill: null };
    expect(await stage.run(imported)).toEqual({ killed: false, isDone: true });
    expect(stage.prove(data, 0)).toEqual(IMPORTED);
    const emitted = { emit: 'spaces.start', user: 'ann', payload: { broadcast_id: '1' } } as const;
    expect(await stage.run({ data, work: emitted, kill: null })).toMatchObject({ isDone: true });
    expect(stage.prove(data, 0)).toEqual([...IMPORTED, 'spaces.start null']);
  },
);

it.each(
  points(1, [
    ['replay', 2],
    ['enqueue', 2],
    ['replay', 1],
    ['replay', 4],
    ['enqueue', 1],
    ['enqueue', 5],
    ['delivered', 1],
    ['delivered', 50],
    ['delivered', 100],
  ]),
)(
  'an import killed in write $n of $step at $at continues: each Post is once in the log, and arrives',
  async (kill) => {
    const { data, csv } = stage.data(POSTS);
    const work = { import: csv, speed: SPEED };
    expect((await stage.run({ data, work, kill })).killed).toBe(true);
    expect(await stage.run({ data, work, kill: null })).toEqual({ killed: false, isDone: true });
    expect(stage.prove(data, 1)).toEqual(IMPORTED);
  },
);

it.each(
  points(2, [
    ['append', 1],
    ['enqueue', 1],
    ['delivered', 1],
  ]),
)(
  'an event whose emission is killed in $step at $at is once in the log or not at all, and arrives if it is',
  async (kill) => {
    const { data } = stage.data(0);
    const work = { emit: 'spaces.start', user: 'ann', payload: { broadcast_id: '1' } } as const;
    const { killed, isDone } = await stage.run({ data, work, kill });
    expect(killed).toBe(true);
    await stage.run({ data, work: null, kill: null });
    const events = stage.prove(data, 1);
    const isThere = kill.step !== 'append' || kill.at === 'done';
    expect(events).toEqual(isThere ? ['spaces.start null'] : []);
    if (isDone) expect(isThere).toBe(true);
  },
);
