import { flushSync } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import EventForm from '#app/events/EventForm.svelte';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { boardEvents } from '#tests/support/data/board-events.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const START = Date.UTC(2026, 0, 1);
const tableUntil = (now: number) => zoneTable('UTC', { start: START - DAY_MS, end: now + DAY_MS });

describe('the form of an event', () => {
  it('keeps what is being typed while counts load, and shows the times once they are used', async () => {
    const events = boardEvents();
    const { notes } = events;
    notes.add({ start: START, text: 'Recall' });
    const now = new SvelteMap([['now', START + 90 * DAY_MS]]);
    const time = {
      get now() {
        return now.get('now') ?? 0;
      },
      get table() {
        return tableUntil(now.get('now') ?? 0);
      },
      weekStart: 1 as const,
    };
    const { target } = mounted(EventForm, {
      events,
      get note() {
        const [note] = notes.list;
        if (!note) throw new Error('expected a note');
        return note;
      },
      time,
      onads: () => undefined,
      onremove: () => undefined,
      ondone: () => undefined,
    });
    const from = target.querySelectorAll<HTMLInputElement>('input.num')[0];
    expect(from?.value).toBe('2026-01-01');
    from?.select();
    events.marking = true;
    await userEvent.keyboard('2026-03-01');
    expect(events.marking).toBe(false);
    now.set('now', START + 91 * DAY_MS);
    flushSync();
    expect(from?.value).toBe('2026-03-01');
    notes.edit('n1', { text: 'Recall story' });
    flushSync();
    expect(from?.value).toBe('2026-03-01');
    await userEvent.keyboard('{Enter}');
    flushSync();
    expect(notes.list[0]?.start).toBe(Date.UTC(2026, 2, 1));
    notes.move('n1', Date.UTC(2026, 2, 2));
    flushSync();
    expect(from?.value).toBe('2026-03-02');
  });
});
