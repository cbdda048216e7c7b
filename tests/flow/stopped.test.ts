import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATE } from '#core/series/series.ts';
import { billed, buy, openPaid, written } from '#tests/support/bought.ts';
import type { PaidScene } from '#tests/support/bought.ts';
import { fakeLocks, fakeTabs, openDashboard } from '#tests/support/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { isCounts } from '#tests/support/faults.ts';
import { long } from '#tests/support/long.ts';
import { testCache } from '#tests/support/test-cache.ts';
import { Mortal } from '#tests/support/mortal.ts';
import { NOW, expectTruth, until } from '#tests/support/storms.ts';

/** Six pages of the archive: one more than are bought unasked. */
const HALF = { from: '2024-01-01', to: '2024-07-05' };
const PAGES = 6;

let on: PaidScene;

// One service and one platform for all: every round asks a query of its own, so that nothing is held for it.
beforeAll(async () => {
  on = await openPaid(new FakeTime(NOW));
});
afterAll(async () => {
  await on.service.close();
  await on.platform.close();
});

let rounds = 0;

/** One browser, new, with a query that nobody asked before and that counts the same. */
function round() {
  rounds += 1;
  const cache = testCache();
  const [lock, tab] = [fakeLocks(), fakeTabs()];
  const query = `storm -round${rounds}`;
  const open = (mortal?: Mortal) =>
    openDashboard(on.service, {
      time: on.time,
      cache,
      lock,
      tabs: tab(),
      ...(mortal && { mortal }),
    });
  const sent = (): number =>
    on.platform.sent.filter((one) => isCounts(one) && one.search.get('query') === query).length;
  return { cache, open, query, sent, asked: { ...HALF, query } };
}

/** Opens a tab that asks, agrees at once, and dies at a step; ends when it is dead or done. */
async function live(at: ReturnType<typeof round>, mortal: Mortal): Promise<void> {
  const tab = at.open(mortal);
  await Promise.race([buy(tab, at.asked).then(() => undefined), mortal.death]).catch(
    () => undefined,
  );
}

/** That a round ended as if nothing had happened: the truth, every page bought once, and all of it written. */
async function expectWhole(at: ReturnType<typeof round>): Promise<void> {
  const run = await buy(at.open(), at.asked);
  expectTruth(run);
  expect(run.curve?.states.every((state) => state === STATE.settled)).toBe(true);
  expect(at.sent()).toBe(PAGES);
  expect(await written(at.cache)).toEqual(billed(on.service, at.query).billed);
  expect([await at.cache.db.asks.count(), await at.cache.db.runs.count()]).toEqual([0, 0]);
}

/** How many steps a run takes that nobody stops. */
async function stepsOf(): Promise<number> {
  const mortal = new Mortal();
  await live(round(), mortal);
  return mortal.steps;
}

describe('a run that is stopped', () => {
  test('at any await, and followed by another tab, buys every page once and writes it', async () => {
    const steps = await stepsOf();
    expect(steps).toBeGreaterThan(60);
    const every = long() ? 1 : 5;
    for (let step = 1; step <= steps; step += every) {
      const at = round();
      await live(at, new Mortal(step));
      await expectWhole(at);
    }
  });

  test('again and again comes to its end at the same price', async () => {
    const at = round();
    for (let step = 9; step < 80; step += 10) await live(at, new Mortal(step));
    await expectWhole(at);
  });

  test('at any await beside a second tab that asks the same is finished by that one', async () => {
    const steps = await stepsOf();
    const every = long() ? 1 : 9;
    for (let step = 1; step <= steps; step += every) {
      const at = round();
      const second = at.open();
      await Promise.all([live(at, new Mortal(step)), buy(second, at.asked)]);
      await expectWhole(at);
    }
  });
});

describe('a run of a query that nothing matches', () => {
  test('stopped at any await ends with zeros that are known, each page bought once and what was doubted again', async () => {
    const rare = () => {
      const at = round();
      const query = `from:nobody_${rounds}`;
      return { ...at, query, asked: { ...HALF, query } };
    };
    const mortal = new Mortal();
    await live(rare(), mortal);
    const every = long() ? 1 : 11;
    for (let step = 1; step <= mortal.steps; step += every) {
      const at = rare();
      await live(at, new Mortal(step));
      const run = await buy(at.open(), at.asked);
      expect(run.phase).toBe('done');
      expect(run.curve?.counts.every((count) => count === 0)).toBe(true);
      expect(run.curve?.states.every((state) => state === STATE.settled)).toBe(true);
      const { billed: paid, uncertain } = billed(on.service, at.query);
      // What one run confirmed vouches for that run alone.
      expect(paid.length).toBeLessThanOrEqual(PAGES + 2);
      expect(await written(at.cache)).toEqual(paid);
      // What the closed tab was just writing may have come after the other one had looked.
      await buy(at.open(), at.asked);
      expect(billed(on.service, at.query).billed).toEqual(paid);
      expect([
        uncertain.length,
        await at.cache.db.asks.count(),
        await at.cache.db.runs.count(),
      ]).toEqual([0, 0, 0]);
    }
  });
});

describe('two tabs', () => {
  test('that ask the same at once buy every page once, and both show it', async () => {
    const at = round();
    const runs = await Promise.all([buy(at.open(), at.asked), buy(at.open(), at.asked)]);
    for (const run of runs) expectTruth(run);
    await expectWhole(at);
  });

  test('see how far the other one is, and what it brought', async () => {
    const at = round();
    const [one, two] = [at.open(), at.open()];
    const shown = two.run();
    const need = { ...(await two.need({ ...at.asked, source: 'platform' })) };
    const watching = shown.ask(need);
    await until(() => two.approval.waiting.length > 0);
    two.approval.decline();
    await watching;
    let furthest = 0;
    const buying = buy(one, at.asked);
    await until(() => {
      furthest = Math.max(furthest, shown.elsewhere?.done ?? 0);
      return furthest >= 3;
    });
    await buying;
    await until(() => shown.elsewhere === null);
    await until(() => shown.curve?.states.every((state) => state === STATE.settled) ?? false);
    expect(shown.requests).toBe(0);
  });
});
