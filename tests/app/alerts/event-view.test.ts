import { expect, it } from 'vitest';
import { formatView, parseView } from '#app/board/state/view.ts';
import { eventFragment } from '#core/alerts/event-view.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';

it('the address of an event is that of a view of its topic, zoomed to it', () => {
  const topic = { source: 'posts', query: 'a:b "#tea" & Ü', name: 'Tea & co', zone: 'Asia/Tokyo' };
  const onset = Date.parse('2026-03-01T20:00:00Z');
  const text = eventFragment(topic, 'hour', onset, onset + 20 * 60_000);
  const { view, problems } = parseView(text);
  expect(problems).toEqual([]);
  expect(view).toEqual({
    source: 'posts',
    range: { from: '2026-01-05', to: '2026-03-02' },
    zone: 'Asia/Tokyo',
    zoom: { start: onset - DAY_MS, end: onset + 3 * HOUR_MS },
    series: [{ query: topic.query, label: 'Tea & co', hidden: false }],
  });
  expect(formatView(view)).toBe(text);
});
