import { describe, expect, it } from 'vitest';
import { timeTicks } from '#app/chart/draw/axis.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

function ticks(start: number, end: number, zone: string, width = 900): string[] {
  const table = zoneTable(zone, { start, end });
  return timeTicks({ start, end }, width, table, 1, 'day').map(({ text, strong }) =>
    strong ? `[${text}]` : text,
  );
}

describe('the time axis', () => {
  it('emphasizes years, with months between them', () => {
    expect(ticks(Date.UTC(2023, 10, 20), Date.UTC(2026, 10, 20), 'UTC', 700)).toEqual([
      '[2024]',
      'Jul',
      '[2025]',
      'Jul',
      '[2026]',
      'Jul',
    ]);
  });

  it('puts hours where the zone’s clock shows them, across a change of its offset', () => {
    // New York skips from 02:00 to 03:00 on 2026-03-08.
    const start = Date.UTC(2026, 2, 8, 5);
    expect(ticks(start, start + 23 * HOUR_MS, 'America/New_York')).toEqual([
      '[8 Mar]',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
      '15:00',
      '18:00',
      '21:00',
      '[9 Mar]',
    ]);
  });

  it('puts days at the zone’s midnights', () => {
    const start = Date.UTC(2026, 6, 1) - 5.5 * HOUR_MS;
    const table = zoneTable('Asia/Kolkata', { start, end: start + 5 * DAY_MS });
    const days = timeTicks({ start, end: start + 5 * DAY_MS }, 500, table, 1, 'day');
    expect(days.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5].map((n) => start + n * DAY_MS));
    expect(days[0]?.text).toBe('1 Jul');
  });

  it('never has more ticks than fit', () => {
    for (const width of [120, 320, 900, 1600]) {
      for (const days of [0.01, 0.3, 2, 9, 40, 200, 1000, 7500]) {
        const start = Date.UTC(2010, 4, 5, 7);
        const count = ticks(start, start + days * DAY_MS, 'Europe/Berlin', width).length;
        expect(count).toBeLessThanOrEqual(Math.max(3, width / 72 + 2));
      }
    }
  });
});
