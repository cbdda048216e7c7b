import { afterEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { parseView, type View } from '#app/board/state/view.ts';
import { letterOf } from '#core/series/formula.ts';
import { DrawnRun } from '../drawn-run.svelte.ts';
import { platformAnswer } from '../platform-answer.ts';
import { NOW, rig, WAIT } from '../rig.ts';

const DAYS: View = { range: { from: '2026-06-01', to: '2026-07-31' }, resolution: 'day' };

let end = async (): Promise<void> => undefined;
afterEach(() => end());

/** A board of three queries with the dialog open. */
async function combining() {
  const made = await rig({
    platform: platformAnswer({}),
    view: {
      source: 'sample',
      ...DAYS,
      series: ['tea', 'matcha', 'mate'].map((query) => ({ query, label: '', hidden: false })),
    },
    runs: [new DrawnRun(NOW), new DrawnRun(NOW), new DrawnRun(NOW)],
  });
  ({ end } = made);
  const dialog = (): HTMLElement | null => document.querySelector('.dialog-box');
  const field = (): HTMLInputElement | null => dialog()?.querySelector('input') ?? null;
  window.dispatchEvent(new KeyboardEvent('keydown', { key: '=', bubbles: true }));
  await expect.poll(() => field() !== null && field() === document.activeElement, WAIT).toBe(true);
  return {
    board: made.board,
    dialog,
    field,
    said: (): string =>
      (dialog()?.querySelector('[role="status"]')?.textContent ?? '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    button: (name: string): HTMLButtonElement | undefined =>
      [...(dialog()?.querySelectorAll('button') ?? [])].find((each) =>
        `${each.ariaLabel ?? ''}${each.textContent}`.replaceAll(/\s+/g, ' ').includes(name),
      ),
  };
}

describe('a formula', () => {
  it('names its fault with the place, and a click fixes it', async () => {
    const { field, said, button } = await combining();
    await userEvent.keyboard('0,5 * A');
    expect(said()).toMatch(/^“0,5” is not a number here\. .* Fix: 0\.5 At position 1$/);
    expect(field()?.ariaInvalid).toBe('true');
    button('Fix:')?.click();
    await expect.poll(() => field()?.value).toBe('0.5 * A');
    expect(field()?.ariaInvalid).toBe('false');
    // A formula that more typing can still complete is not an error.
    await userEvent.keyboard(' +');
    expect(said()).toContain('A series or a number is missing after “+”. At position 10');
    expect(field()?.ariaInvalid).toBe('false');
  });

  it('takes letters by a click at the caret, and the common forms', async () => {
    const { field, button } = await combining();
    button('Part A')?.click();
    await expect.poll(() => field()?.value).toBe('A ÷ (A + B)');
    field()?.setSelectionRange(9, 10);
    button('Insert C, mate')?.click();
    await expect.poll(() => field()?.value).toBe('A ÷ (A + C)');
  });

  it('is computed in time however often formulas use each other', async () => {
    const calc = Array.from({ length: 30 }, (_, i) => {
      const letter = letterOf(i + 1);
      return `calc=${letter}%2B${letter}`;
    });
    const made = await rig({
      platform: platformAnswer({}),
      view: { source: 'sample', ...DAYS, ...parseView(`q=tea&${calc.join('&')}`).view },
      runs: [new DrawnRun(NOW)],
    });
    ({ end } = made);
    const totals = (): number[] => made.board.series.all.map(({ summary }) => summary?.total ?? 0);
    await expect.poll(() => totals().at(-1), WAIT).toBeGreaterThan(0);
    expect(totals().at(-1)).toBe((totals()[0] ?? 0) * 2 ** 30);
  });
});
