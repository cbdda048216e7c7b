import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import { DAY_MS } from '#core/time/span.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { DrawnRun } from './drawn-run.svelte.ts';
import { platformAnswer } from './platform-answer.ts';
import { NOW, rig, WAIT } from './rig.ts';
import { textOf } from '#tests/support/browser/mounted.ts';

const START = Date.UTC(2026, 9, 1);
const VIEW: View = {
  range: { preset: '1y' },
  resolution: 'day',
  tab: 'ledger',
  series: [
    { query: 'matcha', label: 'Matcha', hidden: false },
    { query: 'chai', label: 'Chai', hidden: false },
    { query: 'mate', label: 'Mate', hidden: true },
  ],
};

const receipt = (i: number, over: Partial<StoredReceipt> = {}): StoredReceipt => ({
  id: `r${i}`,
  request: `a${i}`,
  series: 's',
  granularity: 'hour',
  endpoint: 'all',
  purpose: 'count',
  requested: { start: START, end: START + 31 * DAY_MS },
  reported: { start: START, end: START + 31 * DAY_MS },
  total: 1000 + i,
  at: NOW - i * 60_000,
  generation: 0,
  index: 2,
  price: 0.01,
  bytes: 6000,
  accepted: true,
  faults: [],
  revisions: [],
  ...over,
});
const RECEIPTS = [
  receipt(0, { purpose: 'audit', revisions: [{ start: START, was: 4929, now: 4930 }] }),
  receipt(1, {
    accepted: false,
    faults: [{ kind: 'wrong-total', expected: 10, got: 12, times: 1 }],
  }),
  receipt(2, { price: 0 }),
  ...Array.from({ length: 60 }, (_, i) => receipt(3 + i)),
];

async function openLedger(over: Partial<Parameters<typeof rig>[0]> = {}) {
  const runs = [new DrawnRun(NOW), new DrawnRun(NOW), new DrawnRun(NOW)] as const;
  runs[0].patch((_, to) => {
    if (to > NOW) return 'partial';
    return to < NOW - 300 * DAY_MS ? 'never' : to > NOW - 2 * DAY_MS ? 'provisional' : 'settled';
  });
  const receipts = RECEIPTS;
  const made = await rig({ platform: platformAnswer({}), view: VIEW, runs, receipts, ...over });
  await expect.poll(() => made.target.querySelector('.numbers table, .none'), WAIT).not.toBeNull();
  return { ...made, runs };
}

const ledgerOf = (target: ParentNode, name: string): HTMLElement => {
  const found = target.querySelector<HTMLElement>(`[aria-label="Ledger of ${name}"]`);
  if (!found) throw new Error(`expected a ledger of ${name}`);
  return found;
};
const button = (root: ParentNode, name: string): HTMLButtonElement | undefined =>
  [...root.querySelectorAll<HTMLButtonElement>('button')].find((each) =>
    textOf(each).startsWith(name),
  );

describe('the ledger', () => {
  it('shows the coverage of the range for every visible series', async () => {
    const { target } = await openLedger();
    const matcha = ledgerOf(target, 'Matcha');
    ledgerOf(target, 'Chai');
    expect(target.querySelector('[aria-label="Ledger of Mate"]')).toBeNull();
    expect(matcha.querySelector('[role=img]')?.getAttribute('aria-label')).toMatch(
      /^Coverage: settled 8\d.*, may still change .* \(\d+.*\), .*never loaded 1\d.* \(.*\)\.$/,
    );
    expect(textOf(matcha.querySelector('ul'))).toMatch(
      /settled 8.*may still change.*unfinished or cut off.*never loaded 1/,
    );
    expect(textOf(matcha.querySelector('.figures'))).toMatch(
      /^\d{3} of 36[56] days known · 63 pages, 1 of them held · \$0\.62 paid · fetched 21 Nov 2026, 20:02$/,
    );
  });

  it('lists receipts with remarks, newest first, a few at a time', async () => {
    const { target } = await openLedger();
    const matcha = ledgerOf(target, 'Matcha');
    const rows = (): string[] => [...matcha.querySelectorAll('tbody tr')].map(textOf);
    expect(rows()).toHaveLength(8);
    expect(rows()[0]).toMatch(
      /archive, hours.*\$0\.01.*Compared at random\. .*: 4,929 then, 4,930 on/,
    );
    expect(rows()[1]).toMatch(/Rejected: none of its counts are shown\. .*expected 10, got 12/);
    expect(rows()[2]).toMatch(/held$/);
    button(matcha, 'Show 50 more of 63 receipts')?.click();
    flushSync();
    expect(rows()).toHaveLength(58);
    button(matcha, 'Show 5 more')?.click();
    flushSync();
    expect(rows()).toHaveLength(63);
    expect(button(matcha, 'Show')).toBeUndefined();
  });

  it('offers comparisons with their prices once the run has finished', async () => {
    const { target, runs } = await openLedger();
    const [run] = runs;
    const matcha = ledgerOf(target, 'Matcha');
    expect(button(matcha, 'Compare across')).toBeUndefined();
    run.probeOffer = { from: 1, to: 32 };
    flushSync();
    button(matcha, 'Compare 3 settled spans at random ($0.03)')?.click();
    button(matcha, 'Compare across the index change ($0.01)')?.click();
    button(matcha, 'Buy this range again…')?.click();
    expect(run.calls).toEqual(['audit 3', 'probe', 'rebuy']);
    run.phase = 'fetching';
    flushSync();
    expect(button(matcha, 'Compare 3')?.disabled).toBe(true);
  });

  it.each([
    ['The same.', [], /depends on the date of the bucket/],
    ['Different.', [{ start: START, was: 900, now: 400 }], /depends on the date of fetching/],
  ] as const)('shows the verdict of a probe: %s', async (verdict, revisions, why) => {
    const probe = receipt(0, { purpose: 'probe', total: 1000, revisions });
    const { target } = await openLedger({ receipts: [probe, ...RECEIPTS.slice(1, 4)] });
    const shown = textOf(ledgerOf(target, 'Matcha').querySelector('.verdict'));
    expect(shown.startsWith(verdict)).toBe(true);
    expect(shown).toMatch(why);
  });

  it('reads the receipts again when a run ends', async () => {
    const receipts = RECEIPTS.slice(0, 3);
    const { target, runs } = await openLedger({ receipts });
    const rows = (): number => ledgerOf(target, 'Matcha').querySelectorAll('tbody tr').length;
    expect(rows()).toBe(3);
    runs[0].phase = 'fetching';
    flushSync();
    receipts.unshift(receipt(99));
    runs[0].phase = 'done';
    await expect.poll(rows, WAIT).toBe(4);
  });

  it('is there only where requests cost money', async () => {
    const { target } = await openLedger({ view: { ...VIEW, source: 'sample' } });
    const tabs = [...target.querySelectorAll('[role=tab]')].map((tab) => tab.textContent?.trim());
    expect(tabs[0]).toBe('Summary');
    expect(tabs).not.toContain('Ledger');
  });
});

describe.each([
  ['light', 1440, 900],
  ['dark', 390, 844],
] as const)('in the %s theme, %d px wide', (theme, width, height) => {
  it('breaks no accessibility rule', async () => {
    const probe = receipt(98, { purpose: 'probe' });
    const { target, runs } = await openLedger({
      theme,
      width,
      height,
      receipts: [probe, ...RECEIPTS],
    });
    runs[0].probeOffer = { from: 1, to: 32 };
    flushSync();
    expect(await violationsIn(target)).toEqual([]);
  });
});
