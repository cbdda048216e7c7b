import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import { peaksFound } from '#app/insight/peaks/peaks-found.ts';
import { searchHours } from '#core/series/peaks.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import { pickSpan } from '#app/board/state/pick-span.ts';
import { countedBoard, inHour, NOW } from '#tests/app/board/counted-board.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';

it('finds peaks of long curves in steps and elsewhere, and those of short curves at once', async () => {
  const series = ['tea', 'cocoa'].map((query) => ({ query, label: '', hidden: false }));
  const burst = Date.UTC(2025, 5, 10, 12);
  const { board } = await countedBoard(
    { range: { from: '2025-01-01', to: '2025-12-31' }, resolution: 'minute', series },
    undefined,
    (_, start) => (start >= burst && start < burst + HOUR_MS ? 40 : 1),
  );
  const tasks: (() => void)[] = [];
  const searches: (() => void)[] = [];
  const inspector = new PeakInspector(board, {
    search: () => Promise.resolve({ posts: [], next: null }),
    client: { json: () => Promise.reject(new Error('not part of this test')) },
    acting: { id: null },
    run: () => new DrawnRun(NOW),
    later: (act) => tasks.push(act),
    searchHours: async (...of) => {
      await new Promise<void>((resolve) => searches.push(resolve));
      return searchHours(...of);
    },
  });
  /** Runs all tasks up to the searches that are waiting. */
  const settle = async (): Promise<void> => {
    do {
      for (const task of tasks.splice(0)) task();
      for (let turn = 0; turn < 9; turn += 1) await Promise.resolve();
    } while (tasks.length > 0);
  };
  const named = (): string[] => [
    ...new Set(inspector.found.peaks.map(({ series }) => series.name)),
  ];
  expect([named(), tasks.length]).toEqual([[], 2]);
  expect([named(), tasks.length]).toEqual([[], 2]);
  await settle();
  expect([named(), searches.length]).toEqual([[], 2]);
  searches.shift()?.();
  await settle();
  expect(named()).toEqual(['tea']);
  // An answer for counts that are no longer shown marks nothing on those that are.
  board.chooseResolution('day');
  await board.series.all.at(-1)?.asked;
  const byDay = peaksFound(board.series.all, board.time.zone, null);
  expect(inspector.found).toEqual(byDay);
  searches.shift()?.();
  await settle();
  expect(inspector.found).toEqual(byDay);
  expect(tasks).toEqual([]);
});

it('inspects a column of several buckets by the series with the most Posts in total', async () => {
  const series = ['big', 'small'].map((query) => ({ query, label: '', hidden: false }));
  const first = Date.UTC(2025, 0, 1);
  const { board } = await countedBoard(
    { range: { from: '2025-01-01', to: '2025-01-05' }, resolution: 'day', series, zone: 'UTC' },
    undefined,
    (query, start) => (query === 'small' ? 1 : start === first ? 0 : 1000),
  );
  pickSpan(board, board.time.span);
  expect(board.picked?.of).toBe(board.series.all[0]?.id);
  // A dragged span counts its outer buckets whole.
  pickSpan(board, { start: first + 30 * HOUR_MS, end: first + 75 * HOUR_MS });
  expect(board.picked?.span).toEqual({ start: first + 24 * HOUR_MS, end: first + 96 * HOUR_MS });
});

describe('the drawer', () => {
  /** Places every Post at the start of its hour, so that buckets of all widths agree. */
  const counted = (query: string, start: number, end: number): number => {
    let sum = 0;
    for (let at = Math.ceil(start / HOUR_MS) * HOUR_MS; at < end; at += HOUR_MS) {
      sum += inHour(query, at);
    }
    return sum;
  };
  const series = ['tea', 'cocoa'].map((query) => ({ query, label: '', hidden: false }));
  const VIEW = {
    range: { from: '2026-05-01', to: '2026-08-31' },
    resolution: 'day',
    series,
  } as const;
  const picks = {
    day: { start: Date.UTC(2026, 6, 14), end: Date.UTC(2026, 6, 15) },
    hour: { start: Date.UTC(2026, 6, 14, 9), end: Date.UTC(2026, 6, 14, 10) },
    month: { start: Date.UTC(2026, 6, 1), end: Date.UTC(2026, 7, 1) },
    days: { start: Date.UTC(2026, 6, 14), end: Date.UTC(2026, 6, 17) },
  } satisfies Record<string, Span>;

  async function openInspector(view: Parameters<typeof countedBoard>[0] = VIEW) {
    const made = await countedBoard(view, undefined, counted);
    const inspector = new PeakInspector(made.board, {
      search: () => Promise.resolve({ posts: [], next: null }),
      client: { json: () => Promise.reject(new Error('not part of this test')) },
      acting: { id: null },
      run: () => new DrawnRun(NOW, undefined, counted),
      later: (act) => act(),
    });
    /** Waits until the effects of a change have arrived. */
    const settled = async (): Promise<void> => {
      await made.rest();
      inspector.follow();
      await made.rest();
      inspector.follow();
    };
    /** Expects the drawer to show the picked span of the shown query. */
    const check = (): void => {
      const {
        series: { all: series },
        picked,
      } = made.board;
      const { subject } = inspector.drawer;
      const shown = series.find(({ id }) => id === picked?.of);
      expect(subject === null).toBe(picked === null);
      if (!picked || !subject || !shown) return;
      expect(subject.span).toEqual(picked.span);
      expect(subject.query).toBe(shown.shown);
      expect(subject.count).toBe(counted(shown.shown, picked.span.start, picked.span.end));
    };
    return { ...made, inspector, settled, check };
  }
  type Opened = Awaited<ReturnType<typeof openInspector>>;

  it('shows the count of a picked day while the chart shows months, and of the month once picked', async () => {
    const { board, inspector, settled } = await openInspector();
    const [tea] = board.series.all;
    board.picked = { span: picks.day, of: tea?.id ?? 0 };
    await settled();
    const day = counted('tea', picks.day.start, picks.day.end);
    expect(inspector.drawer.subject).toMatchObject({ span: picks.day, count: day });
    board.chooseResolution('month');
    // Until the counts arrive, the drawer keeps its subject.
    inspector.follow();
    expect(inspector.drawer.subject).toMatchObject({ span: picks.day });
    await settled();
    expect(inspector.drawer.subject).toMatchObject({ span: picks.day, count: day });
    inspector.pick(picks.month);
    await settled();
    const { subject } = inspector.drawer;
    expect(subject?.span).toEqual(picks.month);
    expect(subject?.count).toBe(counted(subject?.query ?? '', picks.month.start, picks.month.end));
  });

  it('asks nothing about a time to come', async () => {
    const { board, inspector, settled } = await openInspector();
    board.chooseRange({ from: '2026-05-01', to: '2026-12-31' });
    await settled();
    const start = Date.UTC(2026, 11, 24);
    board.picked = { span: { start, end: start + DAY_MS }, of: board.series.all[0]?.id ?? 0 };
    await settled();
    const { subject, postsReading } = inspector.drawer;
    expect([subject?.time, subject?.query, postsReading]).toEqual(['to come', '', 'offer']);
  });

  it('opens by a link for a span that is not a bucket of the chart', async () => {
    const { settled, check, inspector } = await openInspector({
      ...VIEW,
      resolution: 'month',
      picked: { of: 2, span: picks.days },
    });
    await settled();
    expect(inspector.drawer.subject).not.toBeNull();
    check();
  });

  it('closes with its series', async () => {
    const { board, inspector, settled } = await openInspector();
    const [tea] = board.series.all;
    if (!tea) throw new Error('expected a series');
    board.picked = { span: picks.day, of: tea.id };
    await settled();
    board.series.remove(tea);
    await settled();
    expect([inspector.drawer.subject, board.picked]).toEqual([null, null]);
  });

  const CHANGES: Record<string, (opened: Opened, n: number) => void> = {
    resolution: ({ board }, n) => board.chooseResolution(RESOLUTIONS[1 + (n % 5)] ?? 'day'),
    zone: ({ board }, n) =>
      board.chooseZone(['UTC', 'Asia/Tokyo', 'Europe/Berlin', 'Asia/Kolkata'][n % 4] ?? 'UTC'),
    range: ({ board }, n) =>
      board.chooseRange(
        n % 3 ? { from: `2026-0${1 + (n % 7)}-10`, to: '2026-08-20' } : { preset: '30d' },
      ),
    zoom: ({ board }, n) => {
      const { start } = board.time.span;
      board.time.zoom = n % 2 ? { start: start + n * DAY_MS, end: start + (n + 3) * DAY_MS } : null;
    },
    query: ({ board }, n) => {
      const series = board.series.all[n % 2];
      if (series) board.type(series, `q${n}`);
    },
    week: ({ board }, n) => board.chooseWeekStart(n % 2 ? 1 : 7),
    refresh: ({ board }) => board.refresh(),
    pick: ({ board }, n) => {
      const span = Object.values(picks)[n % 4];
      const series = board.series.all[n % 2];
      if (span && series) board.picked = { span, of: series.id };
    },
    peaks: ({ board, inspector }, n) => {
      const [peak] = inspector.found.peaks.slice(n);
      if (peak && peak.span.end < NOW && !board.time.zoom) inspector.pickPeak(peak.key);
    },
  };

  it('shows the picked span, whatever else changes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(CHANGES)), fc.nat(20)), {
          minLength: 1,
          maxLength: 6,
        }),
        async (changes) => {
          const made = await openInspector();
          CHANGES['pick']?.(made, 0);
          await made.settled();
          made.check();
          for (const [name, n] of changes) {
            CHANGES[name]?.(made, n);
            await made.settled();
            made.check();
          }
        },
      ),
      { numRuns: runs(40) },
    ));
});
