import { expect, test } from 'vitest';
import { statusWords, type RunStatus } from '#app/board/series/status-text.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { Plan } from '#app/counts/cache/records.ts';
import { platformAnswer } from '#tests/app/board/platform-answer.ts';

const NOW = Date.UTC(2026, 10, 21, 19);
const plan: Plan = {
  granularity: 'hour',
  span: { start: 0, end: NOW },
  recent: 0,
  all: 36,
  money: 0.36,
  leastMs: 35_000,
  bytes: 1,
  days: 1097,
  owned: 0,
  held: 0,
  minuteBytes: null,
};
const half: RunStatus = {
  phase: 'fetching',
  progress: { done: 21, total: 36 },
  plan,
  made: { requests: 21, money: 0.21, bytes: 1 },
  wait: null,
  elsewhere: null,
};
const wait = (reason: NonNullable<RunStatus['wait']>['reason'], ms: number): RunStatus => ({
  ...half,
  wait: { until: NOW + ms, reason },
});

test.each<[string, RunStatus]>([
  ['Reading stored counts', { ...half, phase: 'reading' }],
  ['$0.36 to load · needs your approval', { ...half, phase: 'planned' }],
  [
    '1 page to load · needs your approval',
    { ...half, phase: 'planned', plan: { ...plan, all: 1, money: 0 } },
  ],
  ['21 of 36 pages · $0.15 left', half],
  ['21 of 36 pages', { ...half, plan: null }],
  ['21 of 36 pages', { ...half, plan: { ...plan, money: 0 }, made: { ...half.made, money: 0 } }],
  ['36 of 36 pages', { ...half, progress: { done: 36, total: 36 } }],
  ['Requesting', { ...half, progress: { done: 0, total: 0 }, plan: null }],
  ['21 of 36 pages · $0.15 left · waiting 0:41 for the rate limit', wait('limit', 41_000)],
  [
    '21 of 36 pages · $0.15 left · the service cannot reach the platform, retrying in 0:03',
    wait('cut', 2_100),
  ],
  ['21 of 36 pages · $0.15 left · the source is busy, retrying in 0:03', wait('busy', 2_100)],
  [
    '21 of 36 pages · $0.15 left · the service does not answer, retrying in 0:08',
    wait('away', 8_000),
  ],
  ['21 of 36 pages · $0.15 left · checking an empty answer again in 1:00', wait('confirm', 60_000)],
  [
    '21 of 36 pages · $0.15 left · today’s budget of $25.00 is used up; continues 22 Nov 2026, 01:00, or raise it in Settings',
    wait('budget', 5 * 3_600_000),
  ],
  [
    'Paused at 21 of 36 pages · $0.15 left. Stays paused after a reload.',
    { ...half, phase: 'paused' },
  ],
  [
    'Paused, 4 pages for $0.04 left. Stays paused after a reload.',
    {
      ...half,
      phase: 'paused',
      progress: { done: 0, total: 0 },
      plan: { ...plan, all: 4, money: 0.04 },
    },
  ],
  [
    'Paused. Stays paused after a reload.',
    { ...half, phase: 'paused', progress: { done: 0, total: 0 }, plan: null },
  ],
  [
    '1 of 4 pages · $0.03 left',
    {
      ...half,
      progress: { done: 1, total: 4 },
      plan: { ...plan, all: 4, money: 0.04 },
      made: { requests: 1, money: 0.01, bytes: 1 },
    },
  ],
  ['Another tab is fetching: 12 of 36 pages', { ...half, elsewhere: { done: 12, total: 36 } }],
  [
    'Another tab is fetching: 12 of 36 pages',
    { ...half, phase: 'done', elsewhere: { done: 12, total: 36 } },
  ],
  ['', { ...half, phase: 'done' }],
  ['', { ...half, phase: 'idle' }],
  ['', { ...half, phase: 'failed' }],
])('shows “%s”: %#', (expected, run) => {
  const context = {
    clock: NOW,
    zone: 'Europe/Berlin',
    platform: platformAnswer({ today: { requests: 2500, money: 25 } }),
  };
  expect(statusWords(run, { ...context, format: new Formatter('en-GB') })).toBe(expected);
});
