import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { plan } from '#tests/app/board/a-plan.ts';
import { platformAnswer } from '#tests/app/board/platform-answer.ts';
import { budgetWords, outcomeWords } from '#app/format/cost-text.ts';
import { pagesFor } from '#app/format/pages-text.ts';
import {
  capMet,
  capWarning,
  kindsOf,
  durationText,
  minutesOffer,
  fetchedWords,
  furtherFacts,
  planFacts,
  spentWords,
  planSum,
} from '#app/board/plan/plan-text.ts';
import { Formatter } from '#app/format/formatter.ts';

const format = new Formatter('en-GB');
const NOW = Date.UTC(2026, 10, 21, 19);
const none = { requests: null, money: null };

test.each([
  [0, '1 s'],
  [36_000, '36 s'],
  [99_000, '99 s'],
  [107_000, '2 min'],
  [3_599_000, '1 h'],
  [3_900_000, '1 h 5 min'],
])('formats %d ms as %s', (ms, expected) => expect(durationText(ms)).toBe(expected));

test.each([
  [{ recent: 0, all: 36 }, ''],
  [{ recent: 1, all: 0 }, 'recent'],
  [{ recent: 1, all: 35 }, '35 archive, 1 recent'],
])('the kinds of %j are “%s”', (of, expected) => expect(kindsOf(of)).toBe(expected));

test.each([
  [108, 1.08, '108 pages for $1.08'],
  [1, 0.005, '1 page for $0.005'],
  [1220, 12.2, '1,220 pages for $12.20'],
  [3, 0, '3 pages'],
])('%d pages at %d are “%s”', (pages, money, expected) => {
  expect(pagesFor(pages, money, format)).toBe(expected);
});

test.each([
  [{ owned: 1034, days: 1097 }, '1,034 of 1,097 days'],
  [{ owned: 0, days: 30 }, 'none of 30 days'],
])('describes the fetched days of %j as “%s”', (of, expected) =>
  expect(fetchedWords(of, format)).toBe(expected),
);

describe('several plans', () => {
  const three = [plan(), plan({ recent: 1, all: 35, money: 0.355 }), plan({ held: 2 })];

  it('share one pool, with requests a second apart', () => {
    const sum = planSum(three, platformAnswer({}), NOW);
    expect(sum.requests).toBe(108);
    expect(sum.leastMs).toBe(106_000);
    expect(planSum(three, null, NOW).leastMs).toBe(35_000);
  });

  it('state time, bytes and free pages', () => {
    expect(planFacts(planSum(three, platformAnswer({}), NOW), format)).toEqual([
      'At least 2 min under the rate limits, about 708 kB.',
      '2 more pages are already at the service, free.',
    ]);
    expect(planFacts(planSum([plan({ held: 1 })], null, NOW), format)[1]).toMatch(
      /^1 more page is already at the service/,
    );
    expect(planFacts(planSum([plan()], null, NOW), format)).toHaveLength(1);
  });

  it('offer minutes with their bytes, unless they are in minutes already', () => {
    const sum = planSum([plan({ bytes: 400_000, minuteBytes: 18_000_000 })], null, NOW);
    expect(minutesOffer(sum, false, format)).toBe(
      'Same price, about 18 MB instead of 400 kB. Every later zoom and time zone is then free.',
    );
    const minutes = planSum([plan({ bytes: 18_000_000, minuteBytes: null })], null, NOW);
    expect(minutesOffer(minutes, false, format)).toBeNull();
    expect(minutesOffer(minutes, true, format)).toMatch(/^Same price as hours, about 18 MB\./);
  });
});

describe('a cap', () => {
  const sum = { requests: 108, money: 1.08 };
  const day = Date.UTC(2026, 10, 22);
  const month = Date.UTC(2026, 11, 1);

  test.each([
    ['room for all', platformAnswer({ day: { requests: null, money: 25 } }), null],
    [
      'exactly room for all',
      platformAnswer({
        day: { requests: null, money: 1.44 },
        today: { requests: 36, money: 0.36 },
      }),
      null,
    ],
    [
      'money of the day',
      platformAnswer({
        day: { requests: null, money: 0.76 },
        today: { requests: 36, money: 0.36 },
      }),
      { scope: 'day', unit: 'money', pages: 40, until: day },
    ],
    [
      'requests of the day reached before its money',
      platformAnswer({ day: { requests: 20, money: 0.5 } }),
      { scope: 'day', unit: 'requests', pages: 20, until: day },
    ],
    [
      'money of the month reached before that of the day',
      platformAnswer({ day: { requests: null, money: 1 }, month: { requests: null, money: 0.1 } }),
      { scope: 'month', unit: 'money', pages: 10, until: month },
    ],
    [
      'a cap exceeded already',
      platformAnswer({ day: { requests: null, money: 1 }, today: { requests: 300, money: 3 } }),
      { scope: 'day', unit: 'money', pages: 0, until: day },
    ],
    ['no cap', platformAnswer({ day: none, month: none }), null],
  ] as const)('with %s', (_, platform, met) => expect(capMet(sum, platform, NOW)).toEqual(met));

  it('never allows a page too many, nor stops a page early', () => {
    const pages = fc.integer({ min: 1, max: 2000 });
    fc.assert(
      fc.property(
        pages,
        pages,
        fc.nat(2000),
        fc.constantFrom(0.005, 0.01),
        (n, cap, before, price) => {
          const platform = platformAnswer({
            day: { requests: null, money: cap * price },
            month: none,
            today: { requests: before, money: before * price },
          });
          const met = capMet({ requests: n, money: n * price }, platform, NOW);
          const room = Math.max(0, cap - before);
          expect(met?.pages ?? n).toBe(Math.min(n, room));
        },
      ),
    );
  });

  it('has a warning with the pages it allows, its reset, and what to do', () => {
    const tight = platformAnswer({
      day: { requests: null, money: 0.76 },
      today: { requests: 36, money: 0.36 },
    });
    expect(capWarning(sum, tight, NOW, format, 'Europe/Berlin')).toBe(
      'Today’s budget of $0.76 stops it after 40 of 108 pages until 22 Nov 2026, 01:00, then continues by itself. Raise it in Settings.',
    );
    const full = platformAnswer({
      month: { requests: 5, money: null },
      spent: { requests: 5, money: 1 },
    });
    expect(capWarning(sum, full, NOW, format, 'UTC')).toBe(
      'This month’s budget of 5 requests is used up: nothing is bought until 1 Dec 2026, 00:00, then continues by itself. Raise it in Settings.',
    );
    expect(capWarning(sum, platformAnswer({}), NOW, format, 'UTC')).toBeNull();
  });

  it('that a run waits for is described as far as it is known', () => {
    const at = Date.UTC(2026, 10, 22);
    const spent = { requests: 2500, money: 24.995 };
    expect(budgetWords(at, platformAnswer({ today: spent }), NOW, format, 'Europe/Berlin')).toBe(
      'today’s budget of $25.00 is used up; continues 22 Nov 2026, 01:00, or raise it in Settings',
    );
    const all = platformAnswer({ spent: { requests: 9999, money: 99.999 } });
    expect(budgetWords(month, all, NOW, format, 'UTC')).toMatch(
      /^this month’s budget of \$100\.00 is/,
    );
    const byCount = platformAnswer({
      day: { requests: 10, money: 25 },
      today: { requests: 10, money: 0.1 },
    });
    expect(budgetWords(at, byCount, NOW, format, 'UTC')).toMatch(/budget of 10 requests is/);
    for (const unknown of [null, platformAnswer({})]) {
      expect(budgetWords(at, unknown, NOW, format, 'UTC')).toMatch(/^today’s budget is used up/);
    }
  });

  it('is shown next to the spending', () => {
    const spent = { today: { requests: 36, money: 0.36 }, spent: { requests: 420, money: 4.2 } };
    expect(spentWords(platformAnswer(spent), format)).toBe(
      'Spent today $0.36 of $25.00 · this month $4.20 of $100.00',
    );
    expect(
      spentWords(
        platformAnswer({ ...spent, day: { requests: 100, money: null }, month: none }),
        format,
      ),
    ).toBe('Spent today $0.36 (36 of 100 requests) · this month $4.20');
  });
});

test.each([
  [
    plan(),
    { requests: 36, money: 0.36, bytes: 1 },
    72_000,
    'Planned 36 pages for $0.36 · took 36 pages for $0.36, 1:12',
  ],
  [
    plan(),
    { requests: 38, money: 0.38, bytes: 1 },
    null,
    'Planned 36 pages for $0.36 · took 38 pages for $0.38',
  ],
  [plan({ money: 0 }), { requests: 36, money: 0, bytes: 1 }, 1000, ''],
  [
    plan(),
    { requests: 20, money: 0.2, bytes: 1, uncertain: { requests: 40, money: 0.4 } },
    72_000,
    'Planned 36 pages for $0.36 · took 20 pages for $0.20, perhaps $0.40 more, 1:12',
  ],
])('compares planned and actual cost: %#', (planned, made, ms, expected) =>
  expect(outcomeWords(planned, made, ms, format)).toBe(expected),
);

test('a plan that needs approval again explains what happened to the previous one', () => {
  const sent = { requests: 5, money: 0.05, bytes: 1, uncertain: { requests: 2, money: 0.02 } };
  expect(furtherFacts([{ sent: null }, { sent }], format)).toEqual([
    'The plan needs more requests: 5 pages for $0.05 were fetched, but the pages were shorter than expected.',
    'No complete answer to 2 requests: perhaps $0.02 more was billed.',
  ]);
  expect(furtherFacts([{ sent: null }], format)).toEqual([]);
});
