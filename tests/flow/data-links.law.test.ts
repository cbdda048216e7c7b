import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { csvJob } from '#app/board/files/export-input.ts';
import { Board } from '#app/board/state/board.svelte.ts';
import { csvBlocks } from '#core/export/csv.ts';
import { omit } from '#core/omit.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import { command } from '#tests/support/service/command.ts';
import { dataLink, storeBoard } from '#tests/support/service/data-links.ts';
import { openDashboard } from '#tests/support/browser/dashboard.ts';
import { pairOf } from '#tests/core/series/formulas.ts';
import { until } from '#tests/support/data/storms.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { runs } from '#tests/support/run/runs.ts';
import { startService, type TestPost } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const time = new FakeTime(NOW);
const FIRST = NOW - 400 * DAY_MS;
const WORDS = ['tea', 'coffee', 'oat milk', '=cmd'];
const posts: TestPost[] = Array.from({ length: 3000 }, (_, i) => ({
  id: 1_990_000_000_000_000_000n + BigInt(i),
  createdAt: FIRST + Math.floor((i / 3000) ** 0.5 * 400 * DAY_MS),
  text: WORDS[i % 4] ?? '',
  authorId: String(700 + (i % 5)),
  username: `user${i % 5}`,
}));
const service = startService({ now: () => time.now, posts, posted: true, copied: true });
afterAll(() => service.close());
const send = (path: string, init?: RequestInit): Promise<Response> => service.request(path, init);

const day = fc
  .integer({ min: 0, max: 399 })
  .map((n) => new Date(FIRST + n * DAY_MS).toISOString().slice(0, 10));
const QUERIES = ['tea', 'coffee OR tea', '"oat milk"', 'from:user1', 'tea -from:user2'];
const boards = fc.record({
  queries: fc.uniqueArray(fc.constantFrom(...QUERIES), { minLength: 1, maxLength: 4 }),
  days: fc.tuple(day, day).map((pair) => pair.toSorted()),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
  by: fc.constantFrom(...RESOLUTIONS.filter((each) => each !== 'minute')),
});

/** The day after a day, which the command line takes as the end. */
const after = (text: string): string =>
  new Date(Date.parse(text) + DAY_MS).toISOString().slice(0, 10);

/** The text of a link's file, read without a session. */
async function linked(id: string, view: View, file: string, search = ''): Promise<string> {
  await storeBoard(send, id, view);
  const { id: link, path } = await dataLink(send, id);
  const answer = await service.request(`${path}/${file}${search}`, { headers: { cookie: '' } });
  // A login has a hundred links.
  await send(`/links/${link}`, { method: 'DELETE' });
  return await answer.text();
}

/** The files that the dashboard exports of a view. */
async function exported(view: View): Promise<Record<'wide' | 'long', string>> {
  const tab = openDashboard(service, { time });
  const board = new Board({
    run: () => tab.run(),
    sources: () => tab.sources(),
    platform: () => Promise.reject(new Error('no platform here')),
    now: () => time.now,
    zone: 'UTC',
    weekStart: 1,
    later: (act) => setImmediate(act),
  });
  board.apply(view, []);
  await board.loadSources();
  const asked = board.series.all.filter(({ kind }) => kind === 'query');
  await until(() => asked.every(({ run }) => run.phase === 'done'));
  const textOf = (form: 'wide' | 'long'): string => {
    const job = csvJob(board, form, { separator: ',', mark: false });
    const decoder = new TextDecoder();
    return [...csvBlocks(job, board.time.table)]
      .map(({ bytes }) => decoder.decode(bytes, { stream: true }))
      .join('');
  };
  return { wide: textOf('wide'), long: textOf('long') };
}

const queried = (query: string) => ({ query, label: '', hidden: false });
let boardsMade = 0;

describe('the bytes of a data link', () => {
  it('equal those of groundswell counts', async () => {
    await fc.assert(
      fc.asyncProperty(boards, async ({ queries, days: [from = '', to = ''], zone, by }) => {
        const view: View = {
          source: 'posts',
          range: { from, to },
          zone,
          resolution: by,
          weekStart: 1,
          series: queries.map(queried),
        };
        for (const form of ['wide', 'long'] as const) {
          const { out } = await command(
            [
              'counts',
              ...queries,
              '--data',
              service.folder,
              '--zone',
              zone,
              '--from',
              from,
              '--to',
              after(to),
              '--granularity',
              by,
              `--${form}`,
            ],
            { now: () => time.now },
          );
          expect(await linked(`counts ${(boardsMade += 1)}`, view, `${form}.csv`)).toBe(out);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('equal those of the board’s CSV, also with parameters', async () => {
    const chosen = fc.record({
      last: fc.constantFrom('30d', '1y', 'this-month', 'last-week', 'all'),
      by: fc.constantFrom('day', 'week', 'month'),
      zone: fc.constantFrom('Europe/Berlin', 'Asia/Kathmandu'),
    });
    await fc.assert(
      fc.asyncProperty(boards, fc.option(chosen), async (board, other) => {
        const {
          queries,
          days: [from = '', to = ''],
          zone,
          by,
        } = board;
        const view: View = {
          source: 'posts',
          range: { from, to },
          zone,
          resolution: by,
          weekStart: 7,
          comparison: 'previous',
          series: [
            { ...queried('tea'), label: '=SUM(A1) "T", é' },
            ...queries.map(queried),
            { ...queried('coffee'), hidden: true },
            { ...queried(''), label: 'Part', formula: pairOf('part', 1, 2) },
          ],
        };
        const { last, ...rest } = other ?? { last: null };
        const seen = {
          ...view,
          ...(last && { range: { preset: last } }),
          ...('by' in rest && { resolution: rest.by, zone: rest.zone }),
        } as View;
        const search = other ? `?${new URLSearchParams(other)}` : '';
        const files = await exported(omit(seen, 'comparison'));
        for (const [form, text] of Object.entries(files)) {
          const id = `exported ${(boardsMade += 1)}`;
          expect(await linked(id, view, `${form}.csv`, search)).toBe(text);
        }
      }),
      // In Node the board computes a derived value at every reading.
      { numRuns: runs(50) },
    );
  });
});
