import { describe, expect, it } from 'vitest';
import { expandItems } from '#server/calendars/expand.ts';
import { holidayCountries, holidaysIcs } from '#server/calendars/holidays.ts';
import { readCalendar } from '#server/calendars/items.ts';
import { namedZone, UTC_ZONE } from '#server/calendars/zones.ts';

const NOW = Date.UTC(2026, 10, 21);

/** The holidays of a year as `03-29 Easter Sunday`, those of several days with their number. */
async function holidaysOf(country: string, region: string | null, year: number) {
  const { name, items, notes } = readCalendar(await holidaysIcs({ country, region }, NOW), 'UTC');
  expect(notes).toEqual([]);
  const span = { start: Date.UTC(year, 0, 1), end: Date.UTC(year + 1, 0, 1) };
  const { occurrences } = expandItems(items, {
    span,
    board: UTC_ZONE,
    most: 1000,
    onLine: () => {},
  });
  const days = occurrences.map(({ start, end, title }) => {
    const length = Math.round(((end ?? start) - start) / 86_400_000);
    const day = new Date(start).toISOString().slice(5, 10);
    return `${day} ${title}${length === 1 ? '' : ` (${length} days)`}`;
  });
  return { name, days };
}

describe('public holidays', () => {
  it('are those of a country, and of a region of it', async () => {
    const germany = await holidaysOf('DE', null, 2026);
    expect(germany.name).toBe('Public holidays in Germany');
    expect(germany.days).toContain('10-03 National Holiday');
    expect(germany.days).not.toContain('01-06 Epiphany');
    const bavaria = await holidaysOf('DE', 'BY', 2026);
    expect(bavaria.name).toBe('Public holidays in Germany, Bayern');
    expect(bavaria.days).toContain('01-06 Epiphany');
    expect(bavaria.days).not.toContain('08-08 Peace Festival');
    const augsburg = await holidaysOf('DE', 'BY/A', 2026);
    expect(augsburg.days.filter((day) => day.startsWith('08-08'))).toHaveLength(1);
  });

  it('move with Easter and the moon, and may last several days', async () => {
    expect((await holidaysOf('GB', null, 2024)).days).toContain('03-29 Good Friday');
    expect((await holidaysOf('GB', null, 2025)).days).toContain('04-18 Good Friday');
    const turkey = await holidaysOf('TR', null, 2026);
    expect(turkey.days).toContain('03-20 End of Ramadan (Eid al-Fitr) (4 days)');
  });

  it('are known from the first Post to two years from now', async () => {
    for (const year of [2006, 2028]) {
      expect((await holidaysOf('FR', null, year)).days).toContain('07-14 Bastille Day');
    }
    expect((await holidaysOf('FR', null, 2029)).days).toEqual([]);
  });

  it('are days of the zone of the board', async () => {
    const text = await holidaysIcs({ country: 'FR', region: null }, NOW);
    const zone = 'America/New_York';
    const { items } = readCalendar(text, zone);
    const span = { start: Date.UTC(2026, 6, 13), end: Date.UTC(2026, 6, 16) };
    const board = namedZone(zone) ?? UTC_ZONE;
    expect(
      expandItems(items, { span, board, most: 10, onLine: () => {} }).occurrences,
    ).toMatchObject([
      { start: Date.parse('2026-07-14T04:00Z'), end: Date.parse('2026-07-15T04:00Z') },
    ]);
  });

  it('have countries and regions by name, and refuse others', async () => {
    const countries = await holidayCountries();
    expect(countries.length).toBeGreaterThan(150);
    expect(countries.find(({ code }) => code === 'JP')).toEqual({
      code: 'JP',
      name: 'Japan',
      regions: [],
    });
    const names = countries.map(({ name }) => name);
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
    await expect(holidaysIcs({ country: 'ZZ', region: null }, NOW)).rejects.toThrow(
      'The holidays of “ZZ” are not known.',
    );
    await expect(holidaysIcs({ country: 'DE', region: 'XX' }, NOW)).rejects.toThrow(
      'Germany has no region “XX”.',
    );
  });
});
