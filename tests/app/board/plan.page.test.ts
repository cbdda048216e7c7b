import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { Fault, PROBLEMS } from '#contract/fault.ts';
import { BUDGET_REACHED } from '#contract/counts/platform.ts';
import { DAY_MS } from '#core/time/span.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { plan } from './a-plan.ts';
import { DrawnRun } from './drawn-run.svelte.ts';
import { platformAnswer } from './platform-answer.ts';
import { NOW, rig, WAIT } from './rig.ts';
import { textOf } from '#tests/support/browser/mounted.ts';

const VIEW: View = {
  range: { preset: '3y' },
  resolution: 'week',
  series: [
    { query: '"oat milk" OR #oatmilk', label: 'Oat milk', hidden: false },
    { query: 'matcha', label: 'Matcha', hidden: false },
    { query: '"cold brew" (summer OR iced)', label: 'Cold brew, iced', hidden: false },
  ],
};
const PLANS = [
  plan({ all: 2, money: 0.02, bytes: 12_000, owned: 1034 }),
  plan({ recent: 1, all: 35, money: 0.355 }),
  plan({ all: 34, money: 0.34, held: 2 }),
];
const tight = platformAnswer({
  day: { requests: null, money: 0.76 },
  today: { requests: 36, money: 0.36 },
});

async function openPage(over: Partial<Parameters<typeof rig>[0]> = {}) {
  const runs = [new DrawnRun(NOW), new DrawnRun(NOW), new DrawnRun(NOW)] as const;
  runs[1].patch((_, to) => (to < NOW - 300 * DAY_MS ? 'never' : 'settled'));
  runs[2].patch(() => 'never');
  const made = await rig({ platform: platformAnswer({}), view: VIEW, runs, ...over });
  const chart = (): Element | null => made.target.querySelector('.chart [role=img]');
  await expect.poll(() => chart()?.querySelector('canvas'), WAIT).toBeTruthy();
  // Statuses, marks, notices and this description load together, after the first curve.
  await expect.poll(() => chart()?.ariaLabel, WAIT).not.toBe('Chart of Posts over time');
  return { ...made, runs };
}

/** Makes the three plans wait for approval. @returns The decision about each plan, null until it is made. */
async function waiting(
  { board, runs, target }: Awaited<ReturnType<typeof openPage>>,
  { signal } = new AbortController(),
): Promise<(boolean | null)[]> {
  const decided: (boolean | null)[] = [null, null, null];
  const read = board.series.approval.reading();
  PLANS.forEach((plan, i) => {
    const run = runs[i];
    if (run) [run.plan, run.phase] = [plan, 'planned'];
    const name = board.series.all[i]?.name ?? '';
    board.series.approval.pass(name, plan, signal).then(
      (go) => (decided[i] = go),
      () => undefined,
    );
  });
  read();
  flushSync();
  // The component loads when a plan first waits.
  await expect.poll(() => sheet(target)?.querySelector('h2'), WAIT).toBeTruthy();
  flushSync();
  return decided;
}

const sheet = (root: ParentNode): HTMLElement | null =>
  root.querySelector<HTMLElement>('.plan[role=dialog]');
const button = (root: ParentNode, name: string): HTMLButtonElement => {
  const found = [...root.querySelectorAll<HTMLButtonElement>('button')].find((each) =>
    (each.ariaLabel ?? textOf(each)).startsWith(name),
  );
  if (!found) throw new Error(`expected a button “${name}”`);
  return found;
};
const violations = async (target: HTMLElement): Promise<string[]> => {
  return await violationsIn(target);
};

describe('a waiting plan', () => {
  it('shows per series and in total what is already fetched, what to buy, and the price', async () => {
    const made = await openPage();
    await waiting(made);
    const dialog = sheet(made.target);
    expect(textOf(dialog?.querySelector('h2'))).toBe('This view needs 72 pages: $0.715');
    const rows = [...(dialog?.querySelectorAll('tbody tr, tfoot tr') ?? [])].map((row) =>
      [...row.querySelectorAll<HTMLElement>('th, td')]
        .map((cell) => cell.innerText.trim().replaceAll(/\s+/g, ' '))
        .join(' | '),
    );
    expect(rows).toEqual([
      'Oat milk | 1,034 of 1,097 days | 2 pages | $0.02',
      'Matcha | none of 1,097 days | 36 pages 35 archive, 1 recent | $0.355',
      'Cold brew, iced | none of 1,097 days | 34 pages + 2 at the service, free | $0.34',
      'Total | 1,034 of 3,291 days | 72 pages | $0.715',
    ]);
    expect(textOf(dialog)).toContain('Spent today $0.00 of $25.00 · this month $0.00 of $100.00.');
    expect(textOf(dialog)).not.toContain('stops it');
    await expect.poll(() => made.target.querySelector('canvas'), WAIT).not.toBeNull();
  });

  it('is approved or declined for all series at once', async () => {
    const made = await openPage();
    for (const [name, go] of [
      ['Load · $0.715 (72 pages)', true],
      ['Not now', false],
    ] as const) {
      const decided = await waiting(made);
      button(made.target, name).click();
      await expect.poll(() => decided, WAIT).toEqual([go, go, go]);
      flushSync();
      expect(sheet(made.target)).toBeNull();
    }
  });

  it('takes the focus, is declined by Escape, and returns the focus', async () => {
    const made = await openPage();
    const before = button(made.target, 'Export');
    before.focus();
    const decided = await waiting(made);
    const dialog = sheet(made.target);
    expect(document.activeElement).toBe(dialog);
    dialog?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await expect.poll(() => decided, WAIT).toEqual([false, false, false]);
    flushSync();
    expect(document.activeElement).toBe(before);
  });

  it('does not take the focus from a user who is typing', async () => {
    const made = await openPage();
    made.board.series.add();
    flushSync();
    await expect.poll(() => document.activeElement?.matches('[contenteditable]'), WAIT).toBe(true);
    const typing = document.activeElement;
    await waiting(made);
    expect(document.activeElement).toBe(typing);
    expect(textOf(sheet(made.target)?.querySelector('[role=status]'))).toBe(
      '72 pages for $0.715 to load · needs your approval.',
    );
  });

  it('warns about a cap that it would exceed', async () => {
    const made = await openPage({ platform: tight });
    await waiting(made);
    expect(textOf(sheet(made.target)?.querySelector('.warning'))).toMatch(
      /^Today’s budget of \$0\.76 stops it after 40 of 72 pages until 22 Nov 2026, 01:00/,
    );
  });

  it('stays with disabled buttons while the plan for another range is computed', async () => {
    const made = await openPage();
    const controller = new AbortController();
    await waiting(made, controller);
    button(made.target, 'Load · $0.715').focus();
    const read = made.board.series.approval.reading();
    controller.abort();
    flushSync();
    expect(button(made.target, 'Computing').disabled).toBe(true);
    read();
    flushSync();
    expect(sheet(made.target)).toBeNull();
  });

  it('closes on the decision, even while other series are being read', async () => {
    const made = await openPage();
    await waiting(made);
    const read = made.board.series.approval.reading();
    made.runs[0].phase = 'reading';
    button(made.target, 'Not now').click();
    flushSync();
    expect(sheet(made.target)).toBeNull();
    read();
  });

  it('requests minutes with its switch, and another range with its presets', async () => {
    const made = await openPage();
    await waiting(made);
    const dialog = sheet(made.target);
    expect(textOf(dialog?.querySelector('.offer'))).toMatch(/about 34\.8 MB instead of 484 kB/);
    dialog?.querySelector<HTMLElement>('[role=switch]')?.click();
    expect(made.runs[0].needs.at(-1)?.minutes).toBe(true);
    await waiting(made);
    sheet(made.target)?.querySelector<HTMLElement>('input[value="30d"]')?.click();
    expect(made.board.time.range).toEqual({ preset: '30d' });
    const span = made.runs[0].needs.at(-1)?.span;
    expect(span && Math.round((span.end - span.start) / DAY_MS)).toBe(30);
  });

  it('leaves its offers on the chart and in the list when declined', async () => {
    const made = await openPage();
    const { runs, target } = made;
    await waiting(made);
    button(target, 'Not now').click();
    for (const run of runs) run.phase = 'cancelled';
    flushSync();
    const gaps = (): string[] => [...target.querySelectorAll('.gap')].map(textOf);
    await expect
      .poll(gaps, WAIT)
      .toEqual([
        'Oat milk: 2 pages for $0.02 · Get them',
        'Matcha: 36 pages for $0.355 · Get them',
        'Cold brew, iced: 34 pages for $0.34 · Get them',
      ]);
    const loads = runs[1].needs.length;
    target.querySelectorAll<HTMLElement>('.gap')[1]?.click();
    expect(runs[1].needs).toHaveLength(loads + 1);
    expect(textOf(target.querySelector('aside'))).toContain('34 pages for $0.34 not loaded.');
  });

  it('is offered again for all series at once when declined, with its pages and price', async () => {
    const made = await openPage();
    const { runs, target } = made;
    await waiting(made);
    button(target, 'Not now').click();
    for (const run of runs) run.phase = 'cancelled';
    flushSync();
    const notices = target.querySelector('.notices') as HTMLElement;
    expect(textOf(notices)).toContain('3 series lack 72 pages for $0.715. Loaded counts stay.');
    const loads = runs.map((run) => run.needs.length);
    button(notices, 'Get them all').click();
    flushSync();
    expect(runs.map((run) => run.needs.length)).toEqual(loads.map((n) => n + 1));
    expect(textOf(notices)).not.toContain('lack');
  });

  it('and whatever else a budget stops opens that budget by the words “raise it in Settings”', async () => {
    const made = await openPage({ platform: tight });
    const { runs, target } = made;
    const dialog = (): HTMLElement | null => document.querySelector('.surface.settings');
    const opens = async (place: Element | null): Promise<void> => {
      button(place as HTMLElement, place?.matches('.warning') ? 'Raise it' : 'raise it').click();
      await expect
        .poll(() => textOf(dialog()?.querySelector('[aria-selected=true]')), WAIT)
        .toBe('Spending');
      dialog()?.querySelector<HTMLElement>('[aria-label="Close the settings"]')?.click();
      await expect.poll(dialog, WAIT).toBeNull();
    };
    await waiting(made);
    await opens(target.querySelector('.warning'));
    made.board.series.approval.decline();
    runs[0].phase = 'fetching';
    runs[0].wait = { until: Date.UTC(2026, 10, 22), reason: 'budget' };
    runs[1].fault = new Fault(429, { title: 'Budget reached', type: BUDGET_REACHED });
    runs[1].phase = 'failed';
    flushSync();
    await opens(target.querySelector('.notices'));
    await opens(target.querySelector('aside [role=status]'));
    await expect.poll(() => target.querySelector('aside [role=alert]'), WAIT).not.toBeNull();
    await opens(target.querySelector('aside [role=alert]'));
  });
});

describe('a run', () => {
  it('shows its progress, and can be paused, resumed and cancelled', async () => {
    const { target, runs } = await openPage();
    const [run] = runs;
    run.plan = plan();
    run.made = { requests: 21, money: 0.21, bytes: 1 };
    run.progress = { done: 21, total: 36 };
    run.phase = 'fetching';
    run.wait = { until: NOW + 41_000, reason: 'limit' };
    flushSync();
    const list = target.querySelector('aside') as HTMLElement;
    expect(textOf(list)).toContain('21 of 36 pages · $0.15 left · waiting 0:41 for the rate limit');
    button(list, 'Pause').click();
    flushSync();
    expect(textOf(list)).toContain('Paused at 21 of 36 pages · $0.15 left.');
    button(list, 'Resume').click();
    flushSync();
    button(list, 'Cancel').click();
    flushSync();
    expect(run.calls).toEqual(['pause', 'resume', 'cancel']);
    expect(textOf(list)).toContain('15 pages for $0.15 not loaded.');
  });

  it('that costs nothing moves no row while it goes on, and can be cancelled', async () => {
    const { target, runs } = await openPage();
    runs[2].patch(() => 'settled');
    flushSync();
    const rows = [...target.querySelectorAll('aside li')];
    const heights = () => rows.map((row) => row.getBoundingClientRect().height);
    const before = heights();
    for (const [phase, done, total] of [
      ['reading', 0, 0],
      ['fetching', 0, 0],
      ['fetching', 9, 33],
      ['fetching', 1, 1],
    ] as const) {
      for (const run of runs) [run.phase, run.progress] = [phase, { done, total }];
      flushSync();
      expect(heights()).toEqual(before);
      expect(rows.map((row) => row.querySelectorAll('progress').length)).toEqual([1, 1, 1]);
    }
    button(rows[0] as Element, 'Cancel').click();
    expect(runs[0].calls).toEqual(['cancel']);
  });

  it('moves the spending in the header with every page that it buys', async () => {
    let money = 0;
    const answer = () => platformAnswer({ spent: { requests: 0, money } });
    const made = await openPage({ platform: answer });
    const { target, runs } = made;
    // Also while other plans wait.
    await waiting(made);
    const header = (): string => textOf(target.querySelector('header'));
    await expect.poll(header, WAIT).toContain('$0.00 of $100.00 this month');
    runs[0].phase = 'fetching';
    for (const pages of [1, 2, 3]) {
      money = pages / 100;
      runs[0].made = { requests: pages, money, bytes: 1 };
      await expect.poll(header, WAIT).toContain(`$0.0${pages} of $100.00 this month`);
    }
    expect(runs[0].phase).toBe('fetching');
  });

  it('shows its cost afterwards until dismissed', async () => {
    const { target, runs } = await openPage();
    const [run] = runs;
    run.plan = plan();
    run.phase = 'fetching';
    flushSync();
    run.made = { requests: 36, money: 0.36, bytes: 1 };
    run.phase = 'done';
    flushSync();
    const list = target.querySelector('aside') as HTMLElement;
    expect(textOf(list)).toMatch(
      /Planned 36 pages for \$0\.36 · took 36 pages for \$0\.36, \d+:\d\d/,
    );
    button(list, 'Dismiss').click();
    flushSync();
    expect(textOf(list)).not.toContain('Planned');
  });

  it('compares its cost with the whole plan, across a pause', async () => {
    const { target, runs } = await openPage();
    const [run] = runs;
    run.plan = plan();
    run.phase = 'fetching';
    flushSync();
    run.made = { requests: 12, money: 0.12, bytes: 1 };
    run.phase = 'paused';
    flushSync();
    run.phase = 'reading';
    flushSync();
    run.progress = { done: 12, total: 36 };
    run.phase = 'fetching';
    flushSync();
    const list = target.querySelector('aside') as HTMLElement;
    expect(textOf(list)).toContain('12 of 36 pages · $0.24 left');
    run.made = { requests: 36, money: 0.36, bytes: 1 };
    run.phase = 'done';
    flushSync();
    expect(textOf(list)).toContain('Planned 36 pages for $0.36 · took 36 pages for $0.36, ');
  });

  it('reports another tab, a reached budget, and several paused runs', async () => {
    const { target, runs } = await openPage({
      platform: platformAnswer({ today: { requests: 2500, money: 25 } }),
    });
    const [one, two, three] = runs;
    one.elsewhere = { done: 12, total: 36 };
    one.phase = 'fetching';
    two.phase = 'fetching';
    two.wait = { until: Date.UTC(2026, 10, 22), reason: 'budget' };
    flushSync();
    expect(textOf(target.querySelector('aside'))).toContain(
      'Another tab is fetching: 12 of 36 pages',
    );
    expect(textOf(target.querySelector('.notices'))).toContain(
      'today’s budget of $25.00 is used up; continues 22 Nov 2026, 01:00',
    );
    for (const run of [two, three]) {
      run.plan = plan();
      run.phase = 'paused';
    }
    flushSync();
    expect(textOf(target.querySelector('.notices'))).toContain(
      '2 series are paused, $0.72 left to load.',
    );
    button(target.querySelector('.notices') as HTMLElement, 'Resume all').click();
    expect([two.phase, three.phase]).toEqual(['fetching', 'fetching']);
  });

  it('for a panel shows its own resolution, progress and fault', async () => {
    const { board, target } = await openPage();
    board.chooseTab('heat');
    const [series] = board.series.all;
    await expect.poll(() => series?.fine, WAIT).toBeTruthy();
    const run = series?.fine as DrawnRun;
    const list = target.querySelector('aside') as HTMLElement;
    expect(textOf(list)).not.toContain('By hours');
    run.plan = plan();
    run.progress = { done: 3, total: 36 };
    run.made = { requests: 3, money: 0.03, bytes: 1 };
    run.phase = 'fetching';
    flushSync();
    expect(textOf(list)).toContain('By hours: 3 of 36 pages · $0.33 left');
    button(list, 'Pause').click();
    flushSync();
    expect(textOf(list)).toContain('By hours: Paused at 3 of 36 pages');
    expect(run.calls).toContain('pause');
    button(list, 'Cancel').click();
    flushSync();
    expect(textOf(list)).toContain('By hours: 33 pages for $0.33 not loaded.');
    run.fault = new Fault(401, { title: 'Unauthorized', type: 'about:blank' });
    run.phase = 'failed';
    flushSync();
    await expect
      .poll(() => textOf(list.querySelector('[role=alert]')), WAIT)
      .toContain('By hours: ');
    const loads = run.needs.length;
    button(list, 'Retry').click();
    await expect.poll(() => run.needs.length, WAIT).toBe(loads + 1);
  });

  it('explains a refusal of the platform, with its body one click away', async () => {
    const { target, runs } = await openPage();
    runs[0].fault = new Fault(403, {
      title: 'Client Forbidden',
      type: `${PROBLEMS}client-forbidden`,
      reason: 'client-not-enrolled',
    });
    runs[0].phase = 'failed';
    flushSync();
    const alert = (): Element | null => target.querySelector('aside [role=alert]');
    await expect.poll(alert, WAIT).not.toBeNull();
    expect(textOf(alert())).toMatch(/only to the last seven days/);
    expect(target.querySelector('details pre')?.textContent).toContain('client-not-enrolled');
  });
});

describe('the chart', () => {
  it('marks dated changes and seams of the visible series, and labels upper bounds', async () => {
    const { board, target, runs } = await openPage();
    const [one, two] = runs;
    one.changes = [{ at: Date.UTC(2026, 4, 4), text: 'new search index' }];
    two.seams = [{ at: Date.UTC(2026, 3, 20), before: 1, after: 2 }];
    two.upperBounds = true;
    flushSync();
    const labels = (): string[] => [...target.querySelectorAll('.chart svg text')].map(textOf);
    expect(labels()).toEqual(
      expect.arrayContaining([
        '20 Apr 2026: index seam',
        '4 May 2026: new search index',
        'Matcha: upper bounds (rounded to five)',
      ]),
    );
    const summary = target.querySelector('.chart [role=img]')?.getAttribute('aria-label');
    expect(summary).toContain('Matcha: at most ');
    expect(summary).toContain('Marked: 20 Apr 2026: index seam; 4 May 2026: new search index.');
    const [, matcha] = board.series.all;
    if (matcha) matcha.hidden = true;
    flushSync();
    expect(labels()).not.toContain('20 Apr 2026: index seam');
  });

  it('draws uncovered time as no data, distinct from missing counts', async () => {
    const { target, runs } = await openPage({
      platform: platformAnswer({ access: 'self-service' }),
    });
    for (const run of runs) {
      run.patch((_, to) => (to < NOW - 200 * DAY_MS ? 'uncovered' : 'settled'));
    }
    flushSync();
    await expect.poll(() => textOf(target.querySelector('.chart')), WAIT).toContain('no data');
    expect(target.querySelectorAll('.chart .notched')).toHaveLength(0);
    expect(runs[0].needs.at(-1)?.endpoint).toBe('recent');
  });
});

describe.each([
  ['light', 1440, 900],
  ['dark', 390, 844],
] as const)('in the %s theme, %d px wide', (theme, width, height) => {
  it('breaks no accessibility rule', async () => {
    const made = await openPage({ theme, width, height, platform: tight });
    const { board, target, runs } = made;
    await waiting(made);
    expect(await violations(target)).toEqual([]);
    board.series.approval.decline();
    const [one, two, three] = runs;
    one.phase = 'fetching';
    one.progress = { done: 21, total: 36 };
    one.wait = { until: Date.UTC(2026, 10, 22), reason: 'budget' };
    one.changes = [{ at: Date.UTC(2026, 4, 4), text: 'new search index' }];
    one.seams = [{ at: Date.UTC(2026, 2, 20), before: 1, after: 2 }];
    one.upperBounds = true;
    two.phase = 'cancelled';
    three.fault = new Fault(401, { title: 'Unauthorized', type: 'about:blank' });
    three.phase = 'failed';
    flushSync();
    expect(await violations(target)).toEqual([]);
  });
});
