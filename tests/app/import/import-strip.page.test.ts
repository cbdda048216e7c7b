import { expect, it, vi } from 'vitest';
import '#app/ui/tokens.css';
import '#app/ui/base.css';
import { Formatter } from '#app/format/formatter.ts';
import ImportStrip from '#app/import/ImportStrip.svelte';
import type { ImportQueue } from '#app/import/import-queue.svelte.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const zone = 'Europe/Berlin';
const MARCH = { first: Date.UTC(2026, 2, 4, 23, 30), last: Date.UTC(2026, 2, 6, 12) };

it.each([
  [
    'leads to the Posts of a file if all are out of view',
    MARCH,
    [[{ from: '2026-03-05', to: '2026-03-06' }]],
  ],
  ['leads nowhere if some are in view', { ...MARCH, last: Date.UTC(2026, 5, 1) }, []],
  ['leads nowhere if it is not known when they were', null, []],
])('the message of an import %s', async (_, ends, chosen) => {
  const relations = { followers: 0, following: 0, likes: 0, blocks: 0, mutes: 0, lists: 0 };
  const counts = { read: 1, added: 1, already: 0, refused: 0, noteRequests: 0, reasons: [] };
  const summary = { ...counts, relations, seconds: 1, stopped: false };
  const outcomes = [{ id: 1, name: 'a.csv', summary, fault: null, ends }];
  const imports = { current: null, asked: null, waiting: [], outcomes, dismiss: vi.fn() };
  const window = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2026, 6, 1) };
  const chooseRange = vi.fn();
  const { target } = mounted(ImportStrip, {
    imports: imports as unknown as ImportQueue,
    board: { time: { window, zone }, chooseRange },
    format: new Formatter('en-GB', zone),
  });
  expect(target.textContent).toContain('Added 1 Post');
  target.querySelector<HTMLElement>('.outcome-text .link')?.click();
  expect(chooseRange.mock.calls).toEqual(chosen);
  expect(await violationsIn(target)).toEqual([]);
});
