import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { PlatformSettings } from '#contract/counts/platform.ts';
import { DAY_MS } from '#core/time/span.ts';
import { openPlatform } from '#server/platform/store.ts';
import { command, serve, type CommandOptions } from '#tests/support/service/command.ts';
import { absentPage, isCounts } from '#tests/support/service/faults.ts';
import { pagesSpan, POSTS, storms } from '#tests/support/service/paid-service.ts';
import {
  heldUp,
  PLATFORM_FAULTS,
  startPlatform,
  type TestPlatform,
} from '#tests/support/service/platform.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

let platform: TestPlatform;
let data: string;
beforeAll(async () => {
  platform = await startPlatform({ posts: POSTS });
});
afterAll(async () => {
  await platform.close();
});
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'groundswell-paid-'));
  giveTinySample(data);
  change({});
  before = platform.sent.length;
});
afterEach(() => {
  platform.repair();
  rmSync(data, { recursive: true, force: true });
});

/** Changes the stored settings, without a pause between requests to the archive. */
function change(settings: Partial<PlatformSettings>): void {
  const store = openPlatform(join(data, 'platform.sqlite'));
  store.putSettings({ ...DEFAULT_PLATFORM_SETTINGS, archiveSpacingMs: 0, ...settings });
  store.close();
}

const environment = (): Record<string, string> => ({
  GROUNDSWELL_PLATFORM_TOKEN: platform.token,
  GROUNDSWELL_PLATFORM_URL: platform.url,
});

const run = (args: readonly string[], options: CommandOptions = {}) =>
  command([...args, '--data', data], { environment: environment(), ...options });

/** The spending by the ledger of the data folder. */
function ledger(): string {
  const store = openPlatform(join(data, 'platform.sqlite'));
  const uncertain = store.uncertain().price / 1e6;
  const all = store.sum(0, 100_000).price / 1e6;
  store.close();
  return `Spent $${(all - uncertain).toFixed(2)}, perhaps $${uncertain.toFixed(2)} more.`;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** Three whole pages of the archive, settled. */
const SPAN = pagesSpan(3);
const RANGE = ['--from', day(SPAN.start), '--to', day(SPAN.end)];
const counts = (...args: string[]) => [
  'counts',
  'storm',
  '--source',
  'platform',
  ...RANGE,
  ...args,
];

/** Number of requests that reached the platform in earlier tests. */
let before = 0;

/** Number of requests of this test that reached the platform. */
const reached = (): number => platform.sent.length - before;

/** The counts of a long CSV; null for an empty cell. */
const cells = (csv: string): (number | null)[] =>
  csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(',').at(-4) ?? '')
    .map((cell) => (cell === '' ? null : Number(cell)));

const sum = (numbers: readonly (number | null)[]): number =>
  numbers.reduce<number>((total, n) => total + (n ?? 0), 0);

describe('groundswell counts on the platform', () => {
  it('prints the plan and the price first, and buys nothing without approval', async () => {
    const { code, out, err } = await run(counts());
    expect([code, out, reached()]).toEqual([2, '', 0]);
    expect(err).toContain('storm: 3 requests, $0.03; 0 of 93 days were bought before\n');
    expect(err).toContain('In all: 3 requests, $0.03; at most 3 requests more, $0.03');
    expect(err).toContain('Spent today: $0.00 (cap: $25.00); this month: $0.00 (cap: $100.00).');
    expect(err).toMatch(/This costs \$0\.03: give --yes to spend it\.\n$/);
    const asked: string[] = [];
    const refused = await run(counts(), {
      confirm: async (question) => {
        asked.push(question);
        return false;
      },
    });
    expect([refused.code, refused.out, asked, reached()]).toEqual([1, '', ['Spend $0.03?'], 0]);
  });

  it('refuses an end within an hour, which would be bought as a whole', async () => {
    const from = `${day(SPAN.start)}T10:30Z`;
    const args = ['counts', 'storm', '--source', 'platform', '--from', from, ...RANGE.slice(2)];
    const { code, err } = await run([...args, '--granularity', 'day', '--yes']);
    expect([code, reached()]).toEqual([2, 0]);
    expect(err).toContain(`--from ${from} is within an hour`);
    expect(err).toContain(`such as ${day(SPAN.start)}T10:00Z.`);
  });

  it('buys the plan, and the same counts cost nothing later', async () => {
    const bought = await run(counts('--yes'));
    expect([bought.code, reached()]).toEqual([0, 3]);
    expect(bought.err).toContain('Spent $0.03.\n');
    expect(cells(bought.out)).toHaveLength(93);
    expect(sum(cells(bought.out))).toBe(storms(SPAN));
    const again = await run(counts());
    expect([again.code, again.out, reached()]).toEqual([0, bought.out, 3]);
    expect(again.err).toContain('93 of 93 days were bought before\nNothing to buy.\n');
    // Hours were bought, so finer buckets and other zones of whole hours cost nothing either.
    const hours = await run(counts('--granularity', 'hour', '--zone', 'UTC'));
    expect([hours.code, sum(cells(hours.out)), reached()]).toEqual([0, storms(SPAN), 3]);
  });

  it('goes through a running service, whose budget and vault it uses', async () => {
    const service = await serve(data, { environment: environment() });
    const bought = await run(counts('--yes'), { environment: {} });
    expect([bought.code, reached(), sum(cells(bought.out))]).toEqual([0, 3, storms(SPAN)]);
    const plan = await run(['plan', 'storm', 'calm', ...RANGE, '--json'], { environment: {} });
    expect(JSON.parse(plan.out)).toMatchObject({
      requests: 3,
      money: 0.03,
      queries: [
        { query: 'storm', requests: 0, days: 93, days_bought_before: 93, windows: [] },
        { query: 'calm', requests: 3, money: 0.03 },
      ],
    });
    await service.stop();
    const again = await run(counts());
    expect([again.code, again.out, reached()]).toEqual([0, bought.out, 3]);
  });

  it('stops at a cap: what is missing is empty, and the code says so', async () => {
    change({ caps: { day: { requests: 2, money: null }, month: { requests: null, money: null } } });
    const { code, out, err } = await run(counts('--yes', '--long'));
    expect([code, reached()]).toEqual([3, 2]);
    expect(err).toContain('Your cap of 2 requests per day does not allow this request');
    expect(err).toContain('31 counts are missing, and left empty.\n');
    const found = cells(out);
    expect(found.filter((count) => count === null)).toHaveLength(31);
    expect(sum(found)).toBe(storms({ start: SPAN.start + 31 * DAY_MS, end: SPAN.end }));
  });

  it('stops when it is interrupted, and keeps what was bought', async () => {
    const stop = new AbortController();
    const { fault, reached: arrived, release } = heldUp();
    platform.inject(isCounts, (_, pass) => pass(), 1);
    platform.inject(isCounts, fault, 1);
    const running = run(counts('--yes'), { stopping: stop.signal });
    await arrived;
    stop.abort();
    release();
    const { code, out, err } = await running;
    expect([code, out]).toEqual([130, '']);
    expect(err).toContain('Spent $0.02.\nInterrupted.');
    const rest = await run(['plan', 'storm', ...RANGE]);
    expect(rest.out).toContain('storm: 1 request, $0.01; 62 of 93 days were bought before\n');
  });

  it('buys a page that fails its check once more, within the spare requests', async () => {
    platform.inject(isCounts, PLATFORM_FAULTS.pages.gap, 1);
    const { code, out, err } = await run(counts('--yes'));
    expect([code, reached(), sum(cells(out))]).toEqual([0, 4, storms(SPAN)]);
    expect(err).toContain('Spent $0.04.\n');
  });

  it('leaves counts out that fail their check twice, rather than zero', async () => {
    platform.inject(isCounts, PLATFORM_FAULTS.pages.wrongTotal, 2);
    const { code, out } = await run(counts('--yes'));
    expect([code, reached()]).toEqual([3, 4]);
    expect(cells(out).filter((count) => count === null)).toHaveLength(31);
    expect(out).toContain(',,failed,platform,');
  });

  it('has an answer without data confirmed, once for all', async () => {
    const nothing = ['counts', 'xyzzy', '--source', 'platform', ...RANGE, '--yes'];
    platform.inject(isCounts, absentPage);
    const waits: number[] = [];
    const { code, out } = await run(nothing, {
      sleep: async (ms) => void waits.push(ms),
    });
    expect([code, reached(), waits]).toEqual([0, 4, [60_000]]);
    expect(new Set(cells(out))).toEqual(new Set([0]));
    expect((await run(nothing.slice(0, -1))).code).toBe(0);
    expect(reached()).toBe(4);
  });

  it.each([
    [
      'a connection that is reset once',
      PLATFORM_FAULTS.reset,
      1,
      'Spent $0.03, perhaps $0.01 more.',
    ],
    ['bodies that are cut twice', PLATFORM_FAULTS.cutShort, 2, 'Spent $0.03, perhaps $0.02 more.'],
    [
      'connections that are all reset',
      PLATFORM_FAULTS.reset,
      99,
      'Spent $0.00, perhaps $0.06 more.',
    ],
  ])('says what was perhaps spent, as the ledger has it: %s', async (_, fault, times, words) => {
    platform.inject(isCounts, fault, times);
    const { err } = await run(counts('--yes'));
    expect(err).toContain(`${words}\n`);
    expect(words).toBe(ledger());
  });

  it('waits where the platform’s limit is reached', async () => {
    let now = Date.now();
    const reset = Math.ceil(now / 1000) + 900;
    platform.inject(
      isCounts,
      async () =>
        new Response('{}', {
          status: 429,
          headers: { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(reset) },
        }),
      1,
    );
    const waits: number[] = [];
    const { code, out } = await run(counts('--yes'), {
      sleep: async (ms) => {
        waits.push(ms);
        now += ms;
      },
      now: () => now,
    });
    expect([code, reached(), sum(cells(out))]).toEqual([0, 4, storms(SPAN)]);
    expect(waits.reduce((total, ms) => total + ms, 0)).toBeGreaterThan(890_000);
  });

  it('says that the platform is not connected', async () => {
    const { code, err } = await run(counts('--yes'), { environment: {} });
    expect([code, err]).toEqual([1, expect.stringContaining('The platform is not connected')]);
    const plan = await run(['plan', 'storm', ...RANGE], { environment: {} });
    expect([plan.code, plan.out]).toEqual([
      0,
      expect.stringContaining('In all: 3 requests, $0.03'),
    ]);
  });
});

describe('groundswell search on the platform', () => {
  const search = (...args: string[]) => [
    'search',
    'storm',
    '--source',
    'platform',
    ...RANGE,
    ...args,
  ];

  it('prints the highest price first, and then the Posts', async () => {
    const refused = await run(search('--limit', '25'));
    expect([refused.code, reached()]).toEqual([2, 0]);
    expect(refused.err).toContain('At most $0.125: $0.005 for each of at most 25 Posts.');
    const { code, out, err } = await run(search('--limit', '25', '--yes'));
    expect(code).toBe(0);
    const posts = out.trim().split('\n');
    expect(posts).toHaveLength(25);
    expect(JSON.parse(posts[0] ?? '')).toMatchObject({ data: { text: 'a storm at sea' } });
    expect(err).toContain('Spent $0.125.\n');
  });

  it('says what was perhaps spent, as the ledger has it, where an answer is lost', async () => {
    const isSearch = ({ path }: { path: string }): boolean => path.includes('/2/tweets/search/');
    platform.inject(isSearch, PLATFORM_FAULTS.reset);
    const { code, out, err } = await run(search('--limit', '10', '--yes'));
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain('Spent $0.00, perhaps $0.05 more.\n');
    expect(ledger()).toBe('Spent $0.00, perhaps $0.05 more.');
  });
});
