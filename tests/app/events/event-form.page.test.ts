import { flushSync } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import CampaignFields from '#app/events/CampaignFields.svelte';
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

  it('refuses what could mean another number of clicks or another amount', async () => {
    const edits: object[] = [];
    const { target } = mounted(CampaignFields, {
      campaign: {
        currency: 'EUR',
        budget: null,
        spend: null,
        impressions: null,
        clicks: null,
        days: [],
        tag: '',
        source: '',
        control: null,
      },
      onedit: (change: object) => void edits.push(change),
    });
    for (const [name, text, wrong] of [
      ['Clicks', '8.400', 'Enter a whole number without a separator, like 8400.'],
      ['Impressions', '8400.5', 'Enter a whole number without a separator, like 8400.'],
      ['Spend', '4.321', 'Enter 4321 for thousands, or 4.3210 for a fraction.'],
    ] as const) {
      const field = page.getByLabelText(name);
      await field.fill(text);
      await userEvent.tab();
      await expect.element(page.getByRole('alert')).toHaveTextContent(wrong);
      await field.fill('');
      await userEvent.tab();
    }
    expect(edits).toEqual([{ clicks: null }, { impressions: null }, { spend: null }]);
    expect(target.querySelector('[aria-invalid="true"]')).toBeNull();
  });
});
