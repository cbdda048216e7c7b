import { describe, expect, test } from 'vitest';
import { STUCK_PAGES } from '#app/counts/fetch/faults.ts';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { billed, buy, paidScene, written, type PlatformNeed } from '#tests/support/data/bought.ts';
import {
  fakeLocks,
  fakeTabs,
  openDashboard,
  type Dashboard,
} from '#tests/support/browser/dashboard.ts';
import { isCounts, shortPage } from '#tests/support/service/faults.ts';
import { testCache } from '#tests/support/run/test-cache.ts';
import { KillableTab } from '#tests/support/browser/killable-tab.ts';
import { PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { NOW, YEAR, YEARS, expectTruth, until } from '#tests/support/data/storms.ts';

const on = paidScene();
const sent = (): number => on.platform.sent.filter(isCounts).length;
const allSettled = (run: SeriesRun): boolean =>
  run.curve?.states.every((state) => state === STATE.settled) ?? false;

/** Starts a run and waits until its plan needs approval. */
async function begin(
  tab: Dashboard,
  over: PlatformNeed,
): Promise<{ run: SeriesRun; over: Promise<void> }> {
  const run = tab.run();
  const ended = run.ask(await tab.need({ ...over, source: 'platform' }));
  await until(() => tab.approval.waiting.length > 0);
  return { run, over: ended };
}

test('a quote equals the later purchase, and itself sends and stores nothing', async () => {
  const tab = openDashboard(on.service, { time: on.time });
  const { signal } = new AbortController();
  const wanted = { ...YEAR, query: 'storm -quoted' };
  const need = await tab.need({ ...wanted, source: 'platform' });
  const part = await tab.need({
    from: '2024-01-01',
    to: '2024-03-01',
    query: wanted.query,
    source: 'platform',
  });
  const run = tab.run();
  const done = async () => [sent(), await tab.cache.db.series.count()];
  for (const each of [part, need]) {
    const was = await done();
    const quoted = await run.quote(each, signal);
    expect(await done()).toEqual(was);
    const ended = run.ask(each);
    await until(() => tab.approval.waiting.length > 0 || run.phase === 'done');
    expect(run.plan).toEqual(quoted);
    tab.approval.agree();
    await ended;
    expect(run.made.money).toBe(quoted?.money);
  }
  expect(await run.quote(need, signal)).toMatchObject({ recent: 0, all: 0, money: 0 });
});

test('cells dropped as damaged are fetched again from the service for free', async () => {
  const { tab } = on;
  const first = await buy(tab, YEAR);
  const [before, paid] = [sent(), first.made.requests];
  const receipts = (await tab.cache.db.receipts.toArray()).map(({ id, price }) => [id, price]);
  const cells = (await tab.cache.db.cells.toCollection().primaryKeys()).sort();
  await tab.cache.db.cells.bulkDelete(cells.slice(3, 6));
  await tab.cache.db.summaries.bulkDelete(cells.slice(3, 6));
  const again = tab.run();
  await again.ask(await tab.need({ ...YEAR, source: 'platform' }));
  expect([again.phase, again.made.requests, sent()]).toEqual(['done', 0, before]);
  expect(paid).toBeGreaterThan(0);
  expectTruth(again);
  expect((await tab.cache.db.cells.toCollection().primaryKeys()).sort()).toEqual(cells);
  expect((await tab.cache.db.receipts.toArray()).map(({ id, price }) => [id, price])).toEqual(
    receipts,
  );
  expect(billed(on.service).billed).toEqual(await written(tab.cache));
});

describe('a purchase without approval', () => {
  test('is only a few pages more than were approved: short pages need a new plan', async () => {
    on.platform.inject(isCounts, shortPage(5));
    const { run, over } = await begin(on.tab, YEAR);
    expect(run.plan?.all).toBe(12);
    on.tab.approval.agree();
    await until(() => on.tab.approval.waiting.length > 0);
    expect(run.phase).toBe('planned');
    expect(sent()).toBeLessThanOrEqual(12 + 5 + 4);
    const [waiting] = on.tab.approval.waiting;
    expect(waiting?.plan.all).toBeGreaterThan(30);
    on.tab.approval.agree();
    await over;
    expectTruth(run);
    expect(billed(on.service).billed).toEqual(await written(on.tab.cache));
    on.platform.repair();
    on.time.now += DAY_MS;
    const later = await begin(on.tab, { ...YEAR, query: 'calm' });
    expect(later.run.plan?.all).toBe(12);
    on.tab.approval.decline();
    await later.over;
  });

  test('is small even if pages have only one day', async () => {
    on.platform.inject(isCounts, shortPage(1));
    const { run, over } = await begin(on.tab, YEAR);
    on.tab.approval.agree();
    await until(() => on.tab.approval.waiting.length > 0);
    expect(sent()).toBeLessThanOrEqual(12 + 5 + 4);
    expect(on.tab.approval.waiting[0]?.plan.all).toBeGreaterThan(300);
    on.tab.approval.decline();
    await over;
    expect(run.phase).toBe('cancelled');
  });

  test('is excluded if prices rose, or if the approval is more than a day old', async () => {
    const dear = async (tab: Dashboard) => {
      const need = await tab.need({ ...YEARS, source: 'platform' });
      const { terms } = need.policy;
      const prices = { recent: 0.5, all: 1 };
      return terms ? { ...need, policy: { ...need.policy, terms: { ...terms, prices } } } : need;
    };
    for (const later of [
      dear,
      async (tab: Dashboard) => {
        on.time.now += DAY_MS;
        return await tab.need({ ...YEARS, source: 'platform' });
      },
    ]) {
      const [cache, killable] = [testCache(), new KillableTab()];
      const tab = openDashboard(on.service, { time: on.time, cache, killable });
      const query = `storm -later${sent()}`;
      const { run } = await begin(tab, { ...YEARS, query });
      tab.approval.agree();
      await until(() => run.progress.done >= 3);
      killable.kill();
      const other = openDashboard(on.service, { time: on.time, cache });
      const again = other.run();
      void again.ask({ ...(await later(other)), query });
      await until(() => other.approval.waiting.length > 0);
      expect(again.phase).toBe('planned');
      other.approval.decline();
    }
  });

  test('is excluded after a pause, even if the run was waiting for another tab', async () => {
    const [cache, lock, tabs] = [testCache(), fakeLocks(), fakeTabs()];
    const tab = openDashboard(on.service, { time: on.time, cache, lock, tabs: tabs() });
    const { run, over } = await begin(tab, YEARS);
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = lock(`groundswell ${run.key}`, new AbortController().signal, () => blocked);
    tab.approval.agree();
    await until(() => run.phase === 'fetching');
    run.pause();
    release();
    await holding;
    await over;
    expect(run.phase).toBe('paused');
    expect(sent()).toBe(0);
    await run.resume();
    expectTruth(run);
  });

  test('is at most three pages bought twice if every page fails its check', async () => {
    on.platform.inject(isCounts, PLATFORM_FAULTS.pages.wrongTotal);
    const run = await buy(on.tab, YEARS);
    expect(run.phase).toBe('failed');
    const before = sent();
    expect(before).toBeLessThanOrEqual(2 * (3 + 3));
    // The next run takes over the pending requests, and needs approval to continue.
    const { over } = await begin(
      openDashboard(on.service, { time: on.time, cache: on.tab.cache }),
      YEARS,
    );
    expect(sent()).toBe(before);
    expect(await written(on.tab.cache)).toEqual(billed(on.service).billed);
    void over;
  });
});

describe('a query without matches', () => {
  test('is free and settled for another browser', async () => {
    const need = { ...YEAR, query: 'nosuchword' };
    expect(allSettled(await buy(on.tab, need))).toBe(true);
    const before = sent();
    const other = openDashboard(on.service, { time: on.time });
    const run = await buy(other, need);
    expect([run.phase, allSettled(run)]).toEqual(['done', true]);
    expect(sent()).toBe(before);
    expect(await other.cache.db.requests.count()).toBe(0);
  });

  test('is bought only once despite a pause, the unsettled head included', async () => {
    const { run, over } = await begin(on.tab, { ...YEARS, query: 'nosuchword' });
    on.tab.approval.agree();
    await until(() => sent() >= 4);
    run.pause();
    await over;
    expect(run.phase).toBe('paused');
    await run.resume();
    expect(run.phase).toBe('done');
    expect(sent()).toBe(36);
    expect(await written(on.tab.cache)).toEqual(billed(on.service).billed);
  });
});

describe('an empty answer that cannot be confirmed', () => {
  test.each([
    ['because the next answers are missing', PLATFORM_FAULTS.reset],
    ['because the next pages contradict themselves', PLATFORM_FAULTS.pages.wrongTotal],
  ])('%s is not requested again by later runs', async (_, fault) => {
    const range = { from: '2024-02-01', to: '2024-03-01' };
    on.platform.inject(isCounts, PLATFORM_FAULTS.pages.absent, 1);
    on.platform.inject(isCounts, fault);
    expect((await buy(on.tab, range)).phase).toBe('failed');
    const before = sent();
    const again = await buy(on.tab, range);
    expect([again.phase, sent()]).toEqual(['failed', before]);
    on.platform.repair();
    await again.refresh(await on.tab.need({ ...range, source: 'platform' }));
    expectTruth(again);
    expect(await on.tab.cache.db.requests.count()).toBe(0);
  });
});

describe('a series that continues an approved run', () => {
  test('does not delay the plans of others', async () => {
    const killable = new KillableTab();
    const { cache } = on.tab;
    const first = openDashboard(on.service, { time: on.time, cache, killable });
    const { run } = await begin(first, YEARS);
    first.approval.agree();
    await until(() => run.progress.done >= 3);
    killable.kill();
    // The service completes the requests that the closed tab had sent.
    await until(() => billed(on.service).billed.length === sent());
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    on.platform.inject(isCounts, async (_, pass) => {
      await blocked;
      return await pass();
    });
    const tab = openDashboard(on.service, { time: on.time, cache });
    const [going, other] = [tab.run(), tab.run()];
    const ended = [
      going.ask(await tab.need({ ...YEARS, source: 'platform' })),
      other.ask(await tab.need({ ...YEAR, query: 'calm', source: 'platform' })),
    ];
    await until(() => tab.approval.waiting.length > 0);
    expect([going.phase, other.phase]).toEqual(['fetching', 'planned']);
    tab.approval.decline();
    release();
    await Promise.all(ended);
    expectTruth(going);
  });
});

describe('a second tab', () => {
  test('that is closed while it waits does not revoke the approval of the first', async () => {
    const [cache, lock, tabs] = [testCache(), fakeLocks(), fakeTabs()];
    const [one, two] = [1, 2].map(() =>
      openDashboard(on.service, { time: on.time, cache, lock, tabs: tabs() }),
    ) as [Dashboard, Dashboard];
    const { run, over } = await begin(one, YEARS);
    one.approval.agree();
    await until(() => run.progress.done >= 2);
    const waiting = two.run();
    const ended = waiting.ask(await two.need({ ...YEARS, source: 'platform' }));
    await until(() => waiting.key !== '');
    waiting.dispose();
    await ended;
    expect(await cache.db.runs.count()).toBe(1);
    run.pause();
    await over;
    expect(run.phase).toBe('paused');
    await run.resume();
    expectTruth(run);
    expect(sent()).toBe(36);
  });
});

describe('pages with a token', () => {
  const head = (): Record<string, string> => ({
    'content-type': 'application/json',
    date: new Date(on.time.now).toUTCString(),
  });

  test('but no buckets are reported, and not requested again automatically', async () => {
    const promise = { meta: { total_tweet_count: 0, next_token: 'b26v8' } };
    on.platform.inject(
      isCounts,
      async () => new Response(JSON.stringify(promise), { headers: head() }),
      1,
    );
    const range = { from: '2024-02-01', to: '2024-03-01' };
    const run = await buy(on.tab, range);
    expect(run.fault?.body.type).toBe(STUCK_PAGES);
    const before = sent();
    expect((await buy(on.tab, range)).fault?.body.type).toBe(STUCK_PAGES);
    expect(sent()).toBe(before);
    await run.refresh(await on.tab.need({ ...range, source: 'platform' }));
    expectTruth(run);
  });

  test('but nothing more to fetch do not change the assumed page length', async () => {
    on.platform.inject(isCounts, PLATFORM_FAULTS.pages.unexpectedToken, 1);
    await buy(on.tab, { from: '2026-11-14', to: '2026-11-21', endpoint: 'recent' });
    const { run, over } = await begin(on.tab, { ...YEAR, query: 'calm' });
    expect(run.plan?.all).toBe(12);
    on.tab.approval.decline();
    await over;
  });
});

describe('buying again', () => {
  const span = { from: '2026-08-01', to: '2026-11-01' };

  test.each([HOUR_MS, DAY_MS, -DAY_MS])(
    'with clocks that are %i ms wrong buys each page once',
    async (wrong) => {
      on.time.now = NOW + wrong;
      on.platformLeadMs = -wrong;
      await buy(on.tab, span);
      const tab = openDashboard(on.service, { time: on.time, cache: on.tab.cache });
      const run = await buy(tab, span);
      const before = sent();
      const again = run.rebuy();
      await until(() => tab.approval.waiting.length > 0);
      const pages = tab.approval.waiting[0]?.plan.all ?? 0;
      tab.approval.agree();
      await again;
      expectTruth(run);
      expect(sent()).toBe(before + pages);
    },
  );

  test('without approval buys nothing, neither in the next run nor after a reload', async () => {
    const run = await buy(on.tab, span);
    const before = sent();
    const again = run.rebuy();
    await until(() => on.tab.approval.waiting.length > 0);
    await run.ask(await on.tab.need({ from: '2026-08-02', to: '2026-10-31', source: 'platform' }));
    await again;
    expectTruth(run);
    const killable = new KillableTab();
    const { cache } = on.tab;
    const tab = openDashboard(on.service, { time: on.time, cache, killable });
    const open = await buy(tab, span);
    void open.rebuy();
    await until(() => tab.approval.waiting.length > 0);
    killable.kill();
    expectTruth(await buy(openDashboard(on.service, { time: on.time, cache }), span));
    expect(sent()).toBe(before);
  });

  test('needs approval even if a wider range was approved', async () => {
    const { run, over } = await begin(on.tab, YEARS);
    on.tab.approval.agree();
    await until(() => run.progress.done >= 4);
    await run.ask(await on.tab.need({ from: '2026-10-01', to: '2026-11-01', source: 'platform' }));
    await over;
    expectTruth(run);
    const before = sent();
    const again = run.rebuy();
    await until(() => on.tab.approval.waiting.length > 0);
    expect(sent()).toBe(before);
    on.tab.approval.decline();
    await again;
    expect(sent()).toBe(before);
  });

  test('replaces the pages that other browsers receive', async () => {
    on.platform.inject(isCounts, PLATFORM_FAULTS.pages.changedBucket, 1);
    const range = { from: '2024-01-01', to: '2024-02-01' };
    const run = await buy(on.tab, range);
    const again = run.rebuy();
    await until(() => on.tab.approval.waiting.length > 0);
    on.tab.approval.agree();
    await again;
    expectTruth(run);
    const before = sent();
    expectTruth(await buy(openDashboard(on.service, { time: on.time }), range));
    expect(sent()).toBe(before);
  });
});
