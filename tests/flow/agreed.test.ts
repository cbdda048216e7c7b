import { Formatter } from '#app/format/formatter.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { postSearch } from '#app/api/search-api.ts';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { FREE_REQUESTS } from '#app/counts/fetch/approval.svelte.ts';
import type { Plan } from '#app/counts/cache/records.ts';
import { figureWords, figuresOf } from '#app/insight/fetch-log.ts';
import { Fault } from '#contract/fault.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { billed, lost, openPaid, written } from '#tests/support/bought.ts';
import type { Asked, PaidScene } from '#tests/support/bought.ts';
import type { Dashboard } from '#tests/support/dashboard.ts';
import { openDashboard } from '#tests/support/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { isCounts, lostAnswer, shortOf } from '#tests/support/faults.ts';
import type { TestCache } from '#tests/support/test-cache.ts';
import { testCache } from '#tests/support/test-cache.ts';
import { Mortal } from '#tests/support/mortal.ts';
import { MISHAPS } from '#tests/support/platform.ts';
import { NOW, expectTruth, until } from '#tests/support/storms.ts';

let on: PaidScene;

// One service and one platform for all: every test has a query and a browser of its own.
beforeAll(async () => {
  on = await openPaid(new FakeTime(NOW));
});
afterAll(async () => {
  await on.service.close();
  await on.platform.close();
});
afterEach(() => {
  on.platform.clear();
});

let rounds = 0;

/** A browser that is new to the service, and its own query, which counts the same as any other. */
function round() {
  rounds += 1;
  const query = `storm -round${rounds}`;
  const cache = testCache();
  const open = (mortal?: Mortal): Dashboard =>
    openDashboard(on.service, { time: on.time, cache, ...(mortal && { mortal }) });
  const sent = (): number =>
    on.platform.sent.filter((one) => isCounts(one) && one.search.get('query') === query).length;
  return { query, cache, open, tab: open(), sent };
}

const pagesOf = ({ recent, all }: Plan): number => recent + all;

/** Follows a run to its end, as a user who agrees to so many plans and then declines. */
async function follow(
  tab: Dashboard,
  asked: Asked,
  agreements: number,
): Promise<{ run: SeriesRun; plans: Plan[] }> {
  const run = tab.run();
  const plans: Plan[] = [];
  let ended = false;
  const asking = run.ask(await tab.need({ ...asked, source: 'platform' })).finally(() => {
    ended = true;
  });
  for (;;) {
    await until(() => ended || tab.gate.waiting.length > 0);
    const [waiting] = tab.gate.waiting;
    if (ended || !waiting) break;
    plans.push(waiting.plan);
    if (plans.length > agreements) tab.gate.decline();
    else tab.gate.agree();
  }
  await asking;
  return { run, plans };
}

const TWENTY = { from: '2024-01-01', to: '2025-09-10' };

/** What the ledger says of a series. */
async function ledgerOf(run: SeriesRun, cache: TestCache): Promise<string> {
  const words = new Formatter('en-GB');
  if (!run.curve) throw new Error('expected a curve');
  const figures = figuresOf(run.curve, await cache.db.receipts.toArray(), on.time.now);
  return figureWords(figures, true, true, words);
}

const MAY = { from: '2024-05-01', to: '2024-06-01' };

describe('pages shorter than a day', () => {
  test.each<[string, number, Asked, number]>([
    ['12 hours', 12, MAY, 62],
    ['an hour', 1, { from: '2024-03-01', to: '2024-03-03' }, 48],
    ['400 minutes', 400, { from: '2024-03-01', to: '2024-03-03', minutes: true }, 8],
    ['6 hours, with the head', 6, { from: '2026-11-10', to: '2026-11-21' }, 43],
  ])(
    'of %s are bought as far as was agreed to, and planned by that',
    async (_, most, look, needed) => {
      const at = round();
      on.platform.spoil(isCounts, shortOf(most));
      const asked = { ...look, query: at.query };
      const first = await follow(at.tab, asked, 0);
      const before = at.sent();
      expect(before).toBeLessThanOrEqual(FREE_REQUESTS);
      // One agreement is enough: its number is what it takes.
      const second = await follow(at.open(), asked, 1);
      expectTruth(second.run);
      const [planned] = second.plans.map(pagesOf);
      expect(first.plans.map(pagesOf)).toEqual([planned]);
      expect(at.sent()).toBe(before + (planned ?? 0));
      expect(Math.abs(at.sent() - needed)).toBeLessThanOrEqual(before);
      expect(second.plans).toHaveLength(1);
      expect(await written(at.cache)).toEqual(billed(on.service, at.query).billed);
    },
  );

  test('stop a run at the number that the user agreed to', async () => {
    const at = round();
    on.platform.spoil(isCounts, shortOf(10));
    const { run, plans } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expect(plans.map(pagesOf)[0]).toBe(20);
    expect(at.sent()).toBe(20);
    expect([run.phase, plans.length]).toEqual(['cancelled', 2]);
  });

  test('are planned for the granularity that they came in alone', async () => {
    const at = round();
    on.platform.spoil(
      (one) => isCounts(one) && one.search.get('granularity') === 'minute',
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

  test('cost a live board no more than a page by itself', async () => {
    const at = round();
    const look = { from: '2026-11-19', to: '2026-11-21', query: at.query };
    await follow(at.tab, look, 1);
    on.platform.spoil(isCounts, shortOf(1));
    const before = at.sent();
    const tab = at.open();
    tab.gate.live = true;
    for (let tick = 0; tick < 12; tick += 1) {
      on.time.now += HOUR_MS;
      const run = tab.run();
      const asking = run.refresh(await tab.need({ ...look, source: 'platform' }));
      await until(() => run.phase === 'done' || tab.gate.waiting.length > 0);
      tab.gate.decline();
      await asking;
    }
    expect(at.sent() - before).toBeLessThanOrEqual(12 + FREE_REQUESTS);
  });

  test('are compared once each, however short they are', async () => {
    const at = round();
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    const before = at.sent();
    on.platform.spoil(isCounts, shortOf(5));
    await run.audit(3);
    expect(at.sent()).toBe(before + 3);
  });

  test('that promise more without a bucket, again and again, are not followed beyond what was agreed to', async () => {
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
    on.platform.spoil(isCounts, async () => promise());
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expect(at.sent()).toBeLessThanOrEqual(20 + FREE_REQUESTS);
    expect(run.phase).not.toBe('done');
  });
});

describe('requests to which no whole answer comes', () => {
  test.each([
    ['a connection that is reset', MISHAPS.reset],
    ['a body that is cut', MISHAPS.cutShort],
  ])(
    '%s: as many are sent as were agreed to, and each is said to be perhaps billed',
    async (_, mishap) => {
      const at = round();
      on.platform.spoil(isCounts, mishap);
      const asked = { ...TWENTY, query: at.query };
      const { run, plans } = await follow(at.tab, asked, 1);
      expect(plans.map(pagesOf)[0]).toBe(20);
      expect(at.sent()).toBe(20);
      const perhaps = { uncertain: { requests: 20, money: 0.2 } };
      expect(run.made).toEqual({ requests: 0, money: 0, bytes: 0, ...perhaps });
      expect(billed(on.service, at.query).uncertain).toEqual(await lost(at.cache));
      expect(await ledgerOf(run, at.cache)).toMatch(/0 pages · \$0\.00 paid, perhaps \$0\.20 more/);

      // After a reload it is said before anything is agreed to, and after that as well.
      on.platform.clear();
      const tab = at.open();
      const later = await follow(tab, asked, 0);
      expect(later.run.made).toMatchObject(perhaps);
      expect(at.sent()).toBe(20);
      const last = await follow(at.open(), asked, 1);
      expect(last.run.made).toMatchObject(perhaps);
      expect(await ledgerOf(last.run, at.cache)).toMatch(/paid, perhaps \$0\.20 more/);
    },
  );

  test('are taken off what was agreed to, though the page is reloaded in between', async () => {
    const at = round();
    on.platform.spoil((one) => isCounts(one) && at.sent() <= 6, MISHAPS.reset);
    const mortal = new Mortal();
    const tab = at.open(mortal);
    const run = tab.run();
    void run.ask(await tab.need({ ...TWENTY, query: at.query, source: 'platform' }));
    await until(() => tab.gate.waiting.length > 0);
    tab.gate.agree();
    await until(() => run.made.requests >= 3);
    mortal.kill();
    await until(() => billed(on.service, at.query).billed.length >= at.sent() - 6);
    // Fourteen are left of the twenty, and more are needed: what is left is planned again.
    const before = at.sent();
    const after = await follow(at.open(), { ...TWENTY, query: at.query }, 0);
    expect(at.sent()).toBe(before);
    expect(after.plans.map(pagesOf)).toEqual([20 - (await written(at.cache)).length]);
    expect(after.run.made.uncertain).toEqual({ requests: 6, money: 0.06 });
    expect(billed(on.service, at.query).uncertain).toEqual(await lost(at.cache));
  });

  test('are known though the service’s own answer was lost as well', async () => {
    const at = round();
    on.platform.spoil(isCounts, MISHAPS.reset);
    at.tab.faults.spoil((one) => isCounts(one), lostAnswer, 2);
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expect(at.sent()).toBe(20);
    expect(run.made.uncertain?.requests).toBe(20);
    expect(billed(on.service, at.query).uncertain).toEqual(await lost(at.cache));
  });

  test('are not said where the service had the page all along', async () => {
    const at = round();
    at.tab.faults.spoil((one) => isCounts(one), lostAnswer, 8);
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    expectTruth(run);
    expect([at.sent(), run.made.uncertain]).toEqual([20, undefined]);
  });

  test('of a comparison are no more than the spans that were to be compared', async () => {
    const at = round();
    const { run } = await follow(at.tab, { ...TWENTY, query: at.query }, 1);
    const before = at.sent();
    on.platform.spoil(isCounts, MISHAPS.reset);
    await run.audit(3);
    expect(at.sent()).toBeLessThanOrEqual(before + 3);
    expect(run.made.uncertain?.requests).toBe(at.sent() - before);
    expect(run.phase).toBe('failed');
  });

  test('of Posts are not sent again by themselves', async () => {
    const at = round();
    const isSearch = ({ path }: { path: string }): boolean => path.includes('/2/tweets/search/');
    on.platform.spoil(isSearch, MISHAPS.reset);
    const span = { start: Date.parse('2024-03-01'), end: Date.parse('2024-04-01') };
    const search = postSearch(at.tab.client, () => 0.5);
    const signal = new AbortController().signal;
    await expect(search('platform', 'all', { query: at.query, span }, signal)).rejects.toThrow(
      Fault,
    );
    expect(on.platform.sent.filter(isSearch)).toHaveLength(1);
  });
});
