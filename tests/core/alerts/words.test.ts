import { expect, it } from 'vitest';
import { alertSentence, type AlertWords } from '#core/alerts/words.ts';
import { HOUR_MS } from '#core/time/span.ts';
import type { AlertMessage } from '#core/alerts/alert-message.ts';

const words: AlertWords = {
  topic: 'Oat milk',
  unit: 'hour',
  zone: 'Europe/Berlin',
  order: 'day',
  locale: 'en-GB',
};
const start = Date.UTC(2026, 6, 24, 12);
const hour = { start, end: start + HOUR_MS };
const day = { start: Date.UTC(2026, 6, 23, 22), end: Date.UTC(2026, 6, 24, 22) };
const rise = {
  kind: 'rise',
  at: hour.end,
  onset: start,
  bucket: hour,
  posts: 312,
  usual: 76.4,
  running: false,
} as const;

it.each<[AlertMessage, string, Partial<AlertWords>?]>([
  [rise, 'Oat milk is at 4.1 times its usual: 312 Posts between 14:00 and 15:00, usually 76'],
  [
    { ...rise, posts: 230, running: true },
    'Oat milk is already at 3 times its usual: 230 Posts since 14:00, usually 76 in the whole hour',
  ],
  [
    { ...rise, kind: 'stronger', posts: 12_400 },
    'Oat milk is now at 162 times its usual: 12,400 Posts between 14:00 and 15:00, usually 76',
  ],
  [
    { ...rise, posts: 12, usual: 2.44 },
    'Oat milk is at 4.9 times its usual: 12 Posts between 14:00 and 15:00, usually 2.4',
  ],
  [
    { ...rise, posts: 12, usual: 0.01 },
    'Oat milk is far above its usual: 12 Posts between 14:00 and 15:00, usually almost none',
  ],
  [
    { ...rise, bucket: day, posts: 40, usual: 8 },
    'Oat milk is at 5 times its usual: 40 Posts on 24 Jul 2026, usually 8',
    { unit: 'day' },
  ],
  [
    { ...rise, bucket: day, posts: 40, usual: 8, running: true },
    'Oat milk is already at 5 times its usual: 40 Posts since 00:00, usually 8 in the whole day',
    { unit: 'day' },
  ],
  [
    {
      kind: 'over',
      at: start,
      onset: start,
      span: { start, end: start + 5 * HOUR_MS },
      posts: 1240,
    },
    'Oat milk is back to its usual after 5 hours and 1,240 Posts',
  ],
  [
    { kind: 'over', at: start, onset: start, span: day, posts: 1 },
    'Oat milk is back to its usual after 1 day and 1 Post',
    { unit: 'day' },
  ],
  [
    {
      kind: 'found-later',
      at: start + 9 * HOUR_MS,
      onset: start,
      bucket: hour,
      posts: 312,
      usual: 76,
    },
    'Oat milk was at 4.1 times its usual on 24 Jul 2026: 312 Posts between 14:00 and 15:00, usually 76, found later',
  ],
  [
    { kind: 'low-day', at: day.end, onset: day.start, bucket: day, posts: 9, usual: 76 },
    'Oat milk had a low day: 9 Posts on 24 Jul 2026, usually 76',
  ],
  [
    { kind: 'silence', at: hour.end, onset: start, span: hour, usual: 12.6 },
    'Oat milk is silent: no Post since 14:00, usually 13 in that time',
  ],
  [
    { kind: 'silence', at: start + 24 * HOUR_MS, onset: start, span: hour, usual: 12.6 },
    'Oat milk is silent: no Post since 24 Jul 2026, 14:00, usually 13 in that time',
  ],
  [
    { kind: 'cannot-see', at: hour.end, onset: start, span: hour },
    'Oat milk cannot be seen: its counts have been incomplete since 14:00',
  ],
])('%#: says %s', (message, sentence, other = {}) => {
  expect(alertSentence(message, { ...words, ...other })).toBe(sentence);
});
