import { describe, expect, it } from 'vitest';
import { chartSummary } from '#app/board/chart-panel/chart-summary.ts';
import { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import type { View } from '#app/board/state/view.ts';
import { Formatter } from '#app/format/formatter.ts';
import { DAY_MS } from '#core/time/span.ts';
import { countedBoard, NOW } from '#tests/app/board/counted-board.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';

const START = Date.UTC(2026, 0, 1);
/** Posts of the days with peaks: of tea, and of cocoa, on one day of both. */
const BURSTS: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  tea: { 40: 900, 80: 700, 120: 500 },
  cocoa: { 80: 400, 160: 300 },
};
const counted = (query: string, start: number): number =>
  BURSTS[query]?.[(start - START) / DAY_MS] ?? 20 + ((start / DAY_MS) % 5);
const VIEW: View = {
  range: { from: '2026-01-01', to: '2026-09-30' },
  resolution: 'day',
  series: ['tea', 'cocoa'].map((query) => ({ query, label: '', hidden: false })),
};
const GROUP = { kind: 'phrase', name: 'free biscuits', clause: '"free biscuits"' } as const;
const CAUSES = {
  posts: 900,
  groups: [{ ...GROUP, alone: true, posts: 558, usual: 1 }],
  rest: { posts: 342, usual: 20 },
  missing: [],
};

async function opened(view = VIEW) {
  const made = await countedBoard(view, undefined, counted);
  const { board } = made;
  const asked: string[] = [];
  let answer = (): Promise<unknown> => Promise.resolve({ data: CAUSES });
  const tasks: (() => void)[] = [];
  const waits: number[] = [];
  const inspector = new PeakInspector(board, {
    search: () => Promise.resolve({ posts: [], next: null }),
    client: {
      json: (async (path: string) => {
        const { searchParams } = new URL(path, 'http://127.0.0.1');
        asked.push(`${searchParams.get('query')} ${searchParams.get('start_time')?.slice(0, 10)}`);
        return await answer();
      }) as never,
    },
    acting: { id: null },
    run: () => new DrawnRun(NOW, undefined, counted),
    later: (act, ms = 0) => {
      waits.push(ms);
      tasks.push(act);
    },
  });
  const turn = async (): Promise<void> => {
    for (let i = 0; i < 9; i += 1) await Promise.resolve();
  };
  /** Follows the board until nothing is left to read. */
  const rest = async (): Promise<string[]> => {
    const before = asked.length;
    do {
      inspector.causes.follow(inspector.found.peaks);
      for (const task of tasks.splice(0)) task();
      await turn();
    } while (tasks.length > 0);
    return asked.slice(before);
  };
  const known = (): string[] =>
    inspector.found.peaks
      .filter(({ causes }) => causes)
      .map(({ series, at }) => `${series.name} ${new Date(at).toISOString().slice(0, 10)}`);
  const answerWith = (by: typeof answer) => void (answer = by);
  return { ...made, inspector, asked, tasks, waits, turn, rest, known, answerWith };
}

const ALL = ['tea 2026-02-10', 'tea 2026-03-22', 'tea 2026-05-01', 'cocoa 2026-06-10'];

describe('the causes of the peaks that a chart marks', () => {
  it('are read one after the other, the largest first, and each once', async () => {
    const { rest, known, board, inspector, asked, tasks, turn } = await opened();
    inspector.causes.follow(inspector.found.peaks);
    tasks.shift()?.();
    expect([asked.length, tasks.length]).toEqual([1, 0]);
    await turn();
    expect([asked.length, tasks.length]).toEqual([1, 1]);
    await rest();
    expect(asked).toEqual(ALL);
    expect(known()).toEqual(ALL);
    const format = new Formatter('en-GB');
    expect(chartSummary(board, { marks: [], peaks: inspector.found.peaks }, format)).toContain(
      'Peaks and what they were about: Tue, 10 Feb 2026, tea: “free biscuits” 62%; Sun, 22 Mar',
    );
    board.time.zoom = { start: START + 30 * DAY_MS, end: START + 90 * DAY_MS };
    await rest();
    board.time.zoom = null;
    expect(await rest()).toEqual([]);
    expect(known()).toEqual(ALL);
  });

  it('are read of the peaks that the finding names first', async () => {
    const { inspector, asked, tasks } = await opened();
    const [, , smaller] = inspector.found.peaks;
    inspector.causes.follow(inspector.found.peaks, [smaller?.key ?? '']);
    tasks.shift()?.();
    expect(asked).toEqual(['cocoa 2026-03-22']);
  });

  it('are read again when the source has changed, and are named meanwhile', async () => {
    const { rest, known, board, answerWith } = await opened();
    await rest();
    const change = (): void => {
      const [info] = board.source.all ?? [];
      if (info) board.source.all = [{ ...info, revision: info.revision + 1 }];
    };
    change();
    expect(known()).toEqual(ALL);
    expect(await rest()).toEqual(ALL);
    // One that fails is not tried again.
    change();
    answerWith(() => Promise.reject(new Error('busy')));
    expect(await rest()).toEqual(ALL);
    expect([await rest(), known()]).toEqual([[], []]);
  });

  it('are read again after ten seconds, by the last counts, while Posts of the peak arrive', async () => {
    const { inspector, rest, asked, tasks, waits, turn } = await opened();
    await rest();
    const moved = (by: number) =>
      inspector.found.peaks.map((each) => {
        const { peak } = each;
        return each.number === 1 ? { ...each, peak: { ...peak, count: peak.count + by } } : each;
      });
    for (const by of [1, 2, 3]) inspector.causes.follow(moved(by));
    expect([tasks.length, waits.at(-1)]).toEqual([1, 10_000]);
    tasks.shift()?.();
    await turn();
    expect(asked.slice(ALL.length)).toEqual(ALL.slice(0, 1));
    inspector.causes.follow(moved(3));
    expect(tasks).toEqual([]);
  });

  it.each<[string, (board: Awaited<ReturnType<typeof opened>>['board']) => void]>([
    ['offline', (board) => (board.source.offline = true)],
    ['from the platform', (board) => (board.source.id = 'platform')],
    [
      'of a sample that is being made',
      ({ source }) => (source.all = source.all?.map((each) => ({ ...each, making: 40 })) ?? null),
    ],
    [
      'in a cluster',
      ({ source }) =>
        (source.all = source.all?.map((each) => ({ ...each, cluster: true })) ?? null),
    ],
    ['while counts load', ({ series }) => Object.assign(series.all[1]!.run, { phase: 'fetching' })],
    ['during a zoom', (board) => (board.time.zoom = { start: START, end: START + 90 * DAY_MS })],
  ])('are not read %s', async (_, change) => {
    const { rest, board } = await opened();
    change(board);
    expect(await rest()).toEqual([]);
  });

  it('are known once the user has read the Posts of a peak', async () => {
    const { inspector, known, rest } = await opened();
    const [peak] = inspector.found.peaks;
    inspector.pickPeak(peak?.key ?? '');
    inspector.follow();
    const { subject } = inspector.drawer;
    if (subject) inspector.causes.take(subject, CAUSES);
    expect(known()).toEqual(ALL.slice(0, 1));
    expect(await rest()).toEqual(ALL.slice(1));
  });
});
