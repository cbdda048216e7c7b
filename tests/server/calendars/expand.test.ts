import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandItems } from '#server/calendars/expand.ts';
import { readCalendar } from '#server/calendars/items.ts';
import { namedZone, UTC_ZONE } from '#server/calendars/zones.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { ics } from './calendar-texts.ts';

const BERLIN = 'Europe/Berlin';
const YEAR = ['2026-01-01', '2027-01-01'] as const;

function expand(
  text: string,
  [from, to]: readonly [string, string] = YEAR,
  zone = BERLIN,
  most = 10_000,
) {
  const { items, notes } = readCalendar(text, zone);
  const span = { start: Date.parse(from), end: Date.parse(to) };
  const board = namedZone(zone) ?? UTC_ZONE;
  const { occurrences, ...rest } = expandItems(items, { span, board, most, onLine: () => {} });
  return { occurrences: occurrences.toSorted((a, b) => a.start - b.start), notes, ...rest };
}
const short = (at: number | null): string =>
  at === null ? '' : new Date(at).toISOString().slice(5, 16);
/** The occurrences as `month-dayThour:minute/end`. */
function times(
  lines: readonly string[],
  ...rest: [span?: readonly [string, string], zone?: string]
) {
  return expand(ics(lines), ...rest).occurrences.map(
    ({ start, end }) => `${short(start)}/${short(end)}`,
  );
}

describe('the occurrences of an event', () => {
  it.each([
    [
      'repeat at the local time of their zone across a clock change',
      [
        'DTSTART;TZID=America/New_York:20260307T093000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=3',
      ],
      ['03-07T14:30/03-07T15:30', '03-08T13:30/03-08T14:30', '03-09T13:30/03-09T14:30'],
    ],
    [
      'that the clocks skip are meant by the offset before, and of two are the first',
      [
        'DTSTART;TZID=Europe/Berlin:20260328T023000',
        'RRULE:FREQ=DAILY;COUNT=2',
        'RDATE;TZID=Europe/Berlin:20261025T023000',
      ],
      ['03-28T01:30/', '03-29T01:30/', '10-25T00:30/'],
    ],
    [
      'are as long as between start and end, also over a clock change',
      [
        'DTSTART;TZID=Europe/Berlin:20260321T220000',
        'DTEND;TZID=Europe/Berlin:20260322T060000',
        'RRULE:FREQ=WEEKLY;COUNT=2',
      ],
      ['03-21T21:00/03-22T05:00', '03-28T21:00/03-29T05:00'],
    ],
    [
      'of a length in days end at the same local time',
      ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'DURATION:P1D'],
      ['03-28T11:00/03-29T10:00'],
    ],
    [
      'all day are local days of the board',
      ['DTSTART;VALUE=DATE:20260328', 'RRULE:FREQ=DAILY;COUNT=2'],
      ['03-27T23:00/03-28T23:00', '03-28T23:00/03-29T22:00'],
    ],
    [
      'are also read from a date that is not marked as one',
      ['DTSTART:20260328'],
      ['03-27T23:00/03-28T23:00'],
    ],
    [
      'leave out exceptions, in any zone and as days',
      [
        'DTSTART;TZID=Europe/Berlin:20260601T090000',
        'RRULE:FREQ=DAILY;COUNT=5',
        'EXDATE:20260602T070000Z',
        'EXDATE;VALUE=DATE:20260604',
        'EXDATE:20260702T070000Z',
      ],
      ['06-01T07:00/', '06-03T07:00/', '06-05T07:00/'],
    ],
    [
      'all day leave out exceptions that are written as times',
      [
        'DTSTART;VALUE=DATE:20260601',
        'RRULE:FREQ=DAILY;COUNT=3',
        'EXDATE;TZID=America/New_York:20260602T000000',
      ],
      ['05-31T22:00/06-01T22:00', '06-02T22:00/06-03T22:00'],
    ],
    [
      'end with a time in UTC, inclusively',
      ['DTSTART;TZID=Europe/Berlin:20260601T090000', 'RRULE:FREQ=DAILY;UNTIL=20260603T070000Z'],
      ['06-01T07:00/', '06-02T07:00/', '06-03T07:00/'],
    ],
    [
      'end with a whole day',
      ['DTSTART;TZID=Europe/Berlin:20260601T090000', 'RRULE:FREQ=DAILY;UNTIL=20260602'],
      ['06-01T07:00/', '06-02T07:00/'],
    ],
    [
      'are not put on another day where a month lacks theirs',
      ['DTSTART;VALUE=DATE:20240229', 'RRULE:FREQ=YEARLY'],
      [],
    ],
    [
      'of a rule with two dates that are equal are one',
      [
        'DTSTART:20260601T090000Z',
        'RRULE:FREQ=DAILY;COUNT=2',
        'RDATE:20260602T090000Z,20260610T090000Z',
      ],
      ['06-01T09:00/', '06-02T09:00/', '06-10T09:00/'],
    ],
    ['that are cancelled are none', ['DTSTART:20260601T090000Z', 'STATUS:CANCELLED'], []],
  ])('%s', (_, lines, expected) => {
    expect(times(['UID:a', 'SUMMARY:A', ...lines])).toEqual(expected);
  });

  it('follow what replaces one, and one with all later ones', () => {
    const zone = 'TZID=Europe/Berlin';
    const { occurrences } = expand(
      ics(
        ['UID:a', 'SUMMARY:Daily', `DTSTART;${zone}:20260601T090000`, 'RRULE:FREQ=DAILY;COUNT=6'],
        ['UID:a', 'SUMMARY:Moved', 'RECURRENCE-ID:20260602T070000Z', 'DTSTART:20260620T100000Z'],
        [
          'UID:a',
          'SUMMARY:Off',
          `RECURRENCE-ID;${zone}:20260603T090000`,
          `DTSTART;${zone}:20260603T090000`,
          'STATUS:CANCELLED',
        ],
        [
          'UID:a',
          'SUMMARY:Later',
          'RECURRENCE-ID;RANGE=THISANDFUTURE:20260605T070000Z',
          `DTSTART;${zone}:20260605T110000`,
        ],
      ),
    );
    expect(occurrences.map(({ start, title }) => `${short(start)} ${title}`)).toEqual([
      '06-01T07:00 Daily',
      '06-04T07:00 Daily',
      '06-05T09:00 Later',
      '06-06T09:00 Later',
      '06-20T10:00 Moved',
    ]);
    expect(new Set(occurrences.map(({ id }) => id)).size).toBe(5);
  });

  it.each([
    ['a day by a time', ['VALUE=DATE:20260601', ':20260602T000000', ';VALUE=DATE:20260610']],
    [
      'a time by a day',
      ['TZID=Europe/Berlin:20260601T090000', ';VALUE=DATE:20260602', ':20260610T070000Z'],
    ],
  ])('follow what replaces %s', (_, [start, replaced, moved]) => {
    const { occurrences } = expand(
      ics(
        ['UID:a', `DTSTART;${start}`, 'RRULE:FREQ=DAILY;COUNT=3'],
        ['UID:a', `RECURRENCE-ID${replaced}`, `DTSTART${moved}`],
      ),
      YEAR,
      'UTC',
    );
    expect(occurrences.map((each) => short(each.start).slice(0, 5))).toEqual([
      '06-01',
      '06-03',
      '06-10',
    ]);
  });

  it('of a zone that the calendar defines are those of the same zone by its name, in every year and across its changes', () => {
    // As Outlook writes it.
    const zone = [
      'BEGIN:VTIMEZONE',
      'TZID:Office',
      'BEGIN:STANDARD',
      'DTSTART:16010101T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
      'END:STANDARD',
      'BEGIN:DAYLIGHT',
      'DTSTART:16010101T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
      'END:DAYLIGHT',
      'END:VTIMEZONE',
    ];
    const times = ['20040701T090000', '20260328T023000', '20260329T013000', '20260329T023000']
      .concat(['20260329T033000', '20261025T013000', '20261025T023000', '20261025T033000'])
      .concat(['20261026T023000', '20450101T090000', '20450701T090000']);
    const startsIn = (name: string): unknown => {
      const { occurrences, notes } = expand(
        ics(
          ...times.map((time, i) => [`UID:${i}`, `DTSTART;TZID=${name}:${time}`]),
          // The end is the instant of the second 02:30.
          [
            'UID:until',
            `DTSTART;TZID=${name}:20261025T010000`,
            'RRULE:FREQ=HOURLY;UNTIL=20261025T013000Z',
          ],
        ).replace('PRODID:test', ['PRODID:test', ...zone].join('\r\n')),
        ['2000-01-01', '2050-01-01'],
        'UTC',
      );
      return [occurrences.map(({ start }) => start), notes];
    };
    expect(startsIn('Office')).toEqual(startsIn(BERLIN));
  });

  it.each(['W. Europe Standard Time', '/mozilla.org/20050126_1/Europe/Berlin', '"Europe/Berlin"'])(
    'of the zone %s, which no calendar defines, are in Berlin',
    (name) => {
      const { occurrences, notes } = expand(
        ics(['UID:a', `DTSTART;TZID=${name}:20260701T090000`]),
        YEAR,
        'UTC',
      );
      expect([occurrences.map(({ start }) => short(start)), notes]).toEqual([['07-01T07:00'], []]);
    },
  );

  it('in the zone of the board are those without a zone, or with an unknown one, and a note says so', () => {
    const { occurrences, notes } = expand(
      ics(
        ['UID:a', 'DTSTART:20260601T090000'],
        ['UID:b', 'DTSTART;TZID=Nowhere:20260602T090000'],
        ['UID:c', 'DTSTART:20260603T090000'],
      ),
    );
    expect(occurrences.map(({ start }) => short(start))).toEqual([
      '06-01T07:00',
      '06-02T07:00',
      '06-03T07:00',
    ]);
    expect(notes).toEqual([
      'Line 4 and 1 more: the time has no zone, so it is shown at that time in the zone of the board.',
      'Line 8: the zone “Nowhere” is unknown, so its times are shown in the zone of the board.',
    ]);
  });

  it('of what never ends are those of the span, up to a number', () => {
    const text = ics(['UID:a', 'DTSTART:19800101T090000Z', 'RRULE:FREQ=MINUTELY']);
    const day = ['2026-06-01', '2026-06-02'] as const;
    const all = expand(text, day);
    expect([all.occurrences.length, all.isCut]).toEqual([1440, false]);
    const some = expand(text, day, BERLIN, 1000);
    expect([some.occurrences.length, some.isCut]).toEqual([1000, true]);
  });

  it('of what ends after a number are those of the span, however large it is, and others are there', () => {
    const other = ['UID:b', 'DTSTART:20260601T120000Z'];
    const at = ['2026-06-01T12:00Z', '2026-06-01T12:02Z'] as const;
    const simple = ['UID:a', 'DTSTART:20000101T090000Z', 'RRULE:FREQ=MINUTELY;COUNT=1000000000'];
    const { occurrences, isCut, far } = expand(ics(simple, other), at);
    expect([occurrences.map(({ start }) => short(start)), isCut, far]).toEqual([
      ['06-01T12:00', '06-01T12:00', '06-01T12:01'],
      false,
      [],
    ]);
    const counted = expand(ics([...simple.slice(0, 2), `${simple[2]};BYHOUR=12`], other), at);
    expect([counted.occurrences.map(({ id }) => id), counted.isCut, counted.far]).toEqual([
      ['b'],
      false,
      [4],
    ]);
  });

  it('are as many as the number of a rule says, also where it begins before the span', () => {
    const rule = 'RRULE:FREQ=HOURLY;INTERVAL=6;COUNT=10';
    expect(times(['UID:a', 'DTSTART:20251230T090000Z', rule])).toEqual([
      '01-01T03:00/',
      '01-01T09:00/',
      '01-01T15:00/',
    ]);
  });

  it('are the same in each part of a span as in the whole, with the same ids', () => {
    const rule = fc.record({
      rule: fc.constantFrom(
        'FREQ=DAILY',
        'FREQ=DAILY;INTERVAL=3',
        'FREQ=WEEKLY;BYDAY=MO,TH',
        'FREQ=WEEKLY;INTERVAL=2',
        'FREQ=MONTHLY;BYDAY=-1FR',
        'FREQ=MONTHLY;BYMONTHDAY=31',
        'FREQ=YEARLY',
        'FREQ=DAILY;COUNT=700',
        'FREQ=HOURLY;INTERVAL=7',
      ),
      zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
      hour: fc.integer({ min: 0, max: 23 }),
      hours: fc.integer({ min: 0, max: 60 }),
    });
    const cut = fc.integer({ min: 0, max: 365 * 24 });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), cut, (rules, at) => {
        const text = ics(
          ...rules.map(({ rule, zone, hour, hours }, i) => [
            `UID:${i}`,
            `DTSTART;TZID=${zone}:20250131T${String(hour).padStart(2, '0')}3000`,
            `DURATION:PT${hours}H`,
            `RRULE:${rule}`,
          ]),
        );
        const middle = new Date(Date.parse(YEAR[0]) + at * HOUR_MS).toISOString();
        const keys = (span: readonly [string, string]): string[] =>
          expand(text, span).occurrences.map(({ id, start, end }) => `${id} ${start} ${end}`);
        const parts = new Set([...keys([YEAR[0], middle]), ...keys([middle, YEAR[1]])]);
        expect([...parts].toSorted()).toEqual(keys(YEAR).toSorted());
      }),
      { numRuns: 30 },
    );
  });

  it('begin at the same local time on every day, in every zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney'),
        fc.integer({ min: 4, max: 23 }),
        (zone, hour) => {
          const from = `20260101T${String(hour).padStart(2, '0')}0000`;
          const { occurrences } = expand(
            ics(['UID:a', `DTSTART;TZID=${zone}:${from}`, 'RRULE:FREQ=DAILY']),
            YEAR,
            'UTC',
          );
          const local = Intl.DateTimeFormat('en-GB', {
            timeZone: zone,
            hour: '2-digit',
            hourCycle: 'h23',
          });
          expect(new Set(occurrences.map(({ start }) => Number(local.format(start))))).toEqual(
            new Set([hour]),
          );
          expect(occurrences.length).toBeGreaterThanOrEqual(364);
          expect((occurrences.at(-1)?.start ?? 0) - (occurrences[0]?.start ?? 0)).toBe(
            (occurrences.length - 1) * DAY_MS,
          );
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe('an event', () => {
  it('has its texts in one line, and only an address of the web', () => {
    const { occurrences } = expand(
      ics(
        [
          'UID:a',
          'DTSTART:20260601T090000Z',
          'SUMMARY:Launch\\, at\\n last',
          'LOCATION:Hall 3',
          'DESCRIPTION:Two',
          ' \\nlines',
          'URL:https://example.com/a;b',
        ],
        ['UID:b', 'DTSTART:20260602T090000Z', 'URL:javascript:alert(1)'],
      ),
    );
    expect(occurrences).toMatchObject([
      {
        title: 'Launch, at last',
        detail: 'Hall 3 · Two lines',
        url: 'https://example.com/a;b',
        end: null,
      },
      { title: 'Event without a title', detail: '', url: null },
    ]);
  });
});

describe('an event in many occurrences', () => {
  it('has an id that is short and unique, also if the calendar gives a long one or none', () => {
    const long = expand(
      ics([`UID:${'u'.repeat(100_000)}`, 'DTSTART:20260101T090000Z', 'RRULE:FREQ=HOURLY']),
    );
    const none = expand(ics(...Array.from({ length: 9000 }, () => ['DTSTART:20260101T090000Z'])));
    for (const { occurrences } of [long, none]) {
      const ids = new Set(occurrences.map(({ id }) => id));
      expect(ids.size).toBe(occurrences.length);
      expect(ids.size).toBeGreaterThan(8000);
      expect(Math.max(...Array.from(ids, (id) => id.length))).toBeLessThan(300);
    }
  });
});

describe('a text', () => {
  it.each([
    ['', 'The file is empty, so it is not a calendar (.ics).'],
    ['<html>', 'Line 1: This is not a calendar (.ics), which begins with BEGIN:VCALENDAR.'],
    [
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR',
      'Line 3: END:VCALENDAR does not end VEVENT, which begins in line 2.',
    ],
    ['BEGIN:VCALENDAR\nVERSION:2.0', 'Line 1: VCALENDAR begins here and never ends.'],
  ])('that is no calendar says so: %j', (text, message) => {
    expect(() => readCalendar(text, 'UTC')).toThrow(message);
  });

  it('with mistakes in events has all others, and says which are left out and why', () => {
    const good = ['UID:good', 'DTSTART:20260601T090000Z'];
    const { occurrences, notes } = expand(
      ics(
        ['UID:a', 'DTSTART:20261301T090000Z'],
        ['UID:b', 'DTSTART:soon'],
        ['UID:c', 'SUMMARY:no start'],
        ['UID:d', 'DTSTART:20260601T090000Z', 'RRULE:FREQ=SOMETIMES'],
        ['UID:e', 'DTSTART:20260601T090000Z', 'no colon'],
        good,
      ),
    );
    expect(occurrences).toHaveLength(1);
    expect(notes).toEqual([
      'Line 4 and 1 more: an event was left out: it has a date or a time that does not exist.',
      expect.stringMatching(/^Line 12: an event was left out: it has no start/),
      expect.stringMatching(/^Line 16: an event was left out: invalid frequency "SOMETIMES"/),
      expect.stringMatching(/^Line 21: an event was left out: invalid line/),
    ]);
  });

  it('with thousands of different mistakes has a few short sentences about them, and the number of all others', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => ['DTSTART:20260601', 'x'.repeat(i + 1)]);
    const { notes } = expand(ics(...lines));
    // Of the longest, only the beginning is quoted, which is the same.
    expect(notes).toHaveLength(21);
    expect(notes.at(-1)).toMatch(/^\d+ more lines have other problems\.$/);
    expect(Math.max(...notes.map(({ length }) => length))).toBeLessThan(230);
  });
});
