import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateFinder } from '#app/board/range/date-finder.ts';
import { readRange } from '#app/board/range/range-words.ts';
import { typedRange } from '#core/time/range.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

/** A Sunday, 14:30 in Berlin. */
const NOW = Date.UTC(2026, 10, 22, 13, 30);
const table = zoneTable('Europe/Berlin', { start: ARCHIVE_START, end: NOW + 800 * DAY_MS });

async function read(text: string, locale = 'en-GB') {
  return readRange(text, await dateFinder(locale), locale, table, NOW);
}

describe('a range in words', () => {
  it.each([
    ['yesterday', '2026-11-21', '2026-11-21'],
    ['today', '2026-11-22', '2026-11-22'],
    ['last 6 weeks', '2026-10-12', '2026-11-22'],
    ['the last 1 day', '2026-11-22', '2026-11-22'],
    ['past 3 months', '2026-08-23', '2026-11-22'],
    ['last 12 hours', '2026-11-22 02:30', '2026-11-22 14:30'],
    ['since March', '2026-03-01', '2026-11-22'],
    ['Since  12 March 2025', '2025-03-12', '2026-11-22'],
    ['May 2026', '2026-05-01', '2026-05-31'],
    ['December', '2025-12-01', '2025-12-31'],
    ['2024', '2024-01-01', '2024-12-31'],
    ['Q2 2026', '2026-04-01', '2026-06-30'],
    ['2025 q4', '2025-10-01', '2025-12-31'],
    ['3 May 2026', '2026-05-03', '2026-05-03'],
    ['2026-05-03', '2026-05-03', '2026-05-03'],
    ['2026-05-03 to 2026-05-09', '2026-05-03', '2026-05-09'],
    ['3 to 9 May 2026', '2026-05-03', '2026-05-09'],
    ['3/4/2026', '2026-04-03', '2026-04-03'],
    ['May 2026 to July 2026', '2026-05-01', '2026-07-31'],
    ['between 3 May 2026 and 9 May 2026', '2026-05-03', '2026-05-09'],
  ])('%s is %s to %s', async (text, from, to) => {
    expect(await read(text)).toEqual({ from, to });
  });

  it.each([
    ['en-US', '3/4/2026', '2026-03-04', '2026-03-04'],
    ['de-DE', '3.4.2026', '2026-04-03', '2026-04-03'],
    ['de-DE', 'gestern', '2026-11-21', '2026-11-21'],
    ['de-DE', 'seit März', '2026-03-01', '2026-11-22'],
    ['de-DE', 'Dez. 2025', '2025-12-01', '2025-12-31'],
    ['de-DE', 'Mai 2026', '2026-05-01', '2026-05-31'],
    ['de-DE', 'last 6 weeks', '2026-10-12', '2026-11-22'],
    ['fr-FR', 'hier', '2026-11-21', '2026-11-21'],
    ['ja-JP', '2026年5月3日', '2026-05-03', '2026-05-03'],
  ])('in %s, %s is %s to %s', async (locale, text, from, to) => {
    expect(await read(text, locale)).toEqual({ from, to });
  });

  it('is a preset by its name, so that it moves with time', async () => {
    expect(await read('last week')).toEqual({ preset: 'last-week' });
    expect(await read('Last 7 days')).toEqual({ preset: '7d' });
  });

  it.each(['', 'matcha', 'May be', 'sales in May 2026', '99'])('“%s” is none', async (text) => {
    expect(await read(text)).toBeNull();
  });

  it('has ends that the fields accept, for any number of units', async () => {
    const find = await dateFinder('en-GB');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom('minute', 'hour', 'day', 'week', 'month'),
        (count, unit) => {
          const range = readRange(`last ${count} ${unit}s`, find, 'en-GB', table, NOW);
          if (!range || 'preset' in range) return;
          expect(typedRange(range.from, range.to, table, NOW).ok).toBe(true);
        },
      ),
    );
  });
});
