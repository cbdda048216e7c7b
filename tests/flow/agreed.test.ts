import { Formatter } from '#app/format/formatter.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { postSearch } from '#app/api/search-api.ts';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { FREE_REQUESTS } from '#app/counts/fetch/approval.svelte.ts';
import type { Plan } from '#app/counts/cache/records.ts';
import { figureWords, figuresOf } from '#app/insight/log/fetch-log.ts';
import { Fault } from '#contract/fault.ts';
import { HOUR_MS } from '#core/time/span.ts';
import {
  billed,
  lost,
  openPaid,
  written,
  type PlatformNeed,
  type PaidScene,
} from '#tests/support/data/bought.ts';
import { openDashboard, type Dashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { isCounts, lostAnswer, shortOf } from '#tests/support/service/faults.ts';
import { testCache, type TestCache } from '#tests/support/run/test-cache.ts';
import { KillableTab } from '#tests/support/browser/killable-tab.ts';
import { PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { NOW, expectTruth, until } from '#tests/support/data/storms.ts';

let on: PaidScene;

// All tests share one service and one platform; each has its own query and browser.
beforeAll(async () => {
  on = await openPaid(new FakeTime(NOW));
});
afterAll(async () => {
  await on.service.close();
  await on.platform.close();
});
afterEach(() => {
  on.platform.repair();
});

let rounds = 0;

/** A new browser and a new query, which has the same counts as all others. */
function round() {
  rounds += 1;
  const query = `storm -round${rounds}`;
  const cache = testCache();
  const open = (killable?: KillableTab): Dashboard =>
    openDashboard(on.service, { time: on.time, cache, ...(killable && { killable }) });
  const sent = (): number =>
    on.platform.sent.filter((request) => isCounts(request) && request.search.get('query') === query)
      .length;
  return { query, cache, open, tab: open(), sent };
}

const pagesOf = ({ recent, all }: Plan): number => recent + all;

/** Follows a run to its end, as a user who approves the first `agreements` plans and declines the next. */
async function follow(
  tab: Dashboard,
  wanted: PlatformNeed,
  agreements: number,
): Promise<{ run: SeriesRun; plans: Plan[] }> {
  const run = tab.run();
  const plans: Plan[] = [];
  let ended = false;
  const fetching = run.ask(await tab.need({ ...wanted, source: 'platform' })).finally(() => {
    ended = true;
  });
  for (;;) {
    await until(() => ended || tab.approval.waiting.length > 0);
    const [waiting] = tab.approval.waiting;
    if (ended || !waiting) break;
    plans.push(waiting.plan);
    if (plans.length > agreements) tab.approval.decline();
    else tab.approval.agree();
  }
  await fetching;
  return { run, plans };
}

const TWENTY = { from: '2024-01-01', to: '2025-09-10' };

/** The ledger line of a series. */
async function ledgerOf(run: SeriesRun, cache: TestCache): Promise<string> {
  const format = new Formatter('en-GB');
  if (!run.curve) throw new Error('expected a curve');
  const figures = figuresOf(run.curve, await cache.db.receipts.toArray(), on.time.now);
  return figureWords(figures, true, true, format);
}

const MAY = { from: '2024-05-01', to: '2024-06-01' };

describe('an approval that fails', () => {
  test('ends the run: it is asked for once, and nothing is bought', async () => {
    const at = round();
    let asked = 0;
    at.tab.approval.pass = () => {
      asked += 1;
      return Promise.reject(new Error('the sheet did not load'));
    };
    const run = at.tab.run();
    const need = await at.tab.need({ ...TWENTY, query: at.query, source: 'platform' });
    await run.ask(need);
    expect([asked, at.sent(), run.phase]).toEqual([1, 0, 'failed']);
    expect(run.fault?.message).toContain('the sheet did not load');
  });
});

describe('pages shorter than a day', () => {
  test.each<[string, number, PlatformNeed, number]>([
    ['12 hours', 12, MAY, 62],
    ['an hour', 1, { from: '2024-03-01', to: '2024-03-03' }, 48],
    ['400 minutes', 400, { from: '2024-03-01', to: '2024-03-03', minutes: true }, 8],
    ['6 hours, with the head', 6, { from: '2026-11-10', to: '2026-11-21' }, 43],
  ])(
    'of %s are bought up to the approved number, and further plans know their length',
    async (_, most, range, needed) => {
      const at = round();
      on.platform.inject(isCounts, shortOf(most));
      const wanted = { ...range, query: at.query };
      const first = await follow(at.tab, wanted, 0);
      const before = at.sent();
      expect(before).toBeLessThanOrEqual(FREE_REQUESTS);
      // One approval is enough, because its plan has the right number of pages.
      const second = await follow(at.open(), wanted, 1);
      expectTruth(second.run);
      const [planned] = second.plans.map(pagesOf);
      expect(first.plans.map(pagesOf)).toEqual([planned]);
      expect(at.sent()).toBe(before + (planned ?? 0));
      expect(Math.abs(at.sent() - needed)).toBeLessThanOrEqual(before);
      expect(second.plans).toHaveLength(1);
      expect(await written(at.cache)).toEqual(billed(on.service, at.query).billed);
    },
  );

  test('stop a run at the number that the user approved', async () => {
    const at = round();
    on.platform.inject(isCounts, shortOf(10));
    const { run, plans } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expect(plans.map(pagesOf)[0]).toBe(20);
    expect(at.sent()).toBe(20);
    expect([run.phase, plans.length]).toEqual(['cancelled', 2]);
  });

  test('affect only the plans of their own granularity', async () => {
    const at = round();
    on.platform.inject(
      (request) => isCounts(request) && request.search.get('granularity') === 'minute',
      shortOf(90),
    );
    await follow(
      at.tab,
      { from: '2024-03-01', to: '2024-03-02', minutes: true, query: at.query },
      0,
    );
    const { plans } = await follow(
      at.tab,
      { from: '2024-01-01', to: '2025-01-01', query: at.query },
      0,
    );
    expect(plans.map(pagesOf)).toEqual([12]);
  });

  test('cost a live board at most one page per tick', async () => {
    const at = round();
    const range = { from: '2026-11-19', to: '2026-11-21', query: at.query };
    await follow(at.tab, range, 1);
    on.platform.inject(isCounts, shortOf(1));
    const before = at.sent();
    const tab = at.open();
    tab.approval.live = true;
    for (let tick = 0; tick < 12; tick += 1) {
      on.time.now += HOUR_MS;
      const run = tab.run();
      const fetching = run.refresh(await tab.need({ ...range, source: 'platform' }));
      await until(() => run.phase === 'done' || tab.approval.waiting.length > 0);
      tab.approval.decline();
      await fetching;
    }
    expect(at.sent() - before).toBeLessThanOrEqual(12 + FREE_REQUESTS);
  });

  test('are compared with one request per span, however short they are', async () => {
    const at = round();
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    const before = at.sent();
    on.platform.inject(isCounts, shortOf(5));
    await run.audit(3);
    expect(at.sent()).toBe(before + 3);
  });

  test('that have a token but no bucket are not followed beyond the approved number', async () => {
    const at = round();
    const promise = (): Response =>
      new Response(
        JSON.stringify({ meta: { total_tweet_count: 0, next_token: `b${at.sent()}` } }),
        {
          headers: {
            'content-type': 'application/json',
            date: new Date(on.time.now).toUTCString(),
          },
        },
      );
    on.platform.inject(isCounts, async () => promise());
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expect(at.sent()).toBeLessThanOrEqual(20 + FREE_REQUESTS);
    expect(run.phase).not.toBe('done');
  });
});

describe('requests without a complete answer', () => {
  test.each([
    ['a connection that is reset', PLATFORM_FAULTS.reset],
    ['a body that is cut', PLATFORM_FAULTS.cutShort],
  ])(
    'are sent up to the approved number, and each is reported as perhaps billed: %s',
    async (_, fault) => {
      const at = round();
      on.platform.inject(isCounts, fault);
      const wanted = { ...TWENTY, query: at.query };
      const { run, plans } = await follow(at.tab, wanted, 1);
      expect(plans.map(pagesOf)[0]).toBe(20);
      expect(at.sent()).toBe(20);
      const perhaps = { uncertain: { requests: 20, money: 0.2 } };
      expect(run.made).toEqual({ requests: 0, money: 0, bytes: 0, ...perhaps });
      expect(billed(on.service, at.query).uncertain).toEqual(await lost(at.cache));
      expect(await ledgerOf(run, at.cache)).toMatch(/0 pages · \$0\.00 paid, perhaps \$0\.20 more/);

      // After a reload they are reported before and after the approval.
      on.platform.repair();
      const tab = at.open();
      const later = await follow(tab, wanted, 0);
      expect(later.run.made).toMatchObject(perhaps);
      expect(at.sent()).toBe(20);
      const last = await follow(at.open(), wanted, 1);
      expect(last.run.made).toMatchObject(perhaps);
      expect(await ledgerOf(last.run, at.cache)).toMatch(/paid, perhaps \$0\.20 more/);
    },
  );

  test('count towards the approved number even across a reload', async () => {
    const at = round();
    on.platform.inject((request) => isCounts(request) && at.sent() <= 6, PLATFORM_FAULTS.reset);
    const killable = new KillableTab();
    const tab = at.open(killable);
    const run = tab.run();
    void run.ask(await tab.need({ ...TWENTY, query: at.query, source: 'platform' }));
    await until(() => tab.approval.waiting.length > 0);
    tab.approval.agree();
    await until(() => run.made.requests >= 3);
    killable.kill();
    await until(() => billed(on.service, at.query).billed.length >= at.sent() - 6);
    // Fourteen of the twenty remain, which is too few: the remaining pages need a new plan.
    const before = at.sent();
    const after = await follow(at.open(), { ...TWENTY, query: at.query }, 0);
    expect(at.sent()).toBe(before);
    expect(after.plans.map(pagesOf)).toEqual([20 - (await written(at.cache)).length]);
    expect(after.run.made.uncertain).toEqual({ requests: 6, money: 0.06 });
    expect(billed(on.service, at.query).uncertain).toEqual(await lost(at.cache));
  });

  test('are recorded even if the service’s own answer is lost too', async () => {
    const at = round();
    on.platform.inject(isCounts, PLATFORM_FAULTS.reset);
    at.tab.faults.inject((request) => isCounts(request), lostAnswer, 2);
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expect(at.sent()).toBe(20);
    expect(run.made.uncertain?.requests).toBe(20);
    expect(billed(on.service, at.query).uncertain).toEqual(await lost(at.cache));
  });

  test('are not reported if the service had received the page', async () => {
    const at = round();
    at.tab.faults.inject((request) => isCounts(request), lostAnswer, 8);
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expectTruth(run);
    expect([at.sent(), run.made.uncertain]).toEqual([20, undefined]);
  });

  test('of a comparison are at most one per span', async () => {
    const at = round();
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    const before = at.sent();
    on.platform.inject(isCounts, PLATFORM_FAULTS.reset);
    await run.audit(3);
    expect(at.sent()).toBeLessThanOrEqual(before + 3);
    expect(run.made.uncertain?.requests).toBe(at.sent() - before);
    expect(run.phase).toBe('failed');
  });

  test('for Posts are not repeated automatically', async () => {
    const at = round();
    const isSearch = ({ path }: { path: string }): boolean => path.includes('/2/tweets/search/');
    on.platform.inject(isSearch, PLATFORM_FAULTS.reset);
    const span = { start: Date.parse('2024-03-01'), end: Date.parse('2024-04-01') };
    const search = postSearch(at.tab.client, () => 0.5);
    const signal = new AbortController().signal;
    await expect(search('platform', 'all', { query: at.query, span }, signal)).rejects.toThrow(
      Fault,
    );
    expect(on.platform.sent.filter(isSearch)).toHaveLength(1);
  });
});
