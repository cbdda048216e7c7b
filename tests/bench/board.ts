import { join } from 'node:path';
import { chromium as playwright, type Page } from 'playwright';
import { chromium } from '#tests/support/run/chromium.ts';
import { firstCurveWeights, MOST_BYTES } from '#tests/support/browser/weight.ts';
import type { BoardTimes, fill, frames, measure, openEvents, turnEvents } from './board-page.ts';
import { digits, fact, goal, shown, table, timing, type Timing } from './measure.ts';
import { serveBuilt } from './modules.ts';
import type { TurnTimes } from './turns.ts';

interface Bench {
  readonly fill: typeof fill;
  readonly measure: typeof measure;
  readonly frames: typeof frames;
  readonly openEvents: typeof openEvents;
  readonly turnEvents: typeof turnEvents;
}

/** Builds the page of the bench, and opens it as often as wanted: as after a reload, nothing is in its memory. */
async function onPages(
  folder: string,
  act: (open: <T>(use: (page: Page) => Promise<T>) => Promise<T>) => Promise<void>,
): Promise<void> {
  const server = await serveBuilt('board', join(folder, 'board'));
  const browser = await playwright.launch(await chromium());
  try {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    await act(async (use) => {
      const page = await context.newPage();
      page.on('pageerror', (error) => fact(String(error)));
      await page.goto(server.url);
      await page.waitForFunction(() => 'bench' in window, null, { timeout: 5_000 });
      const result = await use(page);
      await page.close();
      return result;
    });
  } finally {
    await browser.close();
    await server.close();
  }
}

function turnGoals(frames: Timing, uplot: Timing): void {
  goal('JavaScript a frame, median', frames.median, '≤', 6, ' ms');
  goal('JavaScript a frame, p95', frames.p95, '≤', 16, ' ms');
  goal('JavaScript a frame, over uPlot', frames.median / uplot.median, '≤', 1.3, ' ×');
}

/** Times only the frames, without a cache. */
export async function benchTurns(folder: string, buckets: number, rounds: number): Promise<void> {
  const times: TurnTimes[] = [];
  await onPages(folder, async (open) => {
    for (let round = 0; round < rounds; round += 1) {
      times.push(
        await open((page) =>
          page.evaluate(
            (buckets) => (window as unknown as { bench: Bench }).bench.frames(buckets),
            buckets,
          ),
        ),
      );
    }
  });
  const all = (pick: (each: TurnTimes) => readonly number[]) => timing(times.flatMap(pick));
  const [frames, uplot] = [all((each) => each.frames), all((each) => each.uplot)];
  table(`Five series of ${buckets.toLocaleString('en')} minutes in Chromium, ms`, [
    ['what', 'ours', 'reference'],
    ['a turn of the wheel', shown(frames), `uPlot ${shown(uplot)}`],
  ]);
  turnGoals(frames, uplot);
}

/** Milliseconds a turn of the wheel, of a chart without events and of one with them. */
interface EventTimes {
  /** JavaScript by the clock. */
  readonly script: readonly (readonly number[])[];
  /** Processor time of the main thread with the layout, the mean of all turns. */
  readonly thread: readonly number[];
}

async function eventTimes(page: Page, buckets: number, count: number): Promise<EventTimes> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const threadTime = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN);
  };
  const turn = (charts: readonly number[]): Promise<readonly (readonly number[])[]> =>
    page.evaluate(
      (charts) => (window as unknown as { bench: Bench }).bench.turnEvents(charts),
      charts,
    );
  await page.evaluate(
    ([buckets, count]) => (window as unknown as { bench: Bench }).bench.openEvents(buckets, count),
    [buckets, count] as const,
  );
  // Warms up both.
  await turn([0, 1]);
  const script = await turn([0, 1]);
  const thread: number[] = [];
  for (const chart of [0, 1]) {
    const before = await threadTime();
    const [turns = []] = await turn([chart]);
    thread.push(((await threadTime()) - before) / turns.length);
  }
  return { script, thread };
}

/** Times the frames of a chart over a row of events, and without it. */
export async function benchEvents(
  folder: string,
  { buckets, count, rounds }: { buckets: number; count: number; rounds: number },
): Promise<void> {
  const times: EventTimes[] = [];
  await onPages(folder, async (open) => {
    for (let round = 0; round < rounds; round += 1) {
      times.push(await open((page) => eventTimes(page, buckets, count)));
    }
  });
  const scripts = [0, 1].map((chart) => times.flatMap(({ script }) => script[chart] ?? []));
  const threads = [0, 1].map((chart) => times.map(({ thread }) => thread[chart] ?? Number.NaN));
  // Of the same window, one right after the other: on a busy machine the medians of all turns differ by chance.
  const more = ([without = [], withEvents = []]: readonly (readonly number[])[]): Timing =>
    timing(withEvents.map((time, i) => time - (without[i] ?? Number.NaN)));
  const row = (name: string, script: Timing, thread: Timing): string[] => [
    name,
    `${shown(script)}, p95 ${digits(script.p95)}`,
    shown(thread),
  ];
  table(`${count.toLocaleString('en')} events under a zooming chart in Chromium, ms a frame`, [
    ['what', 'JavaScript', 'processor time with layout, mean'],
    row('without events', timing(scripts[0] ?? []), timing(threads[0] ?? [])),
    row('with events', timing(scripts[1] ?? []), timing(threads[1] ?? [])),
    row('more, turn by turn', more(scripts), more(threads)),
  ]);
  goal('JavaScript a frame, more with events', more(scripts).median, '≤', 1, ' ms');
}

/** Times the board in Chromium, as a production build: five series of minutes in the browser's cache. */
export async function benchBoard(folder: string, cells: number, rounds: number): Promise<void> {
  const sum = firstCurveWeights().reduce((bytes, weight) => bytes + weight.bytes, 0);
  goal('JavaScript before the first curve', sum / 1000, '≤', MOST_BYTES / 1000, ' kB');
  const times: BoardTimes[] = [];
  await onPages(folder, async (open) => {
    await open((page) =>
      page.evaluate((cells) => (window as unknown as { bench: Bench }).bench.fill(cells), cells),
    );
    for (let round = 0; round < rounds; round += 1) {
      times.push(
        await open((page) =>
          page.evaluate(
            (cells) => (window as unknown as { bench: Bench }).bench.measure(cells),
            cells,
          ),
        ),
      );
    }
  });
  const of = (pick: (each: BoardTimes) => number) => timing(times.map(pick));
  const all = (pick: (each: BoardTimes) => readonly number[]) => timing(times.flatMap(pick));
  const [frames, uplot] = [all((each) => each.frames), all((each) => each.uplot)];
  const echarts = all((each) => each.echarts);
  const row = (name: string, ours: string, reference: string): string[] => [name, ours, reference];
  table(`Five series of ${(times[0]?.buckets ?? 0).toLocaleString('en')} minutes in Chromium, ms`, [
    ['what', 'ours', 'reference'],
    row(
      'days from a fresh worker',
      shown(of((each) => each.days)),
      `raw ${shown(of((each) => each.daysRaw))}`,
    ),
    row('the same to the canvas', shown(of((each) => each.drawn)), ''),
    row(
      'all minutes and pyramids',
      shown(of((each) => each.minutes)),
      `raw ${shown(of((each) => each.minutesRaw))}`,
    ),
    row('longest task meanwhile', shown(of((each) => each.longest)), ''),
    row(
      'another zone, by days',
      shown(of((each) => each.another)),
      `sums ${shown(of((each) => each.anotherRaw))}`,
    ),
    row('a turn of the wheel', shown(frames), `uPlot ${shown(uplot)}`),
    row('', '', `ECharts, every point of one series ${shown(echarts)}`),
  ]);
  table('On the main thread, of one curve of them all, ms', [
    ['what', 'ms'],
    ...Object.keys(times[0]?.derived ?? {}).map((name) => [
      name,
      shown(of((each) => each.derived[name] ?? Number.NaN)),
    ]),
  ]);
  goal('first curve, days', of((each) => each.drawn).median, '≤', 1000, ' ms');
  goal('all minutes', of((each) => each.minutes).median, '≤', 4000, ' ms');
  goal(
    'all minutes, over the pages raw',
    of((each) => each.minutes / each.minutesRaw).median,
    '≤',
    1.5,
    ' ×',
  );
  goal('longest task of the main thread', of((each) => each.longest).median, '≤', 50, ' ms');
  turnGoals(frames, uplot);
  const whole = (100 * frames.median) / (5 * echarts.median);
  goal('JavaScript a frame, of five times ECharts with every point', whole, '≤', 1, ' %');
  goal('another zone', of((each) => each.another).median, '≤', 50, ' ms');
  fact('these times exclude what the app loads and requests before its worker starts');
}
