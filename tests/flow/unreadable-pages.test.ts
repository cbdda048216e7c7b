import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REFUSED_PAGE } from '#app/counts/fetch/faults.ts';
import { PLATFORM_UNREACHABLE } from '#contract/counts/platform.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { Formatter } from '#app/format/formatter.ts';
import { buy, openPaid, type PaidScene } from '#tests/support/data/bought.ts';
import { openDashboard } from '#tests/support/browser/dashboard.ts';
import { isCounts } from '#tests/support/service/faults.ts';
import { testCache, type TestCache } from '#tests/support/run/test-cache.ts';
import { rewritten, type PlatformFault } from '#tests/support/service/platform.ts';
import { receiptLine } from '#app/insight/log/receipt-lines.ts';

let on: PaidScene;

// All tests share one service and one platform; each has its own query and browser.
beforeAll(async () => {
  on = await openPaid();
});
afterAll(async () => {
  await on.service.close();
  await on.platform.close();
});

const WORDS = new Formatter('en-GB');

/** Replaces the second match of a pattern in a page. */
const second = (pattern: RegExp, text: string): PlatformFault =>
  rewritten((page) => {
    let places = 0;
    return page.replaceAll(pattern, (whole) => ((places += 1) === 2 ? text : whole));
  });
const count = (text: string): PlatformFault =>
  second(/"tweet_count":\d+/g, `"tweet_count":${text}`);
const start = (text: string): PlatformFault => second(/"start":"[^"]*"/g, `"start":${text}`);
const end = (text: string): PlatformFault => second(/"end":"[^"]*"/g, `"end":${text}`);
const total = (text: string): PlatformFault =>
  rewritten((page) => page.replace(/"total_tweet_count":\d+/, `"total_tweet_count":${text}`));
const token = (text: string): PlatformFault =>
  rewritten((page) => page.replace('"meta":{', `"meta":{"next_token":${text},`));
const whole = (body: string): PlatformFault => rewritten(() => body);
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const data = (text: string): PlatformFault =>
  whole(`{"data":${text},"meta":{"total_tweet_count":0}}`);

const DEEP = deep(20_000);
const LONG = `"${'x'.repeat(200_000)}"`;
const PAGES: [string, PlatformFault][] = [
  ['a count of 1e999', count('1e999')],
  ['a count of -1e999', count('-1e999')],
  ['a count of 1e300', count('1e300')],
  ['a count above 2^53', count('9007199254740994')],
  ['a count above 2^32', count('4294967296')],
  ['a negative count', count('-1')],
  ['a fractional count', count('1.5')],
  ['a count that is text', count('"NaN"')],
  ['a count that is null', count('null')],
  ['a total of 1e999', total('1e999')],
  ['a total of 1e300', total('1e300')],
  ['a total above 2^53', total('9007199254740994')],
  ['a negative total', total('-1')],
  ['a total that is text', total('"12"')],
  ['the last instant as a start', start('"+275760-09-13T00:00:00.000Z"')],
  ['the last instant as an end', end('"+275760-09-13T00:00:00.000Z"')],
  ['the first instant as a start', start('"-271821-04-20T00:00:00.000Z"')],
  ['a start that is a number', start('1e999')],
  ['a start that is no date', start('"2024-02-31T25:00:00Z"')],
  ['a start that is a long text', start(LONG)],
  ['a token that is a long text', token(LONG)],
  ['null instead of a page', whole('null')],
  ['a list instead of a page', whole('[]')],
  ['a text instead of a page', whole('"page"')],
  ['a number instead of a page', whole('1e999')],
  ['no meta', whole('{"data":[]}')],
  ['data that is no list', data('{}')],
  ['many buckets that are null', data(`[${'null,'.repeat(200_000)}null]`)],
];

/** Pages nested too deeply for the service as well, which treats them as incomplete answers. */
const NESTED: [string, PlatformFault][] = [
  ['a count that is a deep list', count(DEEP)],
  ['a total that is a deep list', total(DEEP)],
  ['a token that is a deep list', token(DEEP)],
  ['a deep list instead of a page', whole(DEEP)],
  ['a bucket that is a deep list', data(`[${DEEP}]`)],
  ['a bucket that holds a deep list', data(`[{"start":${DEEP},"end":${DEEP}}]`)],
];

/** Requests a query three times while its pages are faulty. @returns The browser's cache. */
async function failedIn(
  name: string,
  fault: PlatformFault,
  type: string,
  requests: number,
): Promise<TestCache> {
  const query = `storm -"${name}"`;
  const range = { from: '2024-02-01', to: '2024-03-01', query };
  const cache = testCache();
  const sent = (): number =>
    on.platform.sent.filter((request) => isCounts(request) && request.search.get('query') === query)
      .length;
  on.platform.repair();
  on.platform.inject(isCounts, fault);
  for (let view = 0; view < 3; view += 1) {
    const run = await buy(openDashboard(on.service, { time: on.time, cache }), range);
    expect([run.phase, run.fault?.body.type, sent()]).toEqual(['failed', type, requests]);
  }
  return cache;
}

describe('an unreadable or implausible page is recorded, refused, and not bought again automatically', () => {
  test.each(PAGES)('with %s', async (name, fault) => {
    const cache = await failedIn(name, fault, REFUSED_PAGE, 2);
    // The receipts can be shown, and exported to another browser.
    const inventory = new CacheInventory(cache);
    const [series] = await inventory.series();
    const lines = (await inventory.receipts(series?.key ?? '')).map((receipt) =>
      receiptLine(receipt, true, WORDS),
    );
    expect(lines.map(({ believed }) => believed)).toEqual([false, false]);
    for (const note of lines.flatMap(({ notes }) => notes)) expect(note.length).toBeLessThan(600);
    const elsewhere = testCache();
    await new CacheInventory(elsewhere).import(await inventory.export());
    expect(await elsewhere.db.receipts.count()).toBe(2);
  });
});

describe('a page nested too deeply is perhaps billed, and not requested again automatically', () => {
  test.each(NESTED)('with %s', async (name, fault) => {
    const cache = await failedIn(name, fault, PLATFORM_UNREACHABLE, 3);
    const uncertain = (await cache.db.receipts.toArray()).map(
      (receipt) => receipt.uncertain !== undefined,
    );
    expect(uncertain).toEqual([true, true, true]);
  });
});
