import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import RangeForm from '#app/board/range/RangeForm.svelte';
import type { Board } from '#app/board/state/board.svelte.ts';
import { TimeWindow } from '#app/board/state/time-window.svelte.ts';
import { Formatter } from '#app/format/formatter.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

function formOf(preset: '24h' | '30d') {
  const source = { id: 'sample', info: null } as const;
  const time = new TimeWindow({ source, shownDetail: null, zoomed: () => undefined });
  time.now = NOW;
  time.range = { preset };
  const chosen: unknown[] = [];
  const board = { time, chooseRange: (range: unknown) => chosen.push(range) };
  const props = {
    board: board as unknown as Board,
    format: new Formatter('en-GB'),
    ondone: () => undefined,
  };
  const { target } = mounted(RangeForm, props);
  const [from, to] = [...target.querySelectorAll<HTMLInputElement>('.ends input')];
  if (!from || !to) throw new Error('expected two fields');
  return { time, chosen, from, to };
}

describe('the form of a range', () => {
  it.each(['24h', '30d'] as const)(
    'keeps the dates that are being typed while counts load, over the last %s',
    async (preset) => {
      const { time, chosen, from, to } = formOf(preset);
      const load = (): void => {
        time.now += DAY_MS + HOUR_MS;
        flushSync();
      };
      const before = from.value;
      load();
      expect(from.value).not.toBe(before);
      from.select();
      await userEvent.keyboard('2026-10-01');
      load();
      expect(from.value).toBe('2026-10-01');
      to.select();
      await userEvent.keyboard('2026-10-28');
      load();
      await userEvent.keyboard('{Enter}');
      expect(chosen).toEqual([{ from: '2026-10-01', to: '2026-10-28' }]);
    },
  );

  it('has the dates of another range or zone once it is chosen', async () => {
    const { time, from } = formOf('30d');
    from.select();
    await userEvent.keyboard('2026-10-01');
    time.range = { from: '2025-01-01', to: '2025-02-01' };
    flushSync();
    expect(from.value).toBe('2025-01-01');
  });
});
