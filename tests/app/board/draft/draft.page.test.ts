import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { LINK_WRITE } from '#contract/counts/prices.ts';
import { DrawnRun } from '../drawn-run.svelte.ts';
import { platformAnswer } from '../platform-answer.ts';
import { NOW, rig, WAIT } from '../rig.ts';
import { textOf } from '#tests/support/browser/mounted.ts';

const QUERIES = ['matcha -recipe', '"cold brew" lang:en', '東京', 'שלום', 'tea OR'];

const dialog = (): HTMLElement | null => document.querySelector('.dialog-box');
const press = (key: string): boolean =>
  window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const draft = (): HTMLTextAreaElement | null => dialog()?.querySelector('textarea') ?? null;

/** A board with the dialog open, by its key. */
async function testing(width = 1440) {
  await rig({
    width,
    height: 600,
    platform: platformAnswer({}),
    view: {
      source: 'sample',
      range: { from: '2026-06-01', to: '2026-07-31' },
      resolution: 'day',
      series: QUERIES.map((query) => ({ query, label: '', hidden: false })),
    },
    runs: QUERIES.map(() => new DrawnRun(NOW)),
  });
  press('w');
  await expect.poll(() => draft() !== null && draft() === document.activeElement, WAIT).toBe(true);
}

/** The verdict of each topic. */
const verdicts = (): string[] => [...(dialog()?.querySelectorAll('li p') ?? [])].map(textOf);
const marked = (kind: string): string[] =>
  [...(dialog()?.querySelectorAll(`.marked-text .${kind}`) ?? [])].map(textOf);

describe('the draft tester', () => {
  it('says which topics would count a text, marks why, and says it once typing pauses', async () => {
    await testing();
    expect(verdicts()).toEqual(['Its query has an error.']);
    await userEvent.keyboard('Mátcha recipe, cold brew: 東京 https://a.com שלום');
    expect(verdicts()).toEqual([
      'Not counted: it says recipe',
      'Counted if it is detected as English cold brew',
      'Counted 東 京',
      'Counted שלום',
      'Its query has an error.',
    ]);
    expect(marked('met')).toEqual(['cold', 'brew', '東', '京', 'שלום']);
    expect(marked('against')).toEqual(['recipe']);
    expect(dialog()?.querySelector('.marked-text')?.textContent.replace('\u200b', '')).toBe(
      draft()?.value,
    );
    const status = (): string => textOf(dialog()?.querySelector('[role="status"]'));
    await expect.poll(status, WAIT).toContain('Counted by 2 of 4 topics, 1 on a condition.');
    expect(status()).toContain(`$${(LINK_WRITE.amount / 1e6).toFixed(2)}`);
  });

  it('marks what is too long, shows all of a long text, and never scrolls sideways on a phone', async () => {
    await testing(390);
    const field = draft();
    if (!field) throw new Error('the dialog has no field');
    await userEvent.fill(field, `${'matcha '.repeat(40)}and this is over`);
    expect(marked('over').join('')).toContain('and');
    expect(textOf(dialog()?.querySelector('.length'))).toBe('296 of 280, 16 too long');
    expect(field.scrollHeight).toBeLessThanOrEqual(field.clientHeight);
    const box = dialog();
    expect(box?.scrollWidth).toBeLessThanOrEqual(box?.clientWidth ?? 0);
  });

  it('opens from the options of the chart, which scroll on a phone', async () => {
    await testing(390);
    await userEvent.keyboard('{Escape}');
    await expect.poll(dialog, WAIT).toBeNull();
    const options = page.getByRole('button', { name: /^Chart options/ });
    await options.click();
    const entry = page.getByRole('button', { name: /^Test a draft/ });
    await expect.element(entry, WAIT).toBeInTheDocument();
    const surface = entry.element().closest('.surface');
    if (!surface) throw new Error('the options are not on a surface');
    const moved = new Promise((resolve) => {
      surface.addEventListener('scroll', resolve, { once: true });
    });
    surface.scrollTop = surface.scrollHeight;
    await moved;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    expect(surface.scrollTop).toBeGreaterThan(0);
    await entry.click();
    await expect.poll(() => draft() !== null, WAIT).toBe(true);
  });

  it('has its text again when it is opened again, and its keys belong to the text', async () => {
    await testing();
    await userEvent.keyboard('wn?');
    expect(draft()?.value).toBe('wn?');
    await userEvent.keyboard('{Escape}');
    await expect.poll(dialog, WAIT).toBeNull();
    press('w');
    await expect.poll(() => draft()?.value, WAIT).toBe('wn?');
  });
});
