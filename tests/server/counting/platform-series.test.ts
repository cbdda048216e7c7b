import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { Allowance } from '#core/counts/allowance.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { edgesOf, viewOf } from '#core/series/bucket-layout.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { pageOfReply, relayPages } from '#server/counting/platform-pages.ts';
import { PlatformSeries, type BoughtPages } from '#server/counting/platform-series.ts';
import { PlatformStop } from '#server/counting/platform-stop.ts';
import { platformTerms } from '#server/counting/platform-terms.ts';
import { Relay } from '#server/platform/relay.ts';
import { openPlatform } from '#server/platform/store.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import {
  isCounts,
  repeatedPage,
  shortOf,
  shortPage,
  zeroPage,
} from '#tests/support/service/faults.ts';
import {
  PLATFORM_FAULTS,
  startPlatform,
  type PlatformFault,
} from '#tests/support/service/platform.ts';
import { NOW, POSTS } from '#tests/server/platform/relayed.ts';

const file = temporaryFolder();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const span = (from: string, to: string) => ({ start: Date.parse(from), end: Date.parse(to) });
/** Settled, with Posts on every day. */
const OCTOBER = span('2026-10-13', '2026-11-07');

let files = 0;

/** A series of a query by days, over a relay to a platform with a fault. */
async function scene(fault: PlatformFault | null, times: number, view = OCTOBER, query = 'tea') {
  let now = NOW;
  const platform = await startPlatform({ posts: POSTS, now: () => now, limited: false });
  if (fault) platform.inject(isCounts, fault, times);
  const store = openPlatform(file(`platform-${(files += 1)}`));
  const settings = { ...DEFAULT_PLATFORM_SETTINGS, archiveSpacingMs: 0 };
  store.putSettings(settings);
  const sleep = async (ms: number): Promise<void> => void (now += ms);
  const shared = { now: () => now, random: countingBytes(), sleep };
  const relay = new Relay({
    ...shared,
    access: { base: platform.url, host: 'platform', token: platform.token },
    store,
    fetch,
    timeout: (ms) => AbortSignal.timeout(ms),
    agent: 'groundswell/test',
    log: () => undefined,
  });
  closing.push(async () => {
    await relay.close(0);
    store.close();
    await platform.close();
  });
  const need = {
    span: view,
    resolution: 'day',
    zone: 'UTC',
    weekStart: 1,
    policy: { terms: {} },
  } as const;
  const layout = { ...viewOf(need), edges: edgesOf(need) };
  const terms = platformTerms({ settings, clockAheadMs: null }, query);
  const open = () =>
    new PlatformSeries({ ...shared, pages: relayPages(relay), terms }, query, layout);
  const bought: BoughtPages = {
    list: (of, granularity, span) => relay.counts(of, granularity, span),
    read: async (page) => pageOfReply(await relay.bought(page)),
  };
  const wait = (ms: number): void => void (now += ms);
  return { platform, open, bought, wait, series: open(), sent: () => platform.sent.length };
}

const { signal } = new AbortController();
const buy = (series: PlatformSeries, allowance = new Allowance(1000)) =>
  series.buy({ allowance, onProgress: () => undefined, signal });

/** Expects the counts of the Posts per day, up to now, none of them missing. */
function expectTruth({ bounds, counts }: Curve): void {
  for (let i = 0; i + 1 < bounds.length && (bounds[i] ?? 0) < NOW; i += 1) {
    const [start = 0, end = 0] = [bounds[i], bounds[i + 1]];
    const posts = POSTS.filter(({ createdAt: at }) => start <= Number(at) && Number(at) < end);
    expect(counts[i]).toBe(posts.length);
  }
}

describe('counts of the platform', () => {
  it.each<[string, PlatformFault | null, number, number]>([
    ['in one page', null, 0, 1],
    ['in pages of seven days', shortPage(7), Infinity, 4],
    // 600 hours; the first request was for more days, of which it brings the last.
    ['in pages of eighteen hours', shortOf(18), Infinity, 35],
    ['after a page with a gap', PLATFORM_FAULTS.pages.gap, 1, 2],
    ['after an answer that was lost', PLATFORM_FAULTS.reset, 1, 2],
    ['after a refusal that passes', PLATFORM_FAULTS.unavailable, 2, 3],
  ])('are complete %s', { tags: 'long' }, async (_, fault, times, requests) => {
    const { series, sent } = await scene(fault, times);
    const allowance = new Allowance(1000);
    await buy(series, allowance);
    expectTruth(series.curve());
    expect([...new Set(series.curve().states)]).toEqual([STATE.settled]);
    expect(sent()).toBe(requests);
    expect(series.plan()).toEqual([]);
  });

  it('reach up to now, and the newest day is partial', async () => {
    const { series, sent, open } = await scene(null, 0, span('2026-11-01', '2026-11-21'));
    await buy(series);
    expectTruth(series.curve());
    expect(series.curve().states.at(-1)).toBe(STATE.partial);
    expect(series.curve().states.at(-2)).toBe(STATE.provisional);
    // Nothing of that page is settled as a whole, so another series buys it again.
    const again = open();
    await again.takeHeld(signal);
    expect(again.plan()).toHaveLength(1);
    expect(sent()).toBe(1);
  });

  it('are read from what was bought: few pages, and the newest of what is not settled', async () => {
    const { open, bought, wait, sent } = await scene(null, 0, span('2026-10-13', '2026-11-24'));
    let last = open();
    for (let day = 0; day < 4; day += 1) {
      last = open();
      await buy(last);
      wait(DAY_MS);
    }
    const paid = sent();
    const again = open();
    let read = 0;
    const counted: BoughtPages['read'] = async (page) => {
      read += 1;
      return await bought.read(page);
    };
    await again.takeBought({ ...bought, read: counted }, signal);
    expect([read, paid, sent()]).toEqual([2, 8, 8]);
    expect(again.until).toBe(NOW + 3 * DAY_MS - 10 * SECOND_MS);
    expectTruth(again.curve());
    expect(again.curve().states.at(-1)).toBe(STATE.partial);
    expect(again.curve().counts).toEqual(last.curve().counts);
  });

  it('are zero where an answer has no Posts and nothing speaks against it', async () => {
    const { series, sent } = await scene(zeroPage, 1, span('2026-10-20', '2026-10-28'));
    await buy(series);
    expect([sent(), ...new Set(series.curve().counts)]).toEqual([1, 0]);
  });

  it('are asked for again where an answer has no Posts between busy weeks', async () => {
    const week = shortPage(7);
    let n = 0;
    const { series, sent } = await scene((request, pass) => {
      n += 1;
      return n === 2 ? zeroPage(request, () => week(request, pass)) : week(request, pass);
    }, Infinity);
    await buy(series);
    expectTruth(series.curve());
    expect(sent()).toBe(5);
  });

  it('end where an answer is repeated for every request', async () => {
    const { series, sent } = await scene(
      repeatedPage(),
      Infinity,
      span('2026-06-01', '2026-11-07'),
    );
    await expect(buy(series)).rejects.toThrow(PlatformStop);
    expect(sent()).toBe(1 + 3 * 2);
    expect(series.curve().counts.some((count) => Number.isNaN(count))).toBe(true);
  });

  it('take no more requests than allowed', async () => {
    const { series, sent } = await scene(shortPage(7), Infinity);
    await expect(buy(series, new Allowance(2))).rejects.toThrow('approved requests are used up');
    expect(sent()).toBe(2);
  });

  it('are given up after three answers that were lost', async () => {
    const { series, sent } = await scene(PLATFORM_FAULTS.reset, Infinity);
    await buy(series);
    expect(sent()).toBe(3);
    expect([...new Set(series.curve().states)]).toEqual([STATE.failed]);
  });

  it('end with what the platform says where it refuses', async () => {
    const { series } = await scene(PLATFORM_FAULTS.refused(403, {}), Infinity);
    await expect(buy(series)).rejects.toThrow('The platform refused the request. Refused');
  });
});

it('a query too long for recent counts is only asked of the archive', () => {
  const terms = (access: 'pay-per-use' | 'self-service', query: string) =>
    platformTerms({ settings: { ...DEFAULT_PLATFORM_SETTINGS, access }, clockAheadMs: 5 }, query);
  expect(terms('pay-per-use', 'tea')).toMatchObject({ endpoints: 'both', clockSkewMs: 5 });
  expect(terms('pay-per-use', 'tea '.repeat(200)).endpoints).toBe('all');
  expect(terms('self-service', 'tea').endpoints).toBe('recent');
});
