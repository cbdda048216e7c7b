import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import {
  durationWords,
  offerWords,
  sizeWords,
  spanName,
  timesWords,
} from '#app/insight/drawer/drawer-text.ts';
import { episodeWords, noPeaksWords } from '#app/insight/peaks/peak-text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf, noise } from '#tests/core/series/a-curve.ts';

const START = Date.UTC(2026, 3, 1);
const REACH = { start: Date.UTC(2024, 0), end: Date.UTC(2028, 0) };
const format = new Formatter('en-GB', 'Europe/Berlin');

describe('spanName', () => {
  const span = (from: string, to: string): Span => ({
    start: Date.parse(from),
    end: Date.parse(to),
  });
  it.each([
    ['UTC', '2026-07-14T00:00Z', '2026-07-15T00:00Z', 'Tue, 14 Jul 2026'],
    // A UTC day is not a day in another zone.
    ['Europe/Berlin', '2026-07-14T00:00Z', '2026-07-15T00:00Z', /14 Jul 2026, 02:00 – 15 Jul/],
    ['Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T22:00Z', 'Sun, 29 Mar 2026'],
    ['Asia/Kolkata', '2026-07-13T18:30Z', '2026-07-14T18:30Z', 'Tue, 14 Jul 2026'],
    ['UTC', '2026-07-01T00:00Z', '2026-08-01T00:00Z', 'July 2026'],
    // Part of a month is not named after the month.
    ['UTC', '2026-07-10T00:00Z', '2026-08-01T00:00Z', '10–31 Jul 2026'],
    ['UTC', '2026-07-06T00:00Z', '2026-07-13T00:00Z', '6–12 Jul 2026'],
    ['UTC', '2026-07-01T00:00Z', '2026-10-01T00:00Z', 'Q3 2026'],
    ['UTC', '2026-02-01T00:00Z', '2026-05-01T00:00Z', /^1 Feb – 30 Apr 2026$/],
    ['UTC', '2026-01-01T00:00Z', '2027-01-01T00:00Z', '2026'],
    ['UTC', '2026-07-14T09:00Z', '2026-07-14T10:00Z', 'Tue, 14 Jul 2026, 09:00 UTC'],
    ['UTC', '2026-07-14T09:30Z', '2026-07-14T10:30Z', '14 Jul 2026, 09:30–10:30'],
    ['UTC', '2026-07-14T09:31Z', '2026-07-14T09:32Z', 'Tue, 14 Jul 2026, 09:31 UTC'],
    ['UTC', '2026-07-14T00:00Z', '2026-07-16T00:00Z', '14–15 Jul 2026'],
  ])('in %s names %s to %s: %s', (zone, from, to, name) => {
    const table = zoneTable(zone, REACH);
    const shown = spanName(span(from, to), table, 1, format.in(zone));
    if (typeof name === 'string') expect(shown).toBe(name);
    else expect(shown).toMatch(name);
  });
});

describe('the size of a period', () => {
  it.each([
    [12_518, 3053, false, '12,518 Posts', '4.1× the usual 3,053.'],
    [12_518, 300, false, '12,518 Posts', '42× the usual 300.'],
    [1, 4.24, false, '1 Post', /^23.6\s?% of the usual 4.2\.$/],
    [310, 300, false, '310 Posts', 'About the usual 300.'],
    [40, 0.01, false, '40 Posts', 'Usually almost none.'],
    [40, null, false, '40 Posts', /^Not enough data/],
    [40, 300, true, '40 Posts so far', 'The usual total for the whole time is 300.'],
    [900, 300, true, '900 Posts so far', '3× the usual 300.'],
    [NaN, 300, false, 'Not counted', 'This time has not been loaded yet.'],
  ])(
    'is described for %d Posts with %d expected (unfinished: %s)',
    (count, expected, partial, posts, against) => {
      const said = sizeWords(
        { count, expected, partial, time: partial ? 'running' : 'over' },
        format,
      );
      expect(said.posts).toBe(posts);
      if (typeof against === 'string') expect(said.against).toBe(against);
      else expect(said.against).toMatch(against);
    },
  );

  it('is “so far” only while its time runs', () => {
    const cut = { count: 40, expected: 300, partial: true };
    expect(sizeWords({ ...cut, time: 'running' }, format).posts).toBe('40 Posts so far');
    expect(sizeWords({ ...cut, time: 'over' }, format)).toEqual({
      posts: '40 Posts',
      against: 'Only part of this time is counted: the range or the data ends within it.',
    });
  });

  it('says that a time is in the future', () => {
    const said = sizeWords(
      { count: NaN, counting: true, expected: null, partial: false, time: 'to come' },
      format,
    );
    expect(said).toEqual({ posts: 'Not yet', against: 'This time is in the future.' });
  });

  it('as a multiple has one decimal or none, and is empty if nothing was expected', () => {
    expect(timesWords(41.2, 10, format)).toBe('4.1×');
    expect(timesWords(412, 10, format)).toBe('41×');
    expect(timesWords(9, 0, format)).toBe('');
  });
});

describe('the texts of the drawer', () => {
  it.each([
    [MINUTE_MS, '1 minute'],
    [41 * MINUTE_MS, '41 minutes'],
    [100 * MINUTE_MS, '100 minutes'],
    [2.5 * HOUR_MS, '2.5 hours'],
    [DAY_MS, '1 day'],
    [1.5 * DAY_MS, '36 hours'],
    [3 * DAY_MS, '3 days'],
  ])('call %d ms %s', (ms, text) => expect(durationWords(ms, format)).toBe(text));

  it('name a price only if there is one', () => {
    expect(offerWords('Show more', null, format)).toBe('Show more');
    const price = { posts: 100, money: 0.5 };
    expect(offerWords('Read 100 Posts', price, format)).toBe('Read 100 Posts · up to $0.50');
  });
});

describe('the course of a peak', () => {
  const of = noise(4);
  const size = 6 * 24 * 60;
  const at = 4 * 24 * 60;
  const counts = Array.from({ length: size }, () => of(20));
  for (let i = 0; i < 200; i += 1) counts[at + i] = 20 + Math.round(980 * (1 - i / 200));
  const span = { start: START + 3 * DAY_MS, end: START + 5 * DAY_MS };
  const peak = { hasPeak: true, count: 90_000, expected: 30_000 };

  it('is described to the minute if minutes are known', () => {
    const said = episodeWords(
      curveOf(counts, START, MINUTE_MS),
      'Europe/Berlin',
      { ...peak, span },
      format,
    );
    expect(said.note).toBe('Accurate to the minute.');
    expect(said.rows.slice(0, 2)).toEqual([
      { term: 'Onset', text: '5 Apr 2026, 02:00' },
      { term: 'Summit', text: '5 Apr 2026, 02:00, 1,000 Posts in that minute' },
    ]);
    expect(said.rows[2]?.text).toMatch(/^Halved within (99|10[0-3]) minutes$/);
    expect(said.rows[3]?.text).toMatch(/^5 Apr 2026, 05:1\d$/);
  });

  it('is described as far as it is known: to the hour, as ongoing, or not at all', () => {
    const hours = Array.from({ length: 100 }, () => of(400));
    hours[98] = 4000;
    hours[99] = 3500;
    const describePeak = (curve: Parameters<typeof episodeWords>[0]) =>
      episodeWords(
        curve,
        'UTC',
        { ...peak, span: { start: START, end: START + 100 * DAY_MS } },
        format,
      );
    const open = describePeak(curveOf(hours, START));
    expect(open.note).toMatch(/^Accurate to the hour/);
    expect(open.rows.map((row) => row.text)).toEqual([
      '5 Apr 2026, 04:00',
      '5 Apr 2026, 04:00, 4,000 Posts in that hour',
      'not over yet',
      'not over yet',
    ]);
    expect(describePeak(null).note).toMatch(/^Loading/);
    expect(describePeak(curveOf(hours, START, DAY_MS)).note).toMatch(/^Only daily counts/);
    expect(describePeak(curveOf(hours.slice(95), START)).note).toMatch(/^Not enough data/);
    const level = hours.slice(0, 90).map(() => 400);
    expect(describePeak(curveOf(level, START)).note).toMatch(/no clear onset/);
  });

  it('is not described for a bucket with the usual count, even if one minute in it is high', () => {
    const fine = curveOf(counts, START, MINUTE_MS);
    const bucket = { span, hasPeak: false, count: 30_000, expected: 29_000 };
    const note = (of: Partial<typeof bucket>): string =>
      episodeWords(fine, 'UTC', { ...bucket, ...of }, format).note;
    expect(note({})).toBe('No peak in this time.');
    const noteFor = (ms: number): string => note({ span: { start: START, end: START + ms } });
    expect([MINUTE_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS].map(noteFor)).toEqual([
      'No peak in this minute.',
      'No peak in this hour.',
      'No peak in this time.',
      'No peak on this day.',
    ]);
    // Over a long time, a peak is a small part of all.
    expect(note({ hasPeak: true })).toBe('Accurate to the minute.');
    expect(episodeWords(fine, 'UTC', { ...bucket, count: 50_000 }, format).rows).toHaveLength(4);
  });
});

it('a list without peaks says by which buckets, and points to finer ones', () => {
  expect(noPeaksWords('day')).toBe('No peaks: no day is far above the usual.');
  expect(noPeaksWords('week')).toBe(
    'No peaks: no week is far above the usual. Choose days to find shorter peaks.',
  );
});
