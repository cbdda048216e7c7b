import { expect, test } from 'vitest';
import { methodNote, type NoteInput, type NoteSeries } from '#app/export/note.ts';
import { fileEvents } from '#app/events/event-file.ts';
import { DAY_MS } from '#core/time/span.ts';
import { STATE } from '#core/series/series.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const series = (over: Partial<NoteSeries> = {}): NoteSeries => ({
  query: '"oat milk"',
  label: 'Oat milk',
  source: 'posts',
  kind: 'query',
  counts: Float64Array.of(3, Number.NaN, 4),
  states: Uint8Array.of(STATE.settled, STATE.never, STATE.provisional),
  fetchedAt: Float64Array.of(AT, Number.NaN, AT + 1000),
  paid: null,
  changes: [],
  seams: [],
  upperBounds: false,
  ...over,
});
const input = (over: Partial<NoteInput> = {}): NoteInput => ({
  source: 'posts',
  posts: 12,
  store: { store: '0a1b', revision: 7, mark: 'c3' },
  covered: null,
  window: { start: Date.UTC(2026, 4, 1), end: Date.UTC(2026, 5, 1) },
  range: null,
  zone: 'Europe/Berlin',
  resolution: 'day',
  endpoint: 'all',
  now: AT,
  events: [],
  series: [series()],
  ...over,
});

test('states the source, range and zone, and how complete each series is', () => {
  const note = methodNote(input());
  for (const line of [
    'Source: Your posts, as imported into this service (12 Posts)',
    'Range: 2026-05-01T00:00:00.000Z to 2026-06-01T00:00:00.000Z (end exclusive)',
    'Time zone of the buckets: Europe/Berlin',
    'Store of Posts: 0a1b, revision 7, mark c3',
    'Rules of queries: version 1',
    '  Query: "oat milk"',
    '  Total: 7 Posts in 2 of 3 buckets',
    '  Missing: 1; counted in part: 0; may still change: 1',
    '  Fetched: 2026-11-21T12:00:00.000Z to 2026-11-21T12:00:01.000Z',
  ]) {
    expect(note.split('\n')).toContain(line);
  }
  expect(note).not.toMatch(/Paid|Dated|Seam|upper/);
});

test('says where the source has data, or only that it has none', () => {
  const covered = (spans: readonly { start: number; end: number }[]): string | undefined =>
    methodNote(input({ covered: spans }))
      .split('\n')
      .find((line) => line.startsWith('The source has'));
  expect(covered([])).toBe('The source has no data.');
  expect(covered([{ start: AT, end: Infinity }])).toBe(
    'The source has data from 2026-11-21T12:00:00.000Z to now; outside that time cells are empty and have the status uncovered.',
  );
});

test('states for the platform what was paid, and only those changes that affect the range', () => {
  const change = { at: Date.UTC(2026, 4, 4), text: 'new search index' };
  const early = { at: Date.UTC(2026, 0, 19), text: 'min_likes withdrawn' };
  const one = series({
    paid: { pages: 12, money: 0.12 },
    changes: [early, change],
    seams: [{ at: Date.UTC(2026, 4, 20) }, { at: Date.UTC(2026, 6, 1) }],
    upperBounds: true,
  });
  const lines = methodNote(input({ source: 'platform', posts: null, series: [one] })).split('\n');
  expect(lines).toContain('Source: The platform');
  expect(lines.slice(lines.indexOf('- Oat milk') + 5)).toEqual([
    '  Paid: $0.12 for 12 pages in all, including pages outside this range',
    '  Dated change: 2026-05-04 new search index',
    '  Seam: counts before and after 2026-05-20 come from different indexes',
    '  Small counts appear to be rounded up to five: sums are upper bounds',
    '',
  ]);
});

test('lists events with their times, each on one line', () => {
  const { window, zone } = input();
  const { start } = window;
  const events = [
    { kind: 'note', id: 'a', start, end: null, title: 'Launch\n- a line', detail: '', source: '' },
    {
      kind: 'campaign',
      id: 'b',
      start,
      end: start + DAY_MS,
      title: 'Spring',
      detail: 'spend 5 EUR',
      source: 'ads.csv',
    },
  ] as const;
  const text = methodNote(input({ events: fileEvents(events, window, zone) }));
  expect(text).toContain('\nNote, 2026-05-01T00:00:00.000Z: Launch - a line\n');
  expect(text).toContain(
    '\nCampaign, 2026-05-01T00:00:00.000Z to 2026-05-02T00:00:00.000Z: Spring · spend 5 EUR · ads.csv\n',
  );
});

test('states the formula of a computed series but no total, and the facts of a file', () => {
  const share = series({ kind: 'formula', query: 'A/(A+B)' });
  const given = series({ kind: 'file', query: 'matcha', source: 'platform' });
  const lines = methodNote(input({ series: [share, given] })).split('\n');
  expect(lines).toContain('  Computed, bucket by bucket, from the sums of other series: A/(A+B)');
  expect(lines).toContain('  Known: 2 of 3 buckets');
  expect(lines).toContain('  Read from a file, not counted here');
  expect(lines).toContain('  Query, as the file says: matcha');
  expect(lines).toContain('  Source, as the file says: platform');
  expect(lines.filter((line) => line.startsWith('  Total:'))).toHaveLength(1);
});

test('does not add up quotients from a file, and names no source if nothing was counted', () => {
  const ratio = series({
    kind: 'file',
    counts: Float64Array.of(0.5, Number.NaN, 2),
    fetchedAt: new Float64Array(3).fill(Number.NaN),
  });
  const lines = methodNote(input({ series: [ratio] })).split('\n');
  expect(lines).toContain('Source: files, named with each series; nothing was counted here');
  expect(lines).toContain('  Known: 2 of 3 buckets');
  expect(lines.filter((line) => /Total|Fetched|Counts of/.test(line))).toEqual([]);
  const share = series({ kind: 'formula', query: 'A ÷ B' });
  const computed = methodNote(input({ series: [ratio, share] }));
  expect(computed).toContain('Source: Your posts, as imported into this service (12 Posts)');
});

test('has no line injected by a label or a query', () => {
  const one = series({ label: 'Oat\r\n  Total: 9 Posts', query: 'a\n- b', source: 'x\u2028y' });
  const lines = methodNote(input({ series: [one, { ...one, kind: 'file' }] })).split('\n');
  expect(lines.filter((line) => /^- b|^ {2}Total: 9|^y/.test(line))).toEqual([]);
  expect(lines).toContain('- Oat   Total: 9 Posts');
});
