import { describe, expect, it } from 'vitest';
import { Fault } from '#contract/fault.ts';
import { parseInstant } from '#contract/instant.ts';
import { bucketCount } from '#core/time/bucket.ts';
import { newestWindow, resolveWindow } from '#server/http/request-window.ts';

type Texts = Partial<Record<'start_time' | 'end_time' | 'since_id' | 'until_id', string>>;

const instant = (text: string): number => Date.parse(text);
const show = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

function ask(endpoint: 'recent' | 'all', now: string, texts: Texts = {}): [string, string] | null {
  const time = (text?: string): number | undefined =>
    text === undefined ? undefined : (parseInstant(text) ?? NaN);
  const id = (text?: string): bigint | undefined => (text === undefined ? undefined : BigInt(text));
  const span = resolveWindow(
    {
      start_time: time(texts.start_time),
      end_time: time(texts.end_time),
      since_id: id(texts.since_id),
      until_id: id(texts.until_id),
    },
    texts,
    endpoint,
    instant(now),
  );
  return span && [show(span.start), show(span.end)];
}

function refusal(endpoint: 'recent' | 'all', now: string, texts: Texts): unknown {
  try {
    return ask(endpoint, now, texts);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [error.status, error.body.errors];
  }
}

describe('a window without bounds', () => {
  // Recorded requests of 2021 and 2022 (platform-facts 1.2): Date header, first bucket, last bucket, buckets by hour.
  it.each([
    ['recent', '2021-09-20T19:18:34Z', '2021-09-13T19:18:24Z', '2021-09-20T19:18:24Z', 169],
    ['recent', '2022-05-07T12:56:27Z', '2022-04-30T12:56:17Z', '2022-05-07T12:56:17Z', 169],
    ['all', '2021-09-27T18:58:44Z', '2021-08-28T00:00:00Z', '2021-09-27T18:58:34Z', 739],
    ['all', '2022-05-07T13:23:56Z', '2022-04-07T00:00:00Z', '2022-05-07T13:23:46Z', 734],
  ] as const)('of %s at %s equals the recorded one', (endpoint, now, start, end, buckets) => {
    expect(ask(endpoint, now)).toEqual([start, end]);
    const span = { start: instant(start), end: instant(end) };
    expect(newestWindow(span)).toEqual(span);
    expect(bucketCount(span.start, span.end, 'hour')).toBe(buckets);
  });

  it('is truncated to whole seconds', () => {
    expect(ask('recent', '2021-09-20T19:18:34.999Z')).toEqual([
      '2021-09-13T19:18:24Z',
      '2021-09-20T19:18:24Z',
    ]);
  });

  it('of all is 31 days if the end is a midnight', () => {
    expect(ask('all', '2021-10-01T00:00:10Z')).toEqual([
      '2021-08-31T00:00:00Z',
      '2021-10-01T00:00:00Z',
    ]);
  });
});

describe('a window with one bound', () => {
  const NOW = '2021-09-20T19:18:34Z';
  it.each([
    [
      'recent',
      { start_time: '2021-09-18T01:02:03Z' },
      '2021-09-18T01:02:03Z',
      '2021-09-20T19:18:24Z',
    ],
    ['all', { start_time: '2019-01-01T00:00:00Z' }, '2019-01-01T00:00:00Z', '2021-09-20T19:18:24Z'],
    // Starts seven days before the end, within the window; on all 30 days (platform-facts section 0).
    [
      'recent',
      { end_time: '2021-09-18T00:00:00Z' },
      '2021-09-13T19:18:34Z',
      '2021-09-18T00:00:00Z',
    ],
    ['all', { end_time: '2021-09-18T10:00:00Z' }, '2021-08-19T10:00:00Z', '2021-09-18T10:00:00Z'],
    ['all', { end_time: '2006-03-30T00:00:00Z' }, '2006-03-21T00:00:00Z', '2006-03-30T00:00:00Z'],
  ] as const)('on %s %o', (endpoint, texts, start, end) => {
    expect(ask(endpoint, NOW, texts)).toEqual([start, end]);
  });
});

describe('bounds', () => {
  const NOW = '2025-01-24T09:13:24Z';
  it.each([
    [{ start_time: '2025-01-20T00:00:00.900Z', end_time: '2025-01-21T00:00:00.900Z' }],
    [{ start_time: '2025-01-20T00:00Z', end_time: '2025-01-21T00:00Z' }],
    [{ start_time: '2025-01-20T01:00:00+01:00', end_time: '2025-01-20T19:00:00-05:00' }],
  ])('have the same meaning in any format: %o', (texts) => {
    const span = ['2025-01-20T00:00:00Z', '2025-01-21T00:00:00Z'];
    expect(ask('recent', NOW, texts)).toEqual(span);
    expect(ask('all', NOW, texts)).toEqual(span);
  });

  it('may be the earliest and the latest instant', () => {
    const whole = { start_time: '2025-01-17T09:13:24Z', end_time: '2025-01-24T09:13:14Z' };
    expect(ask('recent', NOW, whole)).toEqual([whole.start_time, whole.end_time]);
    const archive = { start_time: '2006-03-21T00:00:00Z', end_time: '2025-01-24T09:13:14Z' };
    expect(ask('all', NOW, archive)).toEqual([archive.start_time, archive.end_time]);
  });

  // Recorded messages (platform-facts 1.7).
  it.each([
    [
      'recent',
      { start_time: '2025-01-01T00:00Z' },
      'start_time',
      "Invalid 'start_time':'2025-01-01T00:00Z'. 'start_time' must be on or after 2025-01-17T09:13Z",
    ],
    [
      'recent',
      { start_time: '2025-01-17T09:13:23Z' },
      'start_time',
      "Invalid 'start_time':'2025-01-17T09:13:23Z'. 'start_time' must be on or after 2025-01-17T09:13Z",
    ],
    [
      'all',
      { start_time: '2006-01-01T00:00Z' },
      'start_time',
      "Invalid 'start_time':'2006-01-01T00:00Z'. 'start_time' must be on or after 2006-03-21T00:00Z",
    ],
    [
      'all',
      { end_time: '2025-01-24T09:13:15Z' },
      'end_time',
      "Invalid 'end_time':'2025-01-24T09:13:15Z'. 'end_time' must be a minimum of 10 seconds prior to the request time.",
    ],
    [
      'recent',
      { start_time: '2025-01-24T09:13:20Z' },
      'start_time',
      "Invalid 'start_time':'2025-01-24T09:13:20Z'. 'start_time' must be a minimum of 10 seconds prior to the request time.",
    ],
    [
      'all',
      { start_time: '2025-01-03T00:00:00Z', end_time: '2025-01-02T00:00:00Z' },
      'start_time',
      "Invalid 'start_time':'2025-01-03T00:00:00Z'. 'start_time' must be earlier than 'end_time'",
    ],
    [
      'all',
      { start_time: '2025-01-02T00:00:00Z', end_time: '2025-01-02T00:00:00.400Z' },
      'start_time',
      "Invalid 'start_time':'2025-01-02T00:00:00Z'. 'start_time' must be earlier than 'end_time'",
    ],
    [
      'recent',
      { end_time: '2025-01-01T00:00:00Z' },
      'end_time',
      "Invalid 'end_time':'2025-01-01T00:00:00Z'. 'end_time' must be on or after 2025-01-17T09:13Z",
    ],
    [
      'all',
      { end_time: '2006-03-21T00:00:00Z' },
      'end_time',
      "Invalid 'end_time':'2006-03-21T00:00:00Z'. 'end_time' must be after 2006-03-21T00:00Z",
    ],
  ] as const)('of %s must not be %o', (endpoint, texts: Texts, parameter, message) => {
    const value = texts[parameter];
    const errors = [{ parameters: { [parameter]: [value] }, message }];
    expect(refusal(endpoint, NOW, texts)).toEqual([400, errors]);
  });

  it('have their errors reported together', () => {
    const texts = { start_time: '2001-01-01T00:00:00Z', end_time: '2031-01-01T00:00:00Z' };
    expect(refusal('all', NOW, texts)).toEqual([
      400,
      [
        expect.objectContaining({ parameters: { start_time: [texts.start_time] } }),
        expect.objectContaining({ parameters: { end_time: [texts.end_time] } }),
      ],
    ]);
  });
});

describe('bounds given as ids', () => {
  const NOW = '2021-09-20T19:18:34Z';
  /** The id of the first Post of a millisecond. */
  const idOf = (text: string, sequence = 0n): string =>
    String((BigInt(instant(text) - 1_288_834_974_657) << 22n) + sequence);

  it('span from the second of since_id to the end of the second of until_id', () => {
    const texts = {
      since_id: idOf('2021-09-18T10:00:00.700Z', 5n),
      until_id: idOf('2021-09-19T10:00:00.200Z', 5n),
    };
    const span = ['2021-09-18T10:00:00Z', '2021-09-19T10:00:01Z'];
    expect(ask('recent', NOW, texts)).toEqual(span);
    expect(ask('all', NOW, texts)).toEqual(span);
  });

  it('end with the previous second if until_id is the first id of its second', () => {
    const until_id = idOf('2021-09-19T10:00:00.000Z');
    expect(ask('all', NOW, { start_time: '2021-09-19T00:00:00Z', until_id })?.[1]).toBe(
      '2021-09-19T10:00:00Z',
    );
  });

  it('take precedence over a start', () => {
    const since_id = idOf('2021-09-18T10:00:00Z');
    for (const start_time of ['2021-09-19T00:00:00Z', '2001-01-01T00:00:00Z']) {
      expect(ask('all', NOW, { since_id, start_time })?.[0]).toBe('2021-09-18T10:00:00Z');
    }
  });

  it('end at the earlier of until_id and end_time, and at the latest ten seconds ago', () => {
    const since_id = idOf('2021-09-18T10:00:00Z');
    const end_time = '2021-09-19T00:00:00Z';
    const early = idOf('2021-09-18T12:00:00.001Z');
    const late = idOf('2021-09-19T12:00:00.001Z');
    const future = idOf('2031-09-19T12:00:00Z');
    expect(ask('all', NOW, { since_id, end_time, until_id: early })?.[1]).toBe(
      '2021-09-18T12:00:01Z',
    );
    expect(ask('all', NOW, { since_id, end_time, until_id: late })?.[1]).toBe(end_time);
    expect(ask('all', NOW, { since_id, until_id: future })?.[1]).toBe('2021-09-20T19:18:24Z');
  });

  it('from before 2010-11-04 have no time', () => {
    expect(ask('all', NOW, { since_id: '29700859246' })).toEqual([
      '2006-03-21T00:00:00Z',
      '2021-09-20T19:18:24Z',
    ]);
    expect(ask('all', NOW, { until_id: '20' })).toEqual(ask('all', NOW));
  });

  it('from the last ten seconds give an empty window, which is not an error', () => {
    expect(ask('recent', NOW, { since_id: idOf('2021-09-20T19:18:30Z') })).toBeNull();
    expect(ask('all', NOW, { since_id: idOf('2021-09-20T19:18:30Z') })).toBeNull();
  });

  it('from before the last seven days are refused by recent', () => {
    // Format recorded by users of search/recent: the bound is the id of the millisecond seven days ago.
    const message =
      "'since_id' must be a tweet id created after 2021-09-13T19:18Z. Please use a 'since_id' that is larger than " +
      idOf('2021-09-13T19:18:34Z');
    const since_id = idOf('2021-09-13T19:18:33.999Z');
    const errors = [{ parameters: { since_id: [since_id] }, message }];
    expect(refusal('recent', NOW, { since_id })).toEqual([400, errors]);
    expect(refusal('recent', NOW, { until_id: '20' })).toEqual([
      400,
      [expect.objectContaining({ parameters: { until_id: ['20'] } })],
    ]);
  });

  it.each([
    [
      { since_id: '1440000000000000001', until_id: '1440000000000000001' },
      "'since_id' must be earlier than 'until_id'",
    ],
    [
      { since_id: '1440000000000000002', until_id: '1440000000000000001' },
      "'since_id' must be earlier than 'until_id'",
    ],
    [
      { since_id: '1440000000000000001', end_time: '2020-01-01T00:00:00Z' },
      "'since_id' must be earlier than 'end_time'",
    ],
    [
      { start_time: '2021-09-20T19:00:00Z', until_id: '1430000000000000001' },
      "'start_time' must be earlier than 'until_id'",
    ],
  ])('must not be reversed: %o', (texts: Texts, rule) => {
    expect(refusal('all', NOW, texts)).toEqual([
      400,
      [expect.objectContaining({ message: expect.stringContaining(rule) })],
    ]);
  });
});

describe('a page', () => {
  it.each([
    ['2021-01-01T00:00:00Z', '2021-02-01T00:00:00Z', '2021-01-01T00:00:00Z'],
    ['2021-01-01T00:00:00Z', '2021-03-15T12:34:56Z', '2021-02-13T00:00:00Z'],
    ['2021-02-13T00:00:01Z', '2021-03-15T12:34:56Z', '2021-02-13T00:00:01Z'],
    ['2021-02-12T23:59:59Z', '2021-03-15T12:34:56Z', '2021-02-13T00:00:00Z'],
  ])('of %s to %s begins at %s', (start, end, expected) => {
    const page = newestWindow({ start: instant(start), end: instant(end) });
    expect([show(page.start), show(page.end)]).toEqual([expected, end]);
  });
});
