import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateFinder, type DateLanguages } from '#app/board/range/date-finder.ts';
import { readDate, readRange } from '#app/board/range/range-words.ts';
import { typedRange } from '#core/time/range.ts';
import { Formatter } from '#app/format/formatter.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';

/** A Sunday, 14:30 in Berlin. */
const NOW = Date.UTC(2026, 10, 22, 13, 30);
const TODAY = '2026-11-22';
const table = zoneTable('Europe/Berlin', { start: ARCHIVE_START, end: NOW + 800 * DAY_MS });
const time = { table, weekStart: 1, now: NOW } as const;

const finders = new Map<string, Promise<DateLanguages>>();
function languagesOf(locale: string): Promise<DateLanguages> {
  const finder = finders.get(locale) ?? dateFinder(locale);
  finders.set(locale, finder);
  return finder;
}

async function read(text: string, locale = 'en-GB') {
  return readRange(text, await languagesOf(locale), time);
}

/** `2026-05-03 2026-05-09`, the id of a preset, or what is said instead. */
async function said(text: string, locale: string): Promise<string> {
  const reading = await read(text, locale);
  if (!reading.ok) return reading.why;
  return 'preset' in reading.range
    ? reading.range.preset
    : `${reading.range.from} ${reading.range.to}`;
}

const SIX_WEEKS = '2026-10-12 2026-11-22';
const MAY = '2026-05-01 2026-05-31';
const WEEK_OF_MAY = '2026-05-03 2026-05-09';
const JULY_2017 = '2017-07-01 2017-07-31';

describe('a range in words', () => {
  it.each([
    ['en-GB', 'yesterday', '2026-11-21 2026-11-21'],
    ['en-GB', 'today', '2026-11-22 2026-11-22'],
    ['en-GB', 'last 6 weeks', SIX_WEEKS],
    ['en-GB', 'in the last 6 weeks', SIX_WEEKS],
    ['en-GB', 'the last 1 day', '2026-11-22 2026-11-22'],
    ['en-GB', 'past 3 months', '2026-08-23 2026-11-22'],
    ['en-GB', 'last 2 quarters', '2026-05-23 2026-11-22'],
    ['en-GB', 'last 12 hours', '2026-11-22 02:30 2026-11-22 14:30'],
    ['en-GB', 'since March', `2026-03-01 ${TODAY}`],
    ['en-GB', 'since last month', `2026-10-01 ${TODAY}`],
    ['en-GB', 'since 2024', `2024-01-01 ${TODAY}`],
    ['en-GB', 'Since  12 March 2025', `2025-03-12 ${TODAY}`],
    ['en-GB', 'May 2026', MAY],
    ['en-GB', 'December', '2025-12-01 2025-12-31'],
    ['en-GB', '2024', '2024-01-01 2024-12-31'],
    ['en-GB', '2016-2017', '2016-01-01 2017-12-31'],
    ['en-GB', 'Q2 2026', '2026-04-01 2026-06-30'],
    ['en-GB', '2025 q4', '2025-10-01 2025-12-31'],
    ['en-GB', '3 May 2026', '2026-05-03 2026-05-03'],
    ['en-GB', 'the 3rd of May', '2026-05-03 2026-05-03'],
    ['en-GB', 'July 22', '2026-07-22 2026-07-22'],
    ['en-GB', '2026-05-03', '2026-05-03 2026-05-03'],
    ['en-GB', '2026-05-03 to 2026-05-09', WEEK_OF_MAY],
    ['en-GB', '2026-05', MAY],
    ['en-GB', '3 to 9 May 2026', WEEK_OF_MAY],
    ['en-GB', '3–9 May', WEEK_OF_MAY],
    ['en-GB', 'from 3 May to 9 May 2026', WEEK_OF_MAY],
    ['en-GB', '3/4/2026', '2026-04-03 2026-04-03'],
    ['en-GB', '3/4/17', '2017-04-03 2017-04-03'],
    ['en-GB', '1/31/2017', '2017-01-31 2017-01-31'],
    ['en-GB', 'May 2026 to July 2026', '2026-05-01 2026-07-31'],
    ['en-GB', 'May to July', '2026-05-01 2026-07-31'],
    ['en-GB', '20 December to 3 January 2017', '2016-12-20 2017-01-03'],
    ['en-GB', 'between 3 May 2026 and 9 May 2026', WEEK_OF_MAY],
    ['en-GB', '3 May 2026 14:00 – 9 May 2026 9:30', '2026-05-03 14:00 2026-05-09 09:30'],
    ['en-GB', '6 weeks ago', '2026-10-05 2026-10-11'],
    ['en-GB', 'friday', '2026-11-20 2026-11-20'],
    ['en-GB', 'last friday', '2026-11-20 2026-11-20'],
    ['en-GB', 'monday', '2026-11-16 2026-11-16'],
    ['en-GB', 'Sunday to Saturday', '2026-11-15 2026-11-21'],
    ['en-GB', 'weekend', '2026-11-21 2026-11-22'],
    ['en-GB', 'last weekend', '2026-11-14 2026-11-15'],
    ['en-GB', 'the day before yesterday', '2026-11-20 2026-11-20'],
    ['en-GB', 'yesterday 9:00 to 14:00', '2026-11-21 09:00 2026-11-21 14:00'],
    ['en-GB', '3 May 2026 2pm to 5:30 pm', '2026-05-03 14:00 2026-05-03 17:30'],
    ['en-GB', '2026-05-03T14:00 to 2026-05-04T09:00', '2026-05-03 14:00 2026-05-04 09:00'],
    ['en-GB', '2026-05-03/2026-05-09', WEEK_OF_MAY],
    ['en-GB', '2026-05-03..2026-05-09', WEEK_OF_MAY],
    ['en-GB', 'last 90 mins', '2026-11-22 13:00 2026-11-22 14:30'],
    ['en-GB', 'H1 2017', '2017-01-01 2017-06-30'],
    ['en-GB', '2017 h2', '2017-07-01 2017-12-31'],
    ['en-GB', 'week 53 2020', '2020-12-28 2021-01-03'],
    ['en-GB', 'Q3', '2026-07-01 2026-09-30'],
    ['en-GB', '2nd quarter of 2026', '2026-04-01 2026-06-30'],
    ['en-GB', '2025-W40', '2025-09-29 2025-10-05'],
    ['en-GB', 'week 40', '2026-09-28 2026-10-04'],
    ['en-GB', 'YTD', 'this-year'],
    ['en-GB', '7d', '7d'],
    ['en-GB', 'this week', 'this-week'],
    ['en-GB', 'last week', 'last-week'],
    ['en-GB', 'Last 7 days', '7d'],
    ['en-US', '3/4/2026', '2026-03-04 2026-03-04'],
    ['en-US', '1/7/2017 - 31/7/2017', JULY_2017],
    ['en-US', '31/7/2017 to 8/8/2017', '2017-07-31 2017-08-08'],
    ['en-US', '7/1/2017 - 7/31/2017', JULY_2017],
    ['en-US', 'Jul 18 – Aug 3, 2017', '2017-07-18 2017-08-03'],
    ['en-US', 'May 3 – 9, 2026', WEEK_OF_MAY],
    ['en-US', 'July 22nd, 2017', '2017-07-22 2017-07-22'],
    ['de-DE', '3.4.2026', '2026-04-03 2026-04-03'],
    ['de-DE', '3.4.', '2026-04-03 2026-04-03'],
    ['de-DE', 'since 3.4.2017', `2017-04-03 ${TODAY}`],
    ['de-DE', 'seit 3.4.2017', `2017-04-03 ${TODAY}`],
    ['de-DE', '1.7.2017 bis 31.7.2017', JULY_2017],
    ['de-DE', '1.7. - 31.7.2017', JULY_2017],
    ['de-DE', '3.3.2016 14:00 bis 4.3.2016 2:30 Uhr', '2016-03-03 14:00 2016-03-04 02:30'],
    ['de-DE', '3. März 2016 14 Uhr bis 18 Uhr', '2016-03-03 14:00 2016-03-03 18:00'],
    ['de-DE', 'gestern', '2026-11-21 2026-11-21'],
    ['de-DE', 'vorgestern', '2026-11-20 2026-11-20'],
    ['de-DE', 'letzte 6 Wochen', SIX_WEEKS],
    ['de-DE', 'in den letzten 6 Wochen', SIX_WEEKS],
    ['de-DE', 'die letzten 3 Monate', '2026-08-23 2026-11-22'],
    ['de-DE', 'in den letzten 3 Monaten', '2026-08-23 2026-11-22'],
    ['de-DE', 'letzte 7 Tage', '7d'],
    ['de-DE', 'letzte Woche', 'last-week'],
    ['de-DE', 'diese Woche', 'this-week'],
    ['de-DE', 'letzter Monat', 'last-month'],
    ['de-DE', 'seit März', `2026-03-01 ${TODAY}`],
    ['de-DE', 'Dez. 2025', '2025-12-01 2025-12-31'],
    ['de-DE', 'Mai 2026', MAY],
    ['de-DE', '3. bis 9. Mai 2026', WEEK_OF_MAY],
    ['de-DE', 'zwischen 3. Mai 2026 und 9. Mai 2026', WEEK_OF_MAY],
    ['de-DE', 'vor 6 Wochen', '2026-10-05 2026-10-11'],
    ['de-DE', 'letzten Freitag', '2026-11-20 2026-11-20'],
    ['de-DE', '2. Quartal 2026', '2026-04-01 2026-06-30'],
    ['de-DE', 'KW 40', '2026-09-28 2026-10-04'],
    ['de-DE', 'letztes Wochenende', '2026-11-14 2026-11-15'],
    ['de-DE', 'last 6 weeks', SIX_WEEKS],
    ['fr-FR', 'hier', '2026-11-21 2026-11-21'],
    ['fr-FR', 'les 6 dernières semaines', SIX_WEEKS],
    ['fr-FR', '6 dernières semaines', SIX_WEEKS],
    ['fr-FR', 'la semaine dernière', 'last-week'],
    ['fr-FR', 'mai 2026', MAY],
    ['fr-FR', 'depuis mars', `2026-03-01 ${TODAY}`],
    ['fr-FR', 'du 3 au 9 mai 2026', WEEK_OF_MAY],
    ['fr-FR', '1er mai 2026', '2026-05-01 2026-05-01'],
    ['fr-FR', '2e trimestre 2026', '2026-04-01 2026-06-30'],
    ['fr-FR', '03/04/2026', '2026-04-03 2026-04-03'],
    ['es-ES', 'ayer', '2026-11-21 2026-11-21'],
    ['es-ES', 'últimas 6 semanas', SIX_WEEKS],
    ['es-ES', 'las ultimas 6 semanas', SIX_WEEKS],
    ['es-ES', 'la semana pasada', 'last-week'],
    ['es-ES', 'mayo de 2026', MAY],
    ['es-ES', 'desde marzo', `2026-03-01 ${TODAY}`],
    ['es-ES', 'del 3 al 9 de mayo de 2026', WEEK_OF_MAY],
    ['pt-BR', 'ontem', '2026-11-21 2026-11-21'],
    ['pt-BR', 'últimas 6 semanas', SIX_WEEKS],
    ['pt-BR', 'maio de 2026', MAY],
    ['pt-BR', 'desde março', `2026-03-01 ${TODAY}`],
    ['pt-BR', '3 a 9 de maio de 2026', WEEK_OF_MAY],
    ['pt-BR', '3/4/2026', '2026-04-03 2026-04-03'],
    ['nl-NL', 'gisteren', '2026-11-21 2026-11-21'],
    ['nl-NL', 'afgelopen 6 weken', SIX_WEEKS],
    ['nl-NL', 'de laatste 6 weken', SIX_WEEKS],
    ['nl-NL', 'vorige week', 'last-week'],
    ['nl-NL', 'sinds maart', `2026-03-01 ${TODAY}`],
    ['nl-NL', '3-4-2026', '2026-04-03 2026-04-03'],
    ['nl-NL', '3 tot en met 9 mei 2026', WEEK_OF_MAY],
    ['ja-JP', '昨日', '2026-11-21 2026-11-21'],
    ['ja-JP', '過去6週間', SIX_WEEKS],
    ['ja-JP', '過去3か月', '2026-08-23 2026-11-22'],
    ['ja-JP', '先週', 'last-week'],
    ['ja-JP', '今月', 'this-month'],
    ['ja-JP', '過去7日間', '7d'],
    ['ja-JP', '3日前', '2026-11-19 2026-11-19'],
    ['ja-JP', '去年', 'last-year'],
    ['ja-JP', '2025年', '2025-01-01 2025-12-31'],
    ['ja-JP', '2026年第2四半期', '2026-04-01 2026-06-30'],
    ['ja-JP', '2026年5月', MAY],
    ['ja-JP', '2026年5月3日', '2026-05-03 2026-05-03'],
    ['ja-JP', '5月3日', '2026-05-03 2026-05-03'],
    ['ja-JP', '2026/5/3', '2026-05-03 2026-05-03'],
    ['ja-JP', '3月から', `2026-03-01 ${TODAY}`],
    ['ja-JP', '2026年5月3日から2026年5月9日まで', WEEK_OF_MAY],
    ['ja-JP', '２０２６年５月３日〜９日', WEEK_OF_MAY],
    ['it-IT', 'ultime 6 settimane', SIX_WEEKS],
    ['it-IT', 'dal 3 al 9 maggio 2026', WEEK_OF_MAY],
    ['sv-SE', 'senaste 6 veckorna', SIX_WEEKS],
    ['sv-SE', 'senaste 7 dagarna', '7d'],
    ['ru-RU', 'последние 6 недель', SIX_WEEKS],
    ['uk-UA', 'останні 6 тижнів', SIX_WEEKS],
    ['fi-FI', 'viimeiset 6 viikkoa', SIX_WEEKS],
    ['pl-PL', '3.04.2026', '2026-04-03 2026-04-03'],
    ['pl-PL', 'last 6 weeks', SIX_WEEKS],
    ['pl-PL', '2026-05-03', '2026-05-03 2026-05-03'],
  ])('in %s, %s is %s', async (locale, text, range) => {
    expect(await said(text, locale)).toBe(range);
  });

  it.each([
    ['en-US', 'next week', /“next week” is in the future/],
    ['en-US', 'tomorrow', /is in the future/],
    ['en-US', 'in 3 weeks', /is in the future/],
    ['en-US', 'next 11 weeks', /is in the future|Not a range yet/],
    ['en-US', '2030', /is in the future/],
    ['en-US', 'since 2030', /is in the future/],
    ['de-DE', 'nächste Woche', /is in the future/],
    ['ja-JP', '来週', /is in the future/],
    ['en-US', '13/1/2017 - 1/14/2017', /mix day-first and month-first/],
    ['en-GB', '31/2/2017', /2017-02 has no day 31/],
    ['en-GB', '30 February 2017', /2017-02 has no day 30/],
    ['en-GB', 'week 53 2016', /2016 has 52 weeks/],
    ['en-GB', '2017-13-01', /no month 13/],
    ['en-GB', '9 May 2026 to 3 May 2026', /end is before the start/],
    ['en-GB', '2001', /begin on 2006-03-21/],
    ['en-GB', '2025 to 2030', /future/],
    ['ja-JP', '3/4/2026', /day-first or month-first/],
    ['fr-FR', '6 semaines', /Not a range yet/],
    ['de-DE', 'letzte 6', /Not a range yet/],
    ['de-DE', 'bis März', /Not a range yet/],
    ['pl-PL', 'ostatnie 6 tygodni', /Dates in Polish aren’t read here/],
    ['en-GB', 'matcha', /Not a range yet/],
    ['en-GB', 'May be', /Not a range yet/],
    ['en-GB', 'sales in May 2026', /Not a range yet/],
    ['en-GB', '99', /Not a range yet/],
    ['en-GB', '3 to 9', /Not a range yet/],
    ['en-GB', 'last 0 days', /Not a range yet/],
    ['en-GB', 'every friday', /Not a range yet/],
    ['en-GB', '6 weeks', /Not a range yet/],
    ['en-GB', 'week 60', /Not a range yet/],
    ['en-GB', '3 May 2026 14pm', /Not a range yet/],
    ['en-GB', 'last 3 constructor', /Not a range yet/],
    ['en-GB', 'this weekend', /Not a range yet|future/],
  ])('in %s, %s is refused in words', async (locale, text, why) => {
    const reading = await read(text, locale);
    expect(reading).toMatchObject({ ok: false });
    expect(reading.ok || reading.why).toMatch(why);
  });

  it('offers both meanings where a locale has no usual order of day and month', async () => {
    expect(await read('3/4/2026', 'ja-JP')).toMatchObject({
      offers: [
        { from: '2026-03-04', to: '2026-03-04' },
        { from: '2026-04-03', to: '2026-04-03' },
      ],
    });
    expect(await said('31/7/2026', 'ja-JP')).toBe('2026-07-31 2026-07-31');
  });

  it('says when words were read as English', async () => {
    expect(await read('last 6 weeks', 'de-DE')).toMatchObject({ english: true });
    expect(await read('letzte 6 Wochen', 'de-DE')).toMatchObject({ english: false });
    expect(await read('3.4.2026', 'de-DE')).toMatchObject({ english: false });
  });

  it('says nothing about nothing', async () => {
    expect(await read(' ')).toEqual({ ok: false, why: '', offers: [] });
  });

  it('has ends that the fields accept, for any number of units', async () => {
    const languages = await languagesOf('en-GB');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.constantFrom('minute', 'hour', 'day', 'week', 'month'),
        (count, unit) => {
          const reading = readRange(`last ${count} ${unit}s`, languages, time);
          if (!reading.ok || 'preset' in reading.range) return reading.ok;
          return typedRange(reading.range.from, reading.range.to, table, NOW).ok;
        },
      ),
    );
  });

  it.each([
    'en-US',
    'en-GB',
    'en-CA',
    'de-DE',
    'fr-FR',
    'es-ES',
    'pt-BR',
    'nl-NL',
    'sv-SE',
    'ja-JP',
  ])('law: in %s is what the board shows of a range', async (locale) => {
    const languages = await languagesOf(locale);
    const format = new Formatter(locale, 'Europe/Berlin');
    const start = fc.integer({ min: 0, max: 4000 });
    fc.assert(
      fc.property(start, fc.integer({ min: 1, max: 700 }), fc.boolean(), (day, days, timed) => {
        const at = Date.UTC(2014, 0, 1 + day);
        const shift = timed ? 14 * HOUR_MS : 0;
        const from = new Date(at + shift).toISOString();
        const to = new Date(Math.min(at + (days - 1) * DAY_MS, NOW - DAY_MS) + shift).toISOString();
        if (to <= from) return;
        const texts = timed
          ? [from, to].map((text) => text.slice(0, 16).replace('T', ' '))
          : [from, to].map((text) => text.slice(0, 10));
        const typed = typedRange(texts[0] ?? '', texts[1] ?? '', table, NOW);
        if (!typed.ok) throw new Error(typed.from ?? typed.to);
        const shown = format.span(typed.span);
        expect([shown, readRange(shown, languages, time)]).toMatchObject([
          shown,
          { ok: true, range: { from: texts[0], to: texts[1] } },
        ]);
      }),
      { numRuns: runs(25) },
    );
  });
});

describe('a date typed into a field', () => {
  it('is read in the time of a board, whose members are accessors', async () => {
    const board = Object.create(
      {},
      Object.fromEntries(Object.entries(time).map(([name, value]) => [name, { get: () => value }])),
    ) as typeof time;
    expect(readDate('last friday', await languagesOf('en-GB'), board, 'first')).toMatchObject({
      ok: true,
    });
    expect(readRange('last friday', await languagesOf('en-GB'), board)).toMatchObject({ ok: true });
  });

  it.each([
    ['de-DE', '3.4.2024', 'first', undefined, '2024-04-03'],
    ['en-US', '3/4/2024', 'first', undefined, '2024-03-04'],
    ['en-GB', '20 Jul 2017', 'first', undefined, '2017-07-20'],
    ['en-GB', 'July 22', 'last', '2017-07-20', '2017-07-22'],
    ['en-GB', 'July 2017', 'first', undefined, '2017-07-01'],
    ['en-GB', 'July 2017', 'last', undefined, '2017-07-31'],
    ['en-GB', 'yesterday 9:30', 'first', undefined, '2026-11-21 09:30'],
    ['de-DE', 'gestern', 'last', undefined, '2026-11-21'],
    ['ja-JP', '2024年4月3日', 'first', undefined, '2024-04-03'],
    ['fr-FR', '3 avril 2024 à 14:00', 'first', undefined, '2024-04-03 14:00'],
  ] as const)('in %s, %s as the %s day near %s is %s', async (locale, text, end, near, date) => {
    expect(readDate(text, await languagesOf(locale), time, end, near)).toEqual({
      ok: true,
      text: date,
    });
  });

  it.each([
    ['en-GB', 'soon', /“soon” is not a date/],
    ['en-GB', '31 June 2024', /2024-06 has no day 31/],
    ['ja-JP', '3/4/2024', /2024-03-04 or 2024-04-03/],
  ])('in %s, %s is refused in words', async (locale, text, why) => {
    const reading = readDate(text, await languagesOf(locale), time, 'first');
    expect(reading.ok || reading.why).toMatch(why);
  });
});
