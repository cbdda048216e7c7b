import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { BoardEvents } from '#app/events/board-events.svelte.ts';
import EventTable from '#app/events/EventTable.svelte';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { DAY_MS } from '#core/time/span.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { boardEvents } from '#tests/support/data/board-events.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const START = Date.UTC(2026, 0, 1);
const END = START + 365 * DAY_MS;
const iso = (at: number): string => new Date(at).toISOString().slice(0, 10);

function tableOf(add: (notes: BoardEvents['notes']) => void) {
  const events = boardEvents();
  add(events.notes);
  const onsave = vi.fn();
  const props = {
    events,
    span: { start: START, end: END },
    when: (start: number, end: number | null) => [start, ...(end ? [end] : [])].map(iso).join('/'),
    onsave,
  };
  const { target } = mounted(EventTable, props, { style: 'height:300px' });
  const titles = (): string[] =>
    [...target.querySelectorAll('tbody th')].map((cell) => cell.textContent.trim());
  const press = (text: string): void => {
    const all = [...target.querySelectorAll('button')];
    all.find((button) => button.textContent.trim().startsWith(text))?.click();
    flushSync();
  };
  return { target, events, onsave, titles, press };
}

const THREE = (notes: BoardEvents['notes']): void => {
  notes.add({ start: START + DAY_MS, text: 'Recall' });
  notes.add({ start: START + 2 * DAY_MS, end: START + 9 * DAY_MS, text: 'Award' });
  notes.add({ start: START + 3 * DAY_MS, text: 'Launch' });
  notes.add({ start: END, text: 'Later' });
  notes.add({ start: START + 4 * DAY_MS });
};

describe('the table of events', () => {
  it('lists those of its time that have a name, and sorts by a clicked heading', () => {
    const { titles, press, target } = tableOf(THREE);
    expect(titles()).toEqual(['Recall', 'Award', 'Launch']);
    const sort = (): (string | null)[] =>
      [...target.querySelectorAll('thead th')].map((cell) => cell.getAttribute('aria-sort'));
    expect(sort()).toEqual(['ascending', null, null, null]);
    press('Title');
    expect(titles()).toEqual(['Award', 'Launch', 'Recall']);
    expect(sort()).toEqual([null, null, 'ascending', null]);
    press('Title');
    expect(titles()).toEqual(['Recall', 'Launch', 'Award']);
    expect(sort()).toEqual([null, null, 'descending', null]);
    press('Time');
    press('Time');
    expect(titles()).toEqual(['Launch', 'Award', 'Recall']);
  });

  it('opens an event by a click anywhere in its row and by keyboard', async () => {
    const { target, events } = tableOf(THREE);
    target.querySelector<HTMLElement>('tbody td')?.click();
    expect(events.opened.map(({ title }) => title)).toEqual(['Recall']);
    target.querySelectorAll<HTMLElement>('tbody th button')[1]?.focus();
    await userEvent.keyboard('{Enter}');
    expect(events.opened.map(({ title }) => title)).toEqual(['Award']);
  });

  it('marks the time of the row under the pointer or with the focus', async () => {
    const { target, events } = tableOf(THREE);
    const [, award] = target.querySelectorAll<HTMLElement>('tbody th');
    award?.querySelector('button')?.focus();
    expect(events.pointed).toEqual({ start: START + 2 * DAY_MS, end: START + 9 * DAY_MS });
    award?.querySelector('button')?.blur();
    expect(events.pointed).toBeNull();
    await userEvent.hover(target.querySelector('tbody td') ?? target);
    expect(events.pointed).toEqual({ start: START + DAY_MS, end: START + DAY_MS });
    await userEvent.hover(target.querySelector('thead th') ?? target);
    expect(events.pointed).toBeNull();
  });

  it('renders a few of ten thousand rows, and says what it has to a screen reader', async () => {
    const { target, press, onsave } = tableOf((notes) =>
      notes.replace(
        Array.from({ length: 10_000 }, (_, i) => ({
          id: `${i}`,
          start: START + i,
          end: null,
          text: `Note ${i}`,
        })),
      ),
    );
    expect(target.querySelectorAll('tbody th').length).toBeLessThan(60);
    expect(target.querySelector('table')?.getAttribute('aria-rowcount')).toBe('10001');
    press('CSV');
    press('.ics');
    expect(onsave.mock.calls).toEqual([['csv'], ['ics']]);
    expect(await violationsIn(target)).toEqual([]);
  });

  it('says that a time has none', () => {
    const { target } = tableOf((notes) => notes.add({ start: END, text: 'Later' }));
    expect(target.textContent.trim()).toBe('No events in this time.');
  });
});
