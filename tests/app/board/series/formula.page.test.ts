import { describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { parseView, type View } from '#app/board/state/view.ts';
import { letterOf } from '#core/series/formula.ts';
import { DrawnRun } from '../drawn-run.svelte.ts';
import { platformAnswer } from '../platform-answer.ts';
import { NOW, rig, WAIT } from '../rig.ts';

const DAYS: View = { range: { from: '2026-06-01', to: '2026-07-31' }, resolution: 'day' };

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
  const dialog = (): HTMLElement | null => document.querySelector('.dialog-box');
  const field = (): HTMLInputElement | null => dialog()?.querySelector('input') ?? null;
  window.dispatchEvent(new KeyboardEvent('keydown', { key: '=', bubbles: true }));
  await expect.poll(() => field() !== null && field() === document.activeElement, WAIT).toBe(true);
  const pressed = async (root: () => ParentNode | null, name: RegExp): Promise<void> => {
    const found = (): HTMLElement | undefined =>
      [...(root()?.querySelectorAll<HTMLElement>('button, [role=menuitem]') ?? [])].find(
        (each) => name.test(each.ariaLabel ?? each.innerText) && each.checkVisibility(),
      );
    await expect.poll(found, WAIT).toBeTruthy();
    found()?.click();
  };
  return {
    board: made.board,
    dialog,
    pressed,
    /** Opens a dialog in the menu of a series. */
    async act(series: string, entry: RegExp): Promise<void> {
      await pressed(() => made.target, new RegExp(`^Actions of ${series}`));
      await pressed(() => made.target, entry);
      await expect.poll(dialog, WAIT).not.toBeNull();
    },
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

  it('is changed in the menu of its series, and never becomes its own part', async () => {
    const { board, act, field, said, pressed, dialog } = await combining();
    await userEvent.keyboard('A + B{Enter}');
    await expect.poll(() => board.series.all.at(-1)?.name).toBe('tea + matcha');
    await act('tea \\+ matcha', /^Edit formula/);
    await userEvent.fill(field()!, 'A + D');
    expect(said()).toMatch(/^“D” is this series/);
    await userEvent.fill(field()!, '(A + B) * 2 - C');
    await pressed(dialog, /^Save/);
    await expect.poll(() => board.series.all.at(-1)?.name).toBe('(tea + matcha) × 2 − mate');
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
    const totals = (): number[] => made.board.series.all.map(({ summary }) => summary?.total ?? 0);
    await expect.poll(() => totals().at(-1), WAIT).toBeGreaterThan(0);
    expect(totals().at(-1)).toBe((totals()[0] ?? 0) * 2 ** 30);
  });
});

describe('a query', () => {
  it('is composed of two, and split into its parts', async () => {
    const { board, pressed, act, dialog } = await combining();
    await pressed(dialog, /^Union/);
    const added = (): (string | undefined)[] => [board.series.all.at(-1)?.text];
    await expect.poll(added).toEqual(['tea OR matcha']);
    await act('tea', /^Split/);
    dialog()?.querySelector<HTMLElement>('input[value="reposts"]')?.click();
    await pressed(dialog, /^Add 2 queries/);
    await expect
      .poll(() => board.series.all.slice(4).map(({ text }) => text))
      .toEqual(['tea is:retweet', 'tea -is:retweet']);
  });
});
