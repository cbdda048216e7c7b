import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import {
  runDuration,
  figuresText,
  progressShare,
  progressText,
  ruleText,
  scheduleText,
} from '#app/developers/catalog/feed-text.ts';
import type { FeedInfo, FeedProgress, FeedRunInfo } from '#contract/catalog/feed-answers.ts';

const format = new Formatter('en-GB');
const FEED: FeedInfo = {
  id: '1',
  url: 'https://a.com/feed',
  format: 'CSV',
  frequency: 'HOURLY',
  repeat: '2',
  start_time: '08:00',
  time_zone: 'America/New_York',
  next_run: '2026-11-23T13:00:00.000Z',
};
const RUN: FeedRunInfo = {
  id: '1',
  started_at: '2026-11-23T12:00:00.000Z',
  ended_at: '2026-11-23T12:00:12.400Z',
  outcome: 'complete',
  unchanged_since: null,
  fault: null,
  bytes: 5,
  created: 3,
  updated: 0,
  unchanged: 1200,
  refused: 1,
  rules: [],
};

describe('a feed in words', () => {
  it.each<[Partial<FeedInfo>, string]>([
    [{}, 'Every 2 hours from 08:00, America/New York'],
    [{ repeat: '1' }, 'Every hour from 08:00, America/New York'],
    [{ frequency: 'DAILY', repeat: null }, 'Every day at 08:00, America/New York'],
    [{ frequency: 'WEEKLY', repeat: 'MONDAY' }, 'Every Monday at 08:00, America/New York'],
  ])('has the schedule of %j', (over, text) => {
    expect(scheduleText({ ...FEED, ...over })).toBe(text);
  });

  it.each<[Partial<FeedProgress>, string, number | null]>([
    [{ state: 'waiting' }, 'Waiting to start', null],
    [{ state: 'downloading', bytes: 2e6 }, 'Downloading · 2 MB', null],
    [{ state: 'downloading', bytes: 2e6, bytes_total: 8e6 }, 'Downloading · 2 MB of 8 MB', 0.25],
    [{ state: 'downloading', bytes: 9, bytes_total: 8 }, 'Downloading · 9 bytes of 8 bytes', 1],
    [{ state: 'reading', rows: 1 }, 'Reading the file · 1 row', null],
    [
      { state: 'reading', rows: 12_000, bytes: 3, bytes_total: 4 },
      'Reading the file · 12,000 rows',
      0.75,
    ],
    [{ state: 'writing', rows: 500, rows_total: 2000 }, 'Saving · 500 of 2,000 rows', 0.25],
  ])('has the progress of %j', (over, text, share) => {
    const nothing = { bytes: 0, bytes_total: null, rows: 0, rows_total: null };
    const progress = { state: 'waiting', ...nothing, ...over } as const;
    expect([progressText(progress, format), progressShare(progress)]).toEqual([text, share]);
  });

  it.each<[Partial<FeedRunInfo>, string, string]>([
    [{}, '12 s', '1,204 rows · 3 created · 1 refused'],
    [{ ended_at: '2026-11-23T12:00:00.100Z' }, '1 s', '1,204 rows · 3 created · 1 refused'],
    [
      { ended_at: '2026-11-23T12:03:00.000Z', created: 0, unchanged: 0 },
      '3 min',
      '1 row · 1 refused',
    ],
    [{ ended_at: '2026-11-23T13:30:00.000Z', outcome: 'unchanged' }, '1.5 h', ''],
    [{ ended_at: null }, '', '1,204 rows · 3 created · 1 refused'],
  ])('has the run %j', (over, duration, figures) => {
    const run = { ...RUN, ...over };
    expect([runDuration(run, format), figuresText(run, format)]).toEqual([duration, figures]);
  });

  it('has how many rows break a rule', () => {
    const rule = { rule: 'x', rows: 1 };
    expect(ruleText({ ...rule, kind: 'error' })).toBe('1 row refused');
    expect(ruleText({ ...rule, kind: 'warning', rows: 3 })).toBe('3 rows with a warning');
  });
});
