import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Board } from '#app/board/state/board.svelte.ts';
import { csvJob } from '#app/board/files/export-input.ts';
import { coveredSpans } from '#app/counts/source-policy.ts';
import { Formatter } from '#app/format/formatter.ts';
import { csvBlocks } from '#core/export/csv.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { roundedMean, roundedPercent, roundedShare } from '#app/format/rounded.ts';
import type { ColumnId } from '#app/insight/summary/summary-columns.ts';
import { summaryRows } from '#app/insight/summary/summary-rows.ts';
import { exportedSummary, summaryTable } from '#app/insight/summary/summary-tables.ts';
import { bucketSubject } from '#app/insight/drawer/inspected.ts';
import { headOf } from '#core/counts/head.ts';
import { STATE } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { localText } from '#core/time/local-text.ts';
import { DAY_MS, HOUR_MS, intersect, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { boardOf } from '#tests/app/board/counted-board.ts';
import { openDashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { startService, type TestPost, type TestService } from '#tests/support/service/service.ts';
import { long } from '#tests/support/run/long.ts';

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata'] as const;
const QUERIES = ['tea', 'milk'] as const;
const BASE = Date.UTC(2025, 1, 3);
const format = new Formatter('en-GB');

/** Posts of several weeks, a later clock, and a range that may start before the first Post or end after the last. */
const boards = fc
  .record({
    days: fc.integer({ min: 3, max: 60 }),
    at: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(2)), {
      minLength: 2,
      maxLength: 120,
    }),
    /** Minutes from the newest Post to now, and whether the store receives new ones. */
    since: fc.integer({ min: 1, max: 20 * 24 * 60 }),
    posted: fc.boolean(),
    /** Start and length of the range, as fractions of the time from ten days before the Posts to five days after now. */
    from: fc.double({ min: 0, max: 0.8, noNaN: true }),
    length: fc.double({ min: 0.01, max: 1, noNaN: true }),
    byMinute: fc.boolean(),
    /** True if the range ends after now and the earlier period is covered. */
    running: fc.boolean(),
  })
  .map(({ days, at, since, posted, from, length, byMinute, running }) => {
    const posts = at.map(([part, topic], i): TestPost => ({
      id: BigInt(i + 1),
      createdAt: BASE + Math.floor(part * days * DAY_MS),
      text: ['tea', 'milk', 'tea milk'][topic] ?? '',
    }));
    const last = Math.max(...posts.map(({ createdAt }) => Number(createdAt)));
    const now = Math.ceil(last / SECOND_MS) * SECOND_MS + since * MINUTE_MS;
    const [first, end] = [BASE - 10 * DAY_MS, now + 5 * DAY_MS];
    const covered = posts.reduce((least, { createdAt }) => Math.min(least, Number(createdAt)), now);
    const start = running
      ? now - Math.max(HOUR_MS, length * 0.48 * (now - covered))
      : Math.min(first + from * (end - first), now - HOUR_MS);
    if (running) return { posts, posted: true, now, span: { start, end }, byMinute };
    const span = { start, end: Math.min(end, start + Math.max(HOUR_MS, length * (end - start))) };
    return { posts, posted, now, span, byMinute };
  });

/** All Posts of a store at a midnight that is a minute ago. */
const AT_MIDNIGHT = {
  posts: [{ id: 1n, createdAt: BASE, text: 'tea' }],
  posted: true,
  now: BASE + MINUTE_MS,
  span: { start: BASE - HOUR_MS, end: BASE + 5 * DAY_MS },
  byMinute: false,
};

/** The service's total for a span, page by page; the service counts nothing outside its stated coverage. */
async function countedBy(service: TestService, query: string, span: Span): Promise<number> {
  let total = 0;
  let next: string | undefined;
  do {
    const parameters = new URLSearchParams({
      query,
      granularity: 'day',
      start_time: new Date(span.start).toISOString(),
      end_time: new Date(span.end).toISOString(),
      ...(next && { next_token: next }),
    });
    const answer = await service.request(`/2/tweets/counts/all?${parameters}`);
    expect(answer.status).toBe(200);
    const { meta } = (await answer.json()) as {
      meta: { total_tweet_count: number; next_token?: string };
    };
    total += meta.total_tweet_count;
    next = meta.next_token;
  } while (next);
  return total;
}

/** Waits until all series of the board are counted. */
async function settled(board: Board): Promise<void> {
  const done = (): boolean =>
    board.series.all.every(
      (series) =>
        series.run.phase === 'done' &&
        (board.compared === null || (series.earlier?.phase === 'done' && series.before !== null)),
    );
  for (let turns = 0; !done(); turns += 1) {
    if (turns > 20_000) throw new Error('the board does not finish');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function csvOf(board: Board, form: 'long' | 'wide'): string {
  const decoder = new TextDecoder();
  const job = csvJob(board, form, { separator: ',', mark: false });
  return [...csvBlocks(job, board.time.table)].map(({ bytes }) => decoder.decode(bytes)).join('');
}

/** The figures of every series at one resolution, after checking that they agree everywhere. */
async function figuresOf(board: Board): Promise<unknown[]> {
  const series = board.series.loaded;
  const {
    time: { resolution: per, now, zone },
  } = board;
  const rows = summaryRows({ series, per, now, window: null, format: format.in(zone) });
  const shown = summaryTable(rows, { per, earlier: 'previous' });
  const [heads = [], ...exported] = exportedSummary(
    rows,
    { per, earlier: 'previous' },
    board.time.table,
  );
  const long = await readCsv(csvOf(board, 'long'));
  const wide = await readCsv(csvOf(board, 'wide'));
  if (!long.ok || !wide.ok) throw new Error('expected readable files');
  return series.map((each, i) => {
    const { summary, before, curve, name } = each;
    const row = rows[i];
    if (!summary || !curve || !row) throw new Error('expected a counted series');
    const value = (column: ColumnId): number => row.cells[column].value;
    const finite = (figure: number): number | null => (Number.isFinite(figure) ? figure : null);
    expect(shown[i + 1]?.[shown[0]?.indexOf('Complete') ?? -1]).toEqual(
      roundedShare(value('complete')),
    );
    const columns = Object.fromEntries(heads.map((head, k) => [head, exported[i]?.[k]]));
    expect(columns).toMatchObject({
      series: name,
      total: finite(value('total')),
      [`mean per ${per}`]: finite(roundedMean(value('mean'))),
      [`median per ${per}`]: finite(roundedMean(value('median'))),
      peak: finite(value('peak')),
      'change since the previous period': finite(roundedPercent(value('change'))),
      share: finite(roundedPercent(value('share'))),
      complete: finite(roundedShare(value('complete'))),
      covered: finite(roundedShare(row.covered)),
    });
    const uncovered = Number.isNaN(summary.share);
    if (uncovered) return { name, covered: 0 };
    expect(value('total')).toBe(summary.total);
    expect(value('complete')).toBe(summary.share);
    const change = before?.change.ok ? before.change.value.change : null;
    if (change !== null && Number.isFinite(change)) expect(value('change')).toBe(change);
    // Files have every bucket that has started; uncovered buckets are empty cells marked as such.
    for (const { series: files } of [long, wide]) {
      const file = files[i]?.curve;
      if (!file) throw new Error('expected the series in the file');
      const counts = [...file.counts].map((count) => (Number.isNaN(count) ? 0 : count));
      expect(counts.reduce((a, b) => a + b, 0)).toBe(summary.total);
      expect(Math.max(...counts)).toBe(summary.peak?.value ?? 0);
      const uncoveredBuckets = [...file.states].filter((state) => state === STATE.uncovered).length;
      expect(uncoveredBuckets).toBe(summary.of.uncovered);
    }
    const whole = [...(long.series[i]?.curve.counts ?? [])].filter(
      (_, k) => (long.series[i]?.curve.states[k] ?? 0) >= STATE.provisional,
    );
    if (summary.of.mean.ok) {
      expect(value('mean')).toBeCloseTo(whole.reduce((a, b) => a + b, 0) / whole.length, 9);
    } else expect(whole).toEqual([]);
    const { from, to } = board.time.rows;
    expect(bucketSubject(each, curve, from, to, zone).count).toBe(summary.total);
    const { total, share, covered } = summary;
    return { name, total, share, covered, change: before?.change, shareOfVoice: value('share') };
  });
}

test('figures agree with the service everywhere and at every resolution', async () => {
  await fc.assert(
    fc.asyncProperty(boards, async ({ posts, posted, now, span, byMinute }) => {
      const time = new FakeTime(now);
      const service = startService({ posts, posted, now: () => time.now });
      const tab = openDashboard(service, { time });
      try {
        const [source] = (await tab.sources()).sources.filter(({ id }) => id === 'posts');
        if (!source) throw new Error('expected Your posts');
        const covered = coveredSpans(source.coverage);
        const { board } = boardOf(() => tab.run(), {
          sources: () => tab.sources(),
          now: () => tab.client.now(),
          later: (act) => setImmediate(act),
        });
        const exact = byMinute && span.end - span.start < 60 * DAY_MS;
        for (const zone of ZONES) {
          const local = (at: number): string =>
            localText(Math.floor(at / MINUTE_MS) * MINUTE_MS, board.time.table).slice(
              0,
              exact ? 16 : 10,
            );
          board.time.zone = zone;
          const range = { from: local(span.start), to: local(span.end) };
          const series = QUERIES.map((query) => ({ query, label: '', hidden: false }));
          board.apply({ source: 'posts', zone, range, series }, []);
          await board.loadSources();
          const days = (board.time.asked.end - board.time.asked.start) / DAY_MS;
          const resolutions: Resolution[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
          if (days < 3) resolutions.unshift('minute');
          const all: unknown[] = [];
          for (const resolution of resolutions) {
            board.chooseResolution(resolution);
            await settled(board);
            all.push(await figuresOf(board));
          }
          for (const figures of all) expect(figures).toEqual(all[0]);
          // For two minutes after midnight the newest counts end there.
          const reach = {
            start: board.time.span.start,
            end: Math.min(board.time.span.end, headOf(now).end),
          };
          const known = covered.flatMap((each) => intersect(each, reach) ?? []);
          for (const { shown, summary } of board.series.all) {
            let total = 0;
            for (const part of known) total += await countedBy(service, shown, part);
            if (known.length > 0) expect(summary?.total).toBe(total);
            else expect(summary?.share).toBeNaN();
          }
          const totals = board.series.all.map(({ summary }) => summary?.total ?? 0);
          const sum = totals.reduce((a, b) => a + b, 0);
          const shares = (all[0] as { shareOfVoice?: number }[]).map(
            ({ shareOfVoice = Number.NaN }) => shareOfVoice,
          );
          if (known.length > 0 && sum > 0) {
            shares.forEach((shareOfVoice, i) =>
              expect(shareOfVoice).toBeCloseTo((totals[i] ?? 0) / sum, 12),
            );
          }
        }
        for (const series of board.series.all) series.dispose();
      } finally {
        await service.close();
      }
    }),
    {
      numRuns: long() ? 4 : 1,
      examples: [[AT_MIDNIGHT]],
    },
  );
});
