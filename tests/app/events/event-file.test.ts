import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { EVENT_COLUMNS, eventCells, eventsCsv, fileEvents } from '#app/events/event-file.ts';
import type { BoardEvent } from '#app/events/event.ts';
import { ARCHIVE_START, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { intlWall } from '#tests/support/run/intl-wall.ts';
import { events, instant, LAST } from '#tests/support/data/events.ts';
import { runs } from '#tests/support/run/runs.ts';
import { plainText } from '#core/export/csv-text.ts';

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
/** An instant within two hours of a change of the clocks of a zone; any instant where they never change. */
const nearChange = fc
  .tuple(zone, fc.nat(), fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }), instant)
  .map(([name, n, by, any]): [string, number] => {
    const { starts } = zoneTable(name, { start: ARCHIVE_START, end: LAST });
    const changes = [...starts].filter((at) => at > ARCHIVE_START && at < LAST);
    return [name, changes.length === 0 ? any : (changes[n % changes.length] ?? any) + by];
  });

const span = fc
  .tuple(instant, instant)
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) + 1 }));

describe('the events of a file', () => {
  it('have their time on the clocks of every zone, also where they change', () => {
    fc.assert(
      fc.property(fc.oneof(nearChange, fc.tuple(zone, instant)), ([name, start]) => {
        const event: BoardEvent = {
          kind: 'note',
          id: 'a',
          start,
          end: null,
          title: 'a',
          detail: '',
          source: '',
        };
        const [written] = fileEvents([event], { start, end: start + 1 }, name);
        const local = written?.startLocal ?? '';
        const second = Math.floor(start / 1000) * 1000;
        expect(Date.parse(local)).toBe(second);
        expect(Date.parse(`${local.slice(0, 19)}Z`)).toBe(intlWall(name, second));
      }),
      { numRuns: runs(800) },
    );
  });

  it('are those of the time, and are read from CSV as they were', () => {
    fc.assert(
      fc.property(events, span, zone, fc.constantFrom(',' as const, ';' as const), (all, ...of) => {
        const [inside, name, separator] = of;
        const written = fileEvents(all, inside, name);
        const touching = all.filter(
          ({ start, end }) =>
            Math.max(start, inside.start) < Math.min(end ?? start + 1, inside.end),
        );
        expect(written.map(({ id }) => id)).toEqual(touching.map(({ id }) => id));
        const { data } = Papa.parse<string[]>(eventsCsv(written, separator), {
          delimiter: separator,
          newline: '\r\n',
          skipEmptyLines: true,
        });
        expect(data[0]).toEqual(EVENT_COLUMNS);
        expect(data.slice(1).map((row) => row.map(plainText))).toEqual(written.map(eventCells));
      }),
      { numRuns: runs(300) },
    );
  });

  it('are written as published: UTC, no end of a moment, no formula', () => {
    const campaign: BoardEvent = {
      kind: 'campaign',
      id: 'c',
      start: Date.UTC(2026, 2, 29, 0, 30),
      end: Date.UTC(2026, 3, 1),
      title: '=Spring',
      detail: 'spend 5 EUR, clicks 2',
      source: 'ads.csv',
    };
    const post: BoardEvent = {
      kind: 'post',
      id: '12',
      start: Date.UTC(2026, 2, 29, 1, 30, 5, 7),
      end: null,
      title: 'Hi',
      detail: '',
      source: '@us',
    };
    const day = { start: Date.UTC(2026, 2, 29, 1), end: Date.UTC(2026, 2, 30) };
    expect(
      eventsCsv(fileEvents([campaign, post], day, 'Europe/Berlin'), ',').split('\r\n'),
    ).toEqual([
      'kind,start_utc,end_utc,start_local,title,detail,source,id',
      `campaign,2026-03-29T00:30:00.000Z,2026-04-01T00:00:00.000Z,2026-03-29T01:30:00+01:00,'=Spring,"spend 5 EUR, clicks 2",ads.csv,c`,
      `post,2026-03-29T01:30:05.007Z,,2026-03-29T03:30:05+02:00,Hi,,'@us,12`,
      '',
    ]);
  });
});
