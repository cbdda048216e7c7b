import { describe, expect, it, test } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import { coverageWords, figuresOf, sharesOf, stretchesOf } from '#app/insight/log/fetch-log.ts';
import { STATE, type Curve, type State } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { probeVerdict, receiptLine } from '#app/insight/log/receipt-lines.ts';

const format = new Formatter('en-GB');
const START = Date.UTC(2024, 2, 1);
const FETCHED = Date.UTC(2026, 10, 21, 14, 2);

/** A curve of days with these states. */
function curveOf(states: readonly State[]): Curve {
  const bounds = Float64Array.from({ length: states.length + 1 }, (_, i) => START + i * DAY_MS);
  const known = states.map((state) => STATE[state] >= STATE.partial);
  return {
    bounds,
    counts: Float64Array.from(known, (is, i) => (is ? i : Number.NaN)),
    states: Uint8Array.from(states, (state) => STATE[state]),
    fetchedAt: Float64Array.from(known, (is, i) => (is ? FETCHED + i : Number.NaN)),
  };
}

const receipt = (over: Partial<StoredReceipt> = {}): StoredReceipt => ({
  id: 'r',
  request: 'a',
  series: 's',
  granularity: 'hour',
  endpoint: 'all',
  purpose: 'count',
  requested: { start: START, end: START + 31 * DAY_MS },
  reported: { start: START, end: START + 31 * DAY_MS },
  total: 152_340,
  at: FETCHED,
  generation: 0,
  index: 2,
  price: 0.01,
  bytes: 6000,
  accepted: true,
  faults: [],
  revisions: [],
  ...over,
});

describe('coverage', () => {
  const curve = curveOf(['never', 'never', 'settled', 'settled', 'failed', 'settled', 'partial']);
  const now = START + 7 * DAY_MS;

  it('joins neighbouring buckets of one state, up to now', () => {
    const day = (n: number): number => START + n * DAY_MS;
    expect(stretchesOf(curve, day(4) + 1)).toEqual([
      { state: 'never', start: START, end: day(2) },
      { state: 'settled', start: day(2), end: day(4) },
      { state: 'failed', start: day(4), end: day(4) + 1 },
    ]);
    expect(stretchesOf(curve, START)).toEqual([]);
  });

  it('adds up to the whole time, with the best state first', () => {
    const shares = sharesOf(stretchesOf(curve, now));
    expect(shares.map((share) => share.state)).toEqual(['settled', 'partial', 'failed', 'never']);
    expect(shares.reduce((sum, share) => sum + share.share, 0)).toBeCloseTo(1);
  });

  test.each<[readonly State[], string]>([
    [['settled', 'settled'], 'settled 100%'],
    [['never', 'settled', 'settled', 'settled'], 'settled 75%, never loaded 25% (1 Mar 2024)'],
    [
      ['uncovered', 'uncovered', 'provisional', 'settled'],
      'settled 25%, may still change 25% (3 Mar 2024), no data 50% (1–2 Mar 2024)',
    ],
    [[], 'this range has not started yet'],
  ])('describes %j', (states, text) => {
    expect(coverageWords(stretchesOf(curveOf(states), now), format)).toBe(text);
  });

  it('lists four stretches of a state and counts the rest', () => {
    const holes = curveOf(Array.from({ length: 12 }, (_, i) => (i % 2 ? 'settled' : 'never')));
    expect(coverageWords(stretchesOf(holes, START + 12 * DAY_MS), format)).toMatch(
      /\(1 Mar 2024; 3 Mar 2024; 5 Mar 2024; 7 Mar 2024 and 2 more\)$/,
    );
  });

  it('never rounds the known days up', () => {
    const receipts = [
      receipt(),
      receipt({ price: 0 }),
      receipt({ price: 0.1 }),
      receipt({ price: 0.2 }),
      receipt({ price: 0, uncertain: 0.01 }),
      receipt({ price: 0, uncertain: 0.02 }),
    ];
    expect(figuresOf(curve, receipts, now)).toEqual({
      days: 7,
      known: 4,
      pages: 4,
      held: 1,
      paid: 0.31,
      perhaps: 0.03,
      oldest: FETCHED + 2,
      newest: FETCHED + 6,
    });
    expect(figuresOf(curve, [], now - 1).known).toBe(3);
    expect(figuresOf(curveOf(['never']), [], now)).toMatchObject({
      known: 0,
      days: 1,
      oldest: null,
    });
  });
});

describe('a receipt', () => {
  it('shows time, request, total and price', () => {
    expect(receiptLine(receipt(), true, format)).toEqual({
      id: 'r',
      when: '21 Nov 2026, 14:02',
      span: '1–31 Mar 2024',
      asked: 'archive, hours',
      total: '152,340',
      price: '$0.01',
      believed: true,
      notes: [],
    });
  });

  test.each([
    [receipt({ price: 0 }), true, 'held'],
    [receipt({ price: 0 }), false, ''],
    [receipt({ price: 0.005, endpoint: 'recent' }), true, '$0.005'],
  ])('shows its price: %#', (one, priced, price) =>
    expect(receiptLine(one, priced, format).price).toBe(price),
  );

  test.each<[string, Partial<StoredReceipt>, readonly RegExp[]]>([
    ['a repeated request', { purpose: 'again' }, [/^Requested again/]],
    [
      'an audit that agrees',
      { purpose: 'audit' },
      [/^Compared at random/, /^All settled counts are the same/],
    ],
    [
      'a revision',
      {
        purpose: 'audit',
        granularity: 'day',
        revisions: [{ start: Date.UTC(2024, 2, 5), was: 4929, now: 4930 }],
      },
      [/^Compared at random/, /^5 Mar 2024: 4,929 then, 4,930 on 21 Nov 2026\.$/],
    ],
    [
      'many revisions',
      { revisions: Array.from({ length: 9 }, (_, i) => ({ start: START + i, was: 1, now: 2 })) },
      [/^1 Mar 2024, 00:00: 1 then/, /./, /./, /^6 more counts differ/],
    ],
    [
      'a refused page with its evidence',
      { accepted: false, faults: [{ kind: 'wrong-total', expected: 10, got: 12, times: 1 }] },
      [/^Rejected/, /total is not the sum of its buckets: expected 10, got 12/],
    ],
    [
      'a remark on an accepted page',
      { faults: [{ kind: 'unexpected-token', got: 'abc', times: 1 }] },
      [/shorter than it should be/],
    ],
    [
      'a rejected comparison',
      { purpose: 'audit', accepted: false, faults: [{ kind: 'cut-body', times: 1 }] },
      [/^Compared at random/, /^Rejected/, /cut off/],
    ],
  ])('explains %s', (_, over, notes) => {
    const line = receiptLine(receipt(over), true, format);
    expect(line.notes).toHaveLength(notes.length);
    notes.forEach((note, i) => expect(line.notes[i]).toMatch(note));
    expect(line.believed).toBe(over.accepted ?? true);
  });
});

describe('the verdict of a probe', () => {
  const probe = (revisions: StoredReceipt['revisions']): StoredReceipt =>
    receipt({ purpose: 'probe', total: 10_000, revisions });

  it('is that of the newest probe, and absent if no probe was accepted', () => {
    expect(probeVerdict([receipt(), receipt({ purpose: 'audit' })], format)).toBeNull();
    const cut = receipt({
      purpose: 'probe',
      accepted: false,
      faults: [{ kind: 'cut-body', times: 1 }],
    });
    expect(probeVerdict([cut], format)).toBeNull();
    const both = [probe([]), probe([{ start: START, was: 1, now: 900 }])];
    expect(probeVerdict(both, format)?.same).toBe(true);
  });

  test.each<[string, StoredReceipt['revisions'], boolean, RegExp]>([
    ['equal counts', [], true, /all counts are the same .* depends on the date of the bucket/],
    [
      'deletions',
      [{ start: START, was: 4930, now: 4929 }],
      true,
      /1 count differs, by 1 Post in all, which deletions alone can explain\. It seems/,
    ],
    [
      'different counts',
      [
        { start: START, was: 1000, now: 700 },
        { start: START + DAY_MS, was: 500, now: 700 },
      ],
      false,
      /2 counts differ, by 500 Posts in all\. The change depends on the date of fetching/,
    ],
  ])('explains %s', (_, revisions, same, text) => {
    const verdict = probeVerdict([probe(revisions)], format);
    expect(verdict?.same).toBe(same);
    expect(verdict?.text).toMatch(text);
  });
});
