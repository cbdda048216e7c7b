import { askedRun } from '#tests/app/board/asked-run.ts';
import {
  boardOf,
  byHours,
  given,
  NOW,
  PLATFORM_SOURCE,
  sourceOf,
} from '#tests/app/board/counted-board.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';
import { describe, expect, it } from 'vitest';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { Need } from '#app/counts/need.ts';
import { SAMPLE_SERIES } from '#app/board/state/board-options.ts';
import { formatView, parseView, type ViewSeries } from '#app/board/state/view.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { platformAnswer } from '#tests/app/board/platform-answer.ts';
import { pairOf } from '#tests/core/series/formulas.ts';

/** A run that knows every bucket up to an instant. */
const knownRun = (known: number): DrawnRun =>
  new DrawnRun(NOW, (_, end) => (end <= known ? 'settled' : 'never'));

/** A run whose finer counts arrive late: each query and period at its own time. */
class Late extends DrawnRun {
  override async ask(need: Need): Promise<void> {
    const before = need.span.end < Date.UTC(2026, 2, 4);
    const late = { tea: before ? 6 : 0, oat: before ? 12 : 3 }[need.query] ?? 0;
    for (let i = 0; i < late; i += 1) await new Promise((done) => setImmediate(done));
    await super.ask(need);
  }
}

const OWN = { first: '2014-07-12T10:00:00Z', last: '2017-09-30T10:00:00Z' };
const NO_POSTS = { posts: 0, first: null, last: null, coverage: [] };

/** A board of a user with so many Posts, whose runs only record their needs. */
function boardWith(count: number, platform?: () => Promise<PlatformAnswer>) {
  let posts = count;
  const made = boardOf(() => askedRun(), {
    sources: () =>
      given(
        sourceOf('posts', posts > 0 ? { posts, ...OWN } : NO_POSTS),
        sourceOf('sample'),
        ...(platform ? [PLATFORM_SOURCE] : []),
      )(),
    ...(platform && { platform }),
    zone: 'Europe/Berlin',
  });
  const gain = (more: number): void => {
    posts += more;
  };
  return { ...made, gain };
}

const ANSWER = platformAnswer({});

const queries = (board: Board): string[] => board.series.all.map((series) => series.text);

describe('a first visit', () => {
  it('opens the sample with its topics while the user has no Posts', async () => {
    const { board, runs } = boardWith(0);
    await board.loadSources();
    expect(board.source.id).toBe('sample');
    expect(queries(board)).toEqual(SAMPLE_SERIES.map((series) => series.query));
    expect(runs.map((run) => run.needs.length)).toEqual([1, 1, 1]);
    // The last of the sample's three years, so that an earlier period exists for comparison.
    expect(board.time.range).toEqual({ preset: '1y' });
    expect(runs[0]?.needs[0]).toMatchObject({
      resolution: 'day',
      zone: 'Europe/Berlin',
      endpoint: 'all',
    });
  });

  it('opens the user’s Posts over their whole span if there are any', async () => {
    const { board } = boardWith(5);
    await board.loadSources();
    expect(board.source.id).toBe('posts');
    expect(board.time.range).toEqual({ preset: 'all' });
    expect(board.time.span).toEqual({
      start: Date.UTC(2014, 6, 11, 22),
      end: Date.UTC(2017, 8, 30, 22),
    });
    expect(queries(board)).toEqual(['min_likes:0']);
  });
});

describe('the platform', () => {
  it('has terms before its first request, and keeps the latest ones while it is unreachable', async () => {
    let answer: () => Promise<PlatformAnswer> = () => Promise.resolve(ANSWER);
    const { board } = boardWith(0, () => answer());
    expect(board.source.platform).toBeNull();
    await board.loadSources();
    expect(board.source.platform).toBe(ANSWER);
    answer = () => Promise.reject(new Error('away'));
    await board.source.loadPlatform();
    expect(board.source.platform).toBe(ANSWER);
    const dearer = platformAnswer({ access: 'enterprise' });
    answer = () => Promise.resolve(dearer);
    await board.source.loadPlatform();
    expect(board.source.platform).toBe(dearer);
  });

  it('is not asked for its terms if it is not a source', async () => {
    const { board } = boardWith(0);
    await board.loadSources();
    expect([board.source.platform, board.source.all?.length]).toEqual([null, 2]);
  });

  it.each([
    ['pay-per-use', '30d'],
    ['enterprise', '30d'],
    ['self-service', '7d'],
  ] as const)(
    'with %s access opens on an empty query over %s: one request',
    async (access, preset) => {
      const { board, runs } = boardWith(0, () => Promise.resolve(platformAnswer({ access })));
      await board.loadSources();
      board.chooseSource('platform');
      expect([board.time.range, queries(board)]).toEqual([{ preset }, ['']]);
      expect(runs.at(-1)?.needs).toEqual([]);
    },
  );
});

describe('the next tab', () => {
  it.each([
    ['sample', 'summary', ['peaks', 'discover', 'heat', 'summary']],
    ['sample', 'calendar', ['summary', 'peaks', 'discover', 'heat']],
    ['sample', 'table', ['summary', 'peaks', 'discover', 'heat']],
    ['sample', 'ledger', ['peaks', 'discover', 'heat', 'summary']],
    ['sample', 'heat', ['events', 'summary', 'peaks', 'discover']],
    ['sample', 'events', ['summary', 'peaks', 'discover', 'heat']],
    ['platform', 'discover', ['heat', 'ledger', 'summary', 'peaks']],
  ] as const)('is one that there is: on %s, after %s', async (source, first, expected) => {
    const { board } = boardWith(0, () => Promise.resolve(platformAnswer({})));
    await board.loadSources();
    board.chooseSource(source);
    board.hasEvents = () => first === 'events' || first === 'heat';
    board.chooseTab(first);
    const opened = expected.map(() => {
      board.nextTab();
      return board.tab;
    });
    expect(opened).toEqual(expected);
  });
});

describe('Posts imported later', () => {
  it('replace the sample of a first visit unless the user changed the board', async () => {
    for (const changed of [false, true]) {
      const { board, gain } = boardWith(0);
      await board.loadSources();
      expect(board.untouched).toBe(true);
      if (changed) board.choosePreset('3y');
      expect(board.untouched).toBe(!changed);
      gain(7);
      await board.loadSources();
      expect(board.source.id).toBe(changed ? 'sample' : 'posts');
      expect(queries(board)).toEqual(
        changed ? SAMPLE_SERIES.map((series) => series.query) : ['min_likes:0'],
      );
    }
  });

  it('appear on the empty board of a user who chose them before', async () => {
    const { board, gain } = boardWith(0);
    await board.loadSources();
    board.chooseSource('posts');
    expect(queries(board)).toEqual([]);
    gain(7);
    await board.loadSources();
    expect(queries(board)).toEqual(['min_likes:0']);
    expect(board.time.span.start).toBe(Date.UTC(2014, 6, 11, 22));
  });
});

describe('loading', () => {
  it('requests a typed query once, after a pause and only if it is valid', async () => {
    const { board, runs, rest } = boardWith(5);
    await board.loadSources();
    const series = board.series.add();
    board.type(series, 'tea');
    board.type(series, 'tea OR');
    await rest();
    expect(runs[1]?.needs).toHaveLength(0);
    board.type(series, ' tea OR coffee ');
    await rest();
    board.commit(series);
    expect(runs[1]?.needs.map((need) => need.query)).toEqual(['tea OR coffee']);
    expect(series.shown).toBe('tea OR coffee');
  });

  it('requests again when range, zone, resolution or endpoint change', async () => {
    const { board, runs } = boardWith(0);
    await board.loadSources();
    board.choosePreset('30d');
    board.chooseZone('UTC');
    board.chooseResolution('hour');
    board.chooseEndpoint('recent');
    const needs = runs[0]?.needs ?? [];
    expect(needs.map(({ zone, resolution, endpoint }) => [zone, resolution, endpoint])).toEqual([
      ['Europe/Berlin', 'day', 'all'],
      ['Europe/Berlin', 'day', 'all'],
      ['UTC', 'day', 'all'],
      ['UTC', 'hour', 'all'],
      ['UTC', 'hour', 'recent'],
    ]);
    expect(board.time.range).toEqual({ preset: '7d' });
  });

  it('repeats requests that failed because the service was offline', async () => {
    const { board, runs } = boardWith(0);
    await board.loadSources();
    await board.loadSources();
    expect(runs[0]?.needs).toHaveLength(1);
    if (runs[0]) runs[0].offline = true;
    await board.loadSources();
    expect(runs.map((run) => run.needs.length)).toEqual([2, 1, 1]);
  });

  it('leaves a resolution that does not suit a new range', async () => {
    const { board } = boardWith(0);
    await board.loadSources();
    board.chooseResolution('quarter');
    expect(board.time.resolution).toBe('quarter');
    board.choosePreset('24h');
    expect(board.time.resolution).toBe('hour');
  });
});

describe('the list of series', () => {
  it('restores a removed series at its place', async () => {
    const { board, runs } = boardWith(0);
    await board.loadSources();
    const [, second] = board.series.all;
    if (!second) throw new Error('expected a second series');
    const undo = board.series.remove(second);
    expect(queries(board)).toHaveLength(2);
    undo();
    expect(board.series.all[1]).toBe(second);
    expect(runs[1]?.needs).toHaveLength(2);
  });

  it('adds one query per line, each with its own style', async () => {
    const { board } = boardWith(0);
    await board.loadSources();
    board.series.paste(['tea', 'cocoa', 'from:shop has:links']);
    expect(queries(board)).toHaveLength(6);
    expect(new Set(board.series.all.map((series) => series.number)).size).toBe(6);
    const [first] = board.series.all;
    if (first) board.series.remove(first);
    expect(board.series.add({ query: 'milk', label: '', hidden: false }).number).toBe(0);
  });

  it('shows one series alone, and then all again', async () => {
    const { board } = boardWith(0);
    await board.loadSources();
    const [, second] = board.series.all;
    if (!second) throw new Error('expected a second series');
    board.series.solo(second);
    expect(board.series.visible).toEqual([second]);
    board.series.solo(second);
    expect(board.series.visible).toHaveLength(3);
  });

  it('focuses an empty query instead of adding another', async () => {
    const { board } = boardWith(5);
    await board.loadSources();
    board.series.add();
    board.series.add();
    expect(queries(board)).toEqual(['min_likes:0', '']);
  });
});

describe('the view', () => {
  it('reproduces the board elsewhere', async () => {
    const here = boardWith(0).board;
    await here.loadSources();
    here.choosePreset('1y');
    here.chooseResolution('week');
    here.chooseZone('Asia/Tokyo');
    here.time.zoom = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 3, 1) };
    const [first] = here.series.all;
    if (first) first.hidden = true;
    const there = boardWith(0).board;
    there.apply(here.view(), []);
    await there.loadSources();
    expect(there.view()).toEqual(here.view());
    expect([...there.time.edges.all]).toEqual([...here.time.edges.all]);
  });

  it('keeps the counts of queries that remain', async () => {
    const { board, runs } = boardWith(0);
    await board.loadSources();
    const view = board.view();
    const series = [...(view.series ?? [])].reverse().slice(0, 2);
    board.apply({ ...view, series: [...series, { query: 'tea', label: '', hidden: false }] }, []);
    expect(queries(board)).toEqual(['"cold brew"', 'matcha', 'tea']);
    expect(runs.map((run) => run.needs.length)).toEqual([1, 1, 1, 1]);
  });

  it('shows the whole range if a zoom lies outside it, and says so', () => {
    const { board } = boardWith(0);
    const zoom = { start: Date.UTC(2010, 0, 1), end: Date.UTC(2010, 1, 1) };
    board.apply({ zone: 'UTC', range: { preset: '7d' }, zoom }, []);
    expect(board.time.zoom).toBeNull();
    expect(board.time.window).toEqual(board.time.span);
    expect(board.problems).toEqual(['The zoom is outside the range.']);
  });

  it('reports an invalid range and applies the rest', () => {
    const { board } = boardWith(0);
    board.apply({ zone: 'UTC', range: { from: '2026-99-01', to: '2026-01-01' } }, ['x']);
    expect(board.time.zone).toBe('UTC');
    expect(board.problems).toHaveLength(2);
    expect(board.problems[1]).toMatch(/no month 99/);
  });
});

describe('a zoom', () => {
  const tea: ViewSeries = { query: 'tea', label: '', hidden: false };
  const zoom = { start: Date.UTC(2026, 2, 3), end: Date.UTC(2026, 2, 6) };

  /** A board whose runs are of one kind. */
  async function zoomed<R extends Run>(make: () => R) {
    const made = boardOf(make, { zone: 'Europe/Berlin' });
    const view = { source: 'sample', resolution: 'day', series: [tea] } as const;
    made.board.apply({ ...view, zone: 'Europe/Berlin' }, []);
    await made.board.loadSources();
    return made;
  }

  it('switches to the fitting resolution once it rests and all its counts are known', async () => {
    const { board, rest } = await zoomed(() => knownRun(Infinity));
    const whole = board.time.edges.all.length;
    board.time.zoom = zoom;
    expect(board.time.resolution).toBe('day');
    await rest();
    expect([board.time.resolution, board.detailed]).toEqual(['hour', true]);
    expect(board.time.rows.to - board.time.rows.from).toBe(72);
    expect(board.series.all[0]?.curve?.bounds).toBe(board.series.all[0]?.detail?.curve?.bounds);
    expect(board.time.rangeEdges.all).toHaveLength(whole);
    board.time.zoom = null;
    expect([board.time.resolution, board.time.edges.all.length]).toEqual(['day', whole]);
  });

  it('keeps the resolution of the range while finer counts are missing', async () => {
    const { board, rest } = await zoomed(() => knownRun(Date.UTC(2026, 2, 5)));
    board.time.zoom = zoom;
    await rest();
    expect([board.time.resolution, board.detailed]).toEqual(['day', false]);
    board.time.zoom = { start: Date.UTC(2026, 2, 3), end: Date.UTC(2026, 2, 4) };
    expect(board.time.resolution).toBe('hour');
  });

  it('has no change before the history that says how much such times vary', async () => {
    /** A run that waits for whole weeks before a view. */
    class Waiting extends DrawnRun {
      static free: (() => void)[] = [];
      override async ask(need: Need): Promise<void> {
        const { start, end } = need.span;
        if (end - start > 50 * DAY_MS && end < NOW - 6 * DAY_MS) {
          await new Promise<void>((done) => Waiting.free.push(done));
        }
        await super.ask(need);
      }
    }
    const { board, rest } = await zoomed(() => new Waiting(NOW, undefined, byHours));
    const free = async (): Promise<void> => {
      Waiting.free.splice(0).forEach((go) => go());
      await rest();
    };
    const [series] = board.series.all;
    await free();
    await free();
    for (const preset of ['7d', '30d'] as const) {
      board.choosePreset(preset);
      expect(series?.noise).toBeNull();
      await rest();
      expect([series?.run.phase, series?.noise, series?.before]).toEqual(['done', null, null]);
      expect(series?.loading).toBe(true);
      await free();
      expect([series?.before?.change.ok, series?.loading]).toEqual([true, false]);
      board.refresh();
      expect(series?.noise).not.toBeNull();
      await free();
    }
  });

  it('is compared with the earlier period in its own buckets for every series', async () => {
    const { board, rest } = await zoomed(() => new Late(NOW, undefined, byHours));
    board.series.add({ query: 'oat', label: '', hidden: false });
    await rest();
    board.time.zoom = zoom;
    for (let i = 0; i < 40; i += 1) await rest();
    expect(board.time.resolution).toBe('hour');
    for (const { earlier, before } of board.series.all) {
      expect(earlier?.curve?.bounds).toHaveLength(73);
      expect(before?.change.ok).toBe(true);
    }
    board.time.zoom = null;
    for (let i = 0; i < 40; i += 1) await rest();
    expect(board.series.all.map(({ before }) => before !== null)).toEqual([true, true]);
  });

  it('uses the resolution chosen for it, including that of the range', async () => {
    const { board, runs, rest } = await zoomed(() => knownRun(Infinity));
    board.time.zoom = zoom;
    board.chooseResolution('minute');
    await rest();
    expect([board.time.resolution, board.time.fine, board.view().fine]).toEqual([
      'minute',
      'minute',
      'minute',
    ]);
    expect(runs[0]?.needs.every((need) => need.resolution === 'day')).toBe(true);
    board.chooseResolution('day');
    await rest();
    expect([board.time.resolution, board.view().fine]).toEqual(['day', 'off']);
    board.time.zoom = null;
    expect(board.time.fine).toBe('auto');
  });
});

describe('a live board', () => {
  it('becomes live by its address on the user’s Posts, but on the platform only by hand', () => {
    const { board } = boardWith(5, () => Promise.resolve(ANSWER));
    board.apply({ source: 'posts', live: true }, []);
    expect(board.live).toBe(true);
    board.chooseSource('platform');
    expect(board.live).toBe(false);
    board.apply({ source: 'platform', live: true }, []);
    expect(board.live).toBe(false);
  });
});

describe('computed series', () => {
  const query = (text: string): ViewSeries => ({ query: text, label: '', hidden: false });

  async function three() {
    const { board } = boardWith(0);
    board.apply({ source: 'sample', series: ['a', 'b', 'c'].map(query) }, []);
    await board.loadSources();
    const [a, b, c] = board.series.all;
    if (!a || !b || !c) throw new Error('expected three series');
    return { board, a, b, c };
  }
  const names = (board: Board): string[] => board.series.all.map((series) => series.name);

  it('are named by their formula, which the address writes with the places of its parts', async () => {
    const { board, a, c } = await three();
    const part = board.series.compute(pairOf('part', c.id, a.id));
    board.series.move(part, -3);
    expect(names(board)).toEqual(['c ÷ (c + a)', 'a', 'b', 'c']);
    const sum = board.series.compute(pairOf('sum', a.id, c.id));
    const more = board.series.compute(pairOf('difference', part.id, sum.id));
    expect(more.name).toBe('(c ÷ (c + a)) − (a + c)');
    for (const series of board.series.all.slice(-2)) board.series.remove(series);
    const address = formatView(board.view());
    expect(address).toContain('calc=D/%28D%2BB%29');
    const other = boardWith(0).board;
    other.apply(parseView(address).view, []);
    expect(names(other)).toEqual(names(board));
    expect(formatView(other.view())).toBe(address);
  });

  it('are removed and restored with their parts, at their places', async () => {
    const { board, a, b } = await three();
    const ratio = board.series.compute(pairOf('quotient', a.id, b.id));
    board.series.compute(pairOf('sum', ratio.id, b.id));
    const before = formatView(board.view());
    const undo = board.series.remove(a);
    expect(names(board)).toEqual(['b', 'c']);
    undo();
    expect(formatView(board.view())).toBe(before);
  });

  it('survive applying the same address, with their parts', async () => {
    const { board, a, b } = await three();
    const sum = board.series.compute(pairOf('sum', a.id, b.id));
    board.apply(board.view(), []);
    expect(board.series.all.at(-1)).toBe(sum);
  });

  it('move no further than the ends of the list', async () => {
    const { board, a, c } = await three();
    board.series.move(a, -1);
    board.series.move(c, 5);
    expect(names(board)).toEqual(['a', 'b', 'c']);
    board.series.move(a, 5);
    expect(names(board)).toEqual(['b', 'c', 'a']);
  });
});

describe('the rows of tables and files', () => {
  it('end with the running bucket, and follow the zoom', async () => {
    const { board } = boardWith(0);
    await board.loadSources();
    board.choosePreset('this-week');
    board.chooseResolution('day');
    // Monday 16 to Friday 20 November, in a week that ends on the 22nd.
    expect(board.time.edges.all).toHaveLength(8);
    expect(board.time.rows).toEqual({ from: 0, to: 5 });
    board.time.zoom = { start: Date.UTC(2026, 10, 17, 6), end: Date.UTC(2026, 10, 18, 6) };
    expect(board.time.rows).toEqual({ from: 1, to: 3 });
  });
});

describe('the platform as the source', () => {
  async function boardAt(answer: PlatformAnswer) {
    const made = boardOf(() => askedRun(), {
      sources: given(PLATFORM_SOURCE),
      platform: () => Promise.resolve(answer),
    });
    const { board, runs } = made;
    board.apply({ source: 'platform', series: [{ query: 'tea', label: '', hidden: false }] }, []);
    await board.loadSources();
    const need = (): Need | undefined => runs[0]?.needs.at(-1);
    return { board, runs, need };
  }

  it('is asked for the last days only if its token reaches no further', async () => {
    const { board, need } = await boardAt(platformAnswer({ access: 'self-service' }));
    expect(board.source.endpoint).toBe('recent');
    expect(need()).toMatchObject({ endpoint: 'recent', policy: { endpoints: 'recent' } });
    expect(board.view().endpoint).toBeUndefined();
    expect(board.series.all[0]?.limit).toBe(512);
    board.source.id = 'sample';
    expect(board.source.endpoint).toBe('all');
  });

  it('accepts queries up to the length that its token allows', async () => {
    for (const [access, limit] of [
      ['pay-per-use', 1024],
      ['enterprise', 4096],
    ] as const) {
      const { board } = await boardAt(platformAnswer({ access }));
      expect(board.series.all[0]?.limit).toBe(limit);
    }
  });

  it('is asked again when minutes are turned on, and not if nothing changed', async () => {
    const { board, runs, need } = await boardAt(platformAnswer({}));
    expect(need()?.minutes).toBe(false);
    board.chooseMinutes(true);
    expect(need()?.minutes).toBe(true);
    const loads = runs[0]?.needs.length;
    board.chooseMinutes(true);
    await board.loadSources();
    expect(runs[0]?.needs).toHaveLength(loads ?? 0);
    const [series] = board.series.all;
    if (series) board.fill(series);
    expect(runs[0]?.needs).toHaveLength((loads ?? 0) + 1);
  });

  it('loads the earlier period too when a plan that was put off is loaded after all', async () => {
    const { board, runs } = await boardAt(platformAnswer({}));
    const [main] = runs;
    const [series] = board.series.all;
    if (!main || !series) throw new Error('expected a series with a run');
    main.phase = 'cancelled';
    board.chooseComparison('previous');
    await series.asked;
    const before = runs.length;
    main.phase = 'done';
    board.fill(series);
    const start = main.needs.at(-1)?.span.start ?? 0;
    await expect
      .poll(
        () => runs.slice(before).some(({ needs }) => (needs[0]?.span.end ?? Infinity) <= start),
        {
          timeout: 10_000,
        },
      )
      .toBe(true);
  });
});
