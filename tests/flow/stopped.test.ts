import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATE } from '#core/series/series.ts';
import { billed, buy, openPaid, written, type PaidScene } from '#tests/support/data/bought.ts';
import { fakeLocks, fakeTabs, openDashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { isCounts } from '#tests/support/service/faults.ts';
import { long } from '#tests/support/run/long.ts';
import { testCache } from '#tests/support/run/test-cache.ts';
import { KillableTab } from '#tests/support/browser/killable-tab.ts';
import { NOW, expectTruth, until } from '#tests/support/data/storms.ts';

/** Six pages of the archive: one more than a run buys without approval. */
const HALF = { from: '2024-01-01', to: '2024-07-05' };
const PAGES = 6;

let on: PaidScene;

// All tests share one service and one platform: every round has its own query, which the service does not hold yet.
beforeAll(async () => {
  on = await openPaid(new FakeTime(NOW));
});
afterAll(async () => {
  await on.service.close();
  await on.platform.close();
});

let rounds = 0;

/** A new browser and a new query, which has the same counts as all others. */
function round() {
  rounds += 1;
  const cache = testCache();
  const [lock, tab] = [fakeLocks(), fakeTabs()];
  const query = `storm -round${rounds}`;
  const open = (killable?: KillableTab) =>
    openDashboard(on.service, {
      time: on.time,
      cache,
      lock,
      tabs: tab(),
      ...(killable && { killable }),
    });
  const sent = (): number =>
    on.platform.sent.filter((request) => isCounts(request) && request.search.get('query') === query)
      .length;
  return { cache, open, query, sent, wanted: { ...HALF, query } };
}

/** Opens a tab that approves its plan at once, and waits until it is done or dead. */
async function live(at: ReturnType<typeof round>, killable: KillableTab): Promise<void> {
  const tab = at.open(killable);
  await Promise.race([buy(tab, at.wanted).then(() => undefined), killable.death]).catch(
    () => undefined,
  );
}

/** Expects a round to end as if never stopped: with the true counts, every page bought once, and all of it stored. */
async function expectWhole(at: ReturnType<typeof round>): Promise<void> {
  const run = await buy(at.open(), at.wanted);
  expectTruth(run);
  expect(run.curve?.states.every((state) => state === STATE.settled)).toBe(true);
  expect(at.sent()).toBe(PAGES);
  expect(await written(at.cache)).toEqual(billed(on.service, at.query).billed);
  expect([await at.cache.db.requests.count(), await at.cache.db.runs.count()]).toEqual([0, 0]);
}

/** Number of steps of an uninterrupted run. */
async function stepsOf(): Promise<number> {
  const killable = new KillableTab();
  await live(round(), killable);
  return killable.steps;
}

describe('a run that is stopped', () => {
  test('at any await and continued by another tab buys and stores every page once', async () => {
    const steps = await stepsOf();
    expect(steps).toBeGreaterThan(60);
    const every = long() ? 1 : 15;
    for (let step = 1; step <= steps; step += every) {
      const at = round();
      await live(at, new KillableTab(step));
      await expectWhole(at);
    }
  });

  test('again and again ends at the same price', async () => {
    const at = round();
    for (let step = 9; step < 80; step += 10) await live(at, new KillableTab(step));
    await expectWhole(at);
  });

  test('at any await is finished by a second tab with the same query', async () => {
    const steps = await stepsOf();
    const every = long() ? 1 : 27;
    for (let step = 1; step <= steps; step += every) {
      const at = round();
      const second = at.open();
      await Promise.all([live(at, new KillableTab(step)), buy(second, at.wanted)]);
      await expectWhole(at);
    }
  });
});

describe('a run of a query that nothing matches', () => {
  test('ends with settled zeros when stopped at any await, and buys only doubted pages twice', async () => {
    const rare = () => {
      const at = round();
      const query = `from:nobody_${rounds}`;
      return { ...at, query, wanted: { ...HALF, query } };
    };
    const killable = new KillableTab();
    await live(rare(), killable);
    const every = long() ? 1 : 33;
    for (let step = 1; step <= killable.steps; step += every) {
      const at = rare();
      await live(at, new KillableTab(step));
      const run = await buy(at.open(), at.wanted);
      expect(run.phase).toBe('done');
      expect(run.curve?.counts.every((count) => count === 0)).toBe(true);
      expect(run.curve?.states.every((state) => state === STATE.settled)).toBe(true);
      const { billed: paid, uncertain } = billed(on.service, at.query);
      // A confirmed empty page only vouches for others of the same run.
      expect(paid.length).toBeLessThanOrEqual(PAGES + 2);
      expect(await written(at.cache)).toEqual(paid);
      // The closed tab's last write may arrive after the other tab has read the cache.
      await buy(at.open(), at.wanted);
      expect(billed(on.service, at.query).billed).toEqual(paid);
      expect([
        uncertain.length,
        await at.cache.db.requests.count(),
        await at.cache.db.runs.count(),
      ]).toEqual([0, 0, 0]);
    }
  });
});

describe('two tabs', () => {
  test('that request the same at once buy every page once, and both show it', async () => {
    const at = round();
    const runs = await Promise.all([buy(at.open(), at.wanted), buy(at.open(), at.wanted)]);
    for (const run of runs) expectTruth(run);
    await expectWhole(at);
  });

  test('show each other’s progress and pages', async () => {
    const at = round();
    const [one, two] = [at.open(), at.open()];
    const shown = two.run();
    const need = { ...(await two.need({ ...at.wanted, source: 'platform' })) };
    const watching = shown.ask(need);
    await until(() => two.approval.waiting.length > 0);
    two.approval.decline();
    await watching;
    let furthest = 0;
    const buying = buy(one, at.wanted);
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
