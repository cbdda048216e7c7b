import { flushSync } from 'svelte';
import { expect, it } from 'vitest';
// Imported so that it has loaded when the test opens it.
import '#app/editor/QueryEditor.svelte';
import '#app/editor/codemirror.ts';
import { DAY_MS } from '#core/time/span.ts';
import { growth, MAX_GROWTH } from '#tests/support/growth.ts';
import { DrawnRun } from './drawn-run.svelte.ts';
import { platformAnswer } from './platform-answer.ts';
import { NOW, rig, WAIT } from './rig.ts';

/** Days of some 100,000 and of 10 million minutes. */
const FEW = 70;
const MANY = 6945;

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A board of minutes whose query is open in the editor. */
async function editorOver(days: number) {
  const { board, target, end } = await rig({
    platform: platformAnswer({}),
    view: {
      source: 'sample',
      range: { from: isoDay(NOW - days * DAY_MS), to: isoDay(NOW - DAY_MS) },
      resolution: 'minute',
      series: [{ query: 'tea', label: '', hidden: false }],
    },
    runs: [
      new DrawnRun(
        NOW,
        () => 'settled',
        (_, __, ___, n) => n % 97,
      ),
    ],
    later: () => undefined,
  });
  // Without the change since an earlier period, which is computed again for figures that hide and come back.
  board.comparing = null;
  const [series] = board.series.all;
  await expect.poll(() => series?.curve, WAIT).toBeTruthy();
  target.querySelector<HTMLElement>('[data-series] .query')?.click();
  const box = (): HTMLElement | null => target.querySelector('[contenteditable="true"]');
  await expect.poll(box, WAIT).not.toBeNull();
  return {
    end,
    buckets: series?.curve?.counts.length ?? 0,
    /** Types letters one by one, and removes them again. */
    type: async (): Promise<void> => {
      const content = box();
      if (!content) throw new Error('expected an editor');
      content.focus();
      getSelection()?.selectAllChildren(content);
      getSelection()?.collapseToEnd();
      const edit = async (command: 'insertText' | 'delete', letter = ''): Promise<void> => {
        document.execCommand(command, false, letter);
        // The editor reads changes of the page in a microtask.
        await Promise.resolve();
        flushSync();
      };
      for (const letter of 'pots') await edit('insertText', letter);
      if (series?.text !== 'teapots') throw new Error(`expected “teapots”, got “${series?.text}”`);
      for (let i = 0; i < 4; i += 1) await edit('delete');
    },
  };
}

it(
  `a letter typed over 10,000,000 buckets costs at most ${MAX_GROWTH} times as much as over 100,000`,
  { tags: 'long' },
  async () => {
    const few = await editorOver(FEW);
    const many = await editorOver(MANY);
    expect(few.buckets).toBeLessThan(101_000);
    expect(many.buckets).toBeGreaterThan(10_000_000);
    expect(await growth(few.type, many.type)).toBeLessThanOrEqual(MAX_GROWTH);
    await few.end();
    await many.end();
  },
);
