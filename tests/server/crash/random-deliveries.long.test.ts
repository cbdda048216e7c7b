import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { Random } from '#server/sample/random.ts';
import { logStage } from './log-stage.ts';

vi.setConfig({ testTimeout: 240_000 });

/** Rounds, and processes of each that are killed. */
const ROUNDS = 40;
const KILLS = 4;
const POSTS = 400;

const stage = await logStage();
afterAll(() => stage.close());
beforeEach(() => {
  stage.received.length = 0;
});

let killed = 0;

test.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
  'after kills at any moment, each Post is once in the log, and arrives in order (seed %i)',
  async (seed) => {
    const pick = new Random(seed);
    const { data, csv } = stage.data(POSTS);
    // All Posts in about a second.
    const job = { data, work: { import: csv, speed: POSTS }, kill: null };
    for (let i = 0; i < KILLS; i++) {
      const outcome = await stage.run(job, { afterMs: 100 + pick.below(2400) });
      if (outcome.killed) killed++;
    }
    // A failure is tried again after a second.
    let failures = 2;
    stage.fails.next = () => pick.chance(0.02) && (failures -= 1) >= 0;
    expect(await stage.run(job)).toEqual({ killed: false, isDone: true });
    stage.fails.next = () => false;
    expect(stage.prove(data, KILLS)).toEqual(
      Array.from({ length: POSTS }, (_, i) => `post.create ${1000 + i}`),
    );
  },
);

test('most of the processes were killed', () => {
  expect(killed).toBeGreaterThan((ROUNDS * KILLS) / 3);
});
