import { describe, expect, it } from 'vitest';
import { paced } from '#server/streams/paced.ts';
import { FakeClock } from '#tests/support/timers.ts';

const PACE = 20;

/** The times at which a task that is asked for at given instants runs, ms. */
async function runs(asked: readonly number[]): Promise<number[]> {
  const clock = new FakeClock(0);
  const at: number[] = [];
  const ask = paced(PACE, () => at.push(clock.at), clock.timer);
  for (const instant of asked) {
    await clock.move(instant - clock.at);
    ask();
  }
  await clock.move(10 * PACE);
  return at;
}

describe('a paced task', () => {
  it.each<[string, number[], number[]]>([
    ['runs at once', [0], [0]],
    ['runs once for all that ask within its pace', [0, 1, 5, 19], [0, 20]],
    ['runs at its pace while it is asked for', [0, 1, 21, 41], [0, 20, 40, 60]],
    ['runs at once after a pause', [0, 5, 100], [0, 20, 100]],
  ])('%s', async (_, asked, expected) => {
    expect(await runs(asked)).toEqual(expected);
  });

  it('runs again for what was asked while it ran', async () => {
    const clock = new FakeClock(0);
    let left = 3;
    const at: number[] = [];
    const ask = paced(
      PACE,
      () => {
        at.push(clock.at);
        if (--left > 0) ask();
      },
      clock.timer,
    );
    ask();
    await clock.move(10 * PACE);
    expect(at).toEqual([0, 20, 40]);
  });
});
