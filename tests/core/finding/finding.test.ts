import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findingOf, findingText } from '#core/finding/finding.ts';
import { CAUSE_KINDS } from '#core/causes/causes.ts';
import { Formatter } from '#app/format/formatter.ts';
import type {
  FindingFigures,
  FindingPart,
  PeakFigures,
  TopicFigures,
} from '#core/finding/finding-figures.ts';

const format = new Formatter('en-GB');

interface Raw {
  readonly name: string;
  readonly total: number;
  readonly change?: number | null;
  readonly spread?: number;
  readonly clear?: boolean;
  readonly before?: number;
  readonly counts?: string;
  readonly share?: readonly [value: number, margin: number];
  readonly complete?: boolean;
}

function topic(raw: Raw, id: number): TopicFigures {
  const { name, total, change = 0, spread = 0.05, share, complete = true, counts = '' } = raw;
  const [low, high] = [(change ?? 0) - spread, (change ?? 0) + spread];
  return {
    id,
    name,
    complete,
    total: { value: total, text: format.count(total) },
    change:
      change === null
        ? null
        : {
            value: change,
            text: counts || format.change(change),
            counts,
            size: format.percent(Math.abs(change)),
            margin: [format.change(low), format.change(high)],
            clear: raw.clear ?? (low > 0 || high < 0),
            unchanged: low <= 0 && high >= 0,
            before: raw.before ?? total / (1 + change),
          },
    share: share
      ? { text: format.percent(share[0]), low: share[0] - share[1], high: share[0] + share[1] }
      : null,
  };
}

const PEAK: PeakFigures = {
  key: '1:0',
  topic: 1,
  when: 'Mon, 6 Apr 2026',
  posts: '6,320 Posts',
  times: '2.1×',
  cause: null,
};
const CROISSANTS = { kind: 'phrase', name: '“matcha croissants”', share: '62%', read: '' } as const;
const OAT = { name: 'Oat milk', total: 1_346_893 };
const MATCHA = { name: 'Matcha', total: 1_343_878 };

const said = (
  topics: readonly Raw[],
  peaks: FindingFigures['peaks'] = [],
  against = 'the year before',
): readonly string[] | null => {
  const found = findingOf({ topics: topics.map(topic), peaks, against });
  return found && [found.rule, findingText(found.sentence), findingText(found.evidence)];
};

test.each<[string, Parameters<typeof said>, readonly string[] | null]>([
  [
    'the largest change, with the peak of its topic',
    [
      [
        { ...OAT, change: 0.28 },
        { ...MATCHA, change: 0.72 },
      ],
      [PEAK],
    ],
    [
      'change',
      'Matcha is up 72.0% from the year before',
      '1,343,878 Posts, margin +67.0% to +77.0%. Largest peak: Mon, 6 Apr 2026, 2.1× the usual.',
    ],
  ],
  [
    'the largest change, with what the peak of its topic was about',
    [[{ ...MATCHA, change: 0.72 }], [{ ...PEAK, topic: 0, cause: CROISSANTS }]],
    [
      'change',
      'Matcha is up 72.0% from the year before',
      '1,343,878 Posts, margin +67.0% to +77.0%. Largest peak: Mon, 6 Apr 2026, 2.1× the usual. Of its Posts, 62% say “matcha croissants”.',
    ],
  ],
  [
    'a fall',
    [[{ ...OAT, change: -0.4 }], [], 'the previous period'],
    [
      'change',
      'Oat milk is down 40.0% from the previous period',
      '1,346,893 Posts, margin −45.0% to −35.0%.',
    ],
  ],
  [
    'a change that also makes a leader',
    [
      [
        { ...OAT, total: 900, share: [0.36, 0.02], before: 900 },
        { ...MATCHA, total: 1_600, change: 1, share: [0.64, 0.02] },
      ],
    ],
    [
      'change',
      'Matcha is up 100.0% from the year before, and now leads Oat milk',
      '1,600 Posts, margin +95.0% to +105.0%.',
    ],
  ],
  [
    'a rise from too few Posts for a percentage',
    [[{ ...MATCHA, change: 3_439, clear: true, counts: '1 to 3,440' }], [], 'the previous period'],
    ['change', 'Matcha is up from 1 to 3,440 Posts compared with the previous period', ''],
  ],
  [
    'too few Posts before to compare',
    [[{ ...MATCHA, change: 588.6, clear: false, spread: 600, counts: '3 to 1,832' }]],
    ['none', 'Too few Posts to compare with the year before: from 3 to 1,832', ''],
  ],
  [
    'too few Posts of one of two topics to compare',
    [[OAT, { ...MATCHA, change: 588.6, clear: false, spread: 600, counts: '3 to 1,832' }]],
    [
      'none',
      'Too few Posts to compare with the year before: Matcha from 3 to 1,832',
      'Nothing else changed by more than chance.',
    ],
  ],
  [
    'a peak of a topic with too few Posts to compare',
    [[{ ...OAT, change: 4, spread: 5, counts: '1 to 5' }], [{ ...PEAK, topic: 0 }]],
    ['peak', 'The largest peak is Mon, 6 Apr 2026, 2.1× the usual', '6,320 Posts.'],
  ],
  [
    'a topic that was not there before',
    [[{ ...MATCHA, change: Infinity, before: 0, clear: true }]],
    ['change', 'Matcha is new: 1,343,878 Posts, none in the compared period', ''],
  ],
  [
    'a change of leader',
    [
      [
        { ...OAT, total: 900, change: -0.04, share: [0.45, 0.02] },
        { ...MATCHA, total: 1_100, change: 0.04, share: [0.55, 0.02], before: 800 },
      ],
      [PEAK],
    ],
    [
      'leader',
      'Matcha now leads Oat milk, by 1,100 to 900 Posts',
      'Share of voice 55.0% against 45.0%. Compared with the year before, which Oat milk led.',
    ],
  ],
  [
    'two topics of which neither led before by more than chance',
    [
      [
        { ...OAT, total: 900, change: -0.04, share: [0.45, 0.02] },
        { ...MATCHA, total: 1_100, change: 0.04, share: [0.55, 0.02], before: 930 },
      ],
    ],
    [
      'none',
      'Nothing changed by more than chance',
      'Largest change: Oat milk, 900 Posts, −4.0% from the year before, margin −9.0% to +1.0%.',
    ],
  ],
  [
    'two topics of which neither leads now by more than chance',
    [
      [
        { ...OAT, total: 990, change: -0.04, share: [0.495, 0.02] },
        { ...MATCHA, total: 1_010, change: 0.04, share: [0.505, 0.02], before: 700 },
      ],
    ],
    [
      'none',
      'Nothing changed by more than chance',
      'Largest change: Oat milk, 990 Posts, −4.0% from the year before, margin −9.0% to +1.0%.',
    ],
  ],
  [
    'the largest peak of several topics',
    [[OAT, MATCHA], [PEAK]],
    [
      'peak',
      'Matcha has the largest peak: Mon, 6 Apr 2026, 2.1× the usual',
      '6,320 Posts. Nothing changed by more than chance.',
    ],
  ],
  [
    'the largest peak with its first cause',
    [
      [OAT, MATCHA],
      [{ ...PEAK, cause: { ...CROISSANTS, kind: 'repost', name: 'reposts of @amber' } }],
    ],
    [
      'peak',
      'Matcha has the largest peak: Mon, 6 Apr 2026, 2.1× the usual',
      '6,320 Posts. Of its Posts, 62% are reposts of @amber. Nothing changed by more than chance.',
    ],
  ],
  [
    'the largest peak with the first cause of the Posts that were read',
    [[OAT, MATCHA], [{ ...PEAK, cause: { ...CROISSANTS, read: '500 Posts' } }]],
    [
      'peak',
      'Matcha has the largest peak: Mon, 6 Apr 2026, 2.1× the usual',
      '6,320 Posts. Of 500 Posts that were read, 62% say “matcha croissants”. Nothing changed by more than chance.',
    ],
  ],
  [
    'the largest peak where nothing is usual, without a comparison',
    [[{ ...OAT, change: null }], [{ ...PEAK, topic: 0, times: '' }]],
    ['peak', 'The largest peak is Mon, 6 Apr 2026, where almost none is usual', '6,320 Posts.'],
  ],
  [
    'nothing',
    [
      [
        { ...OAT, change: 0.01 },
        { ...MATCHA, change: -0.03 },
      ],
    ],
    [
      'none',
      'Nothing changed by more than chance',
      'Largest change: Matcha, 1,343,878 Posts, −3.0% from the year before, margin −8.0% to +2.0%.',
    ],
  ],
  ['too little history', [[{ ...OAT, change: 0.5, clear: false }]], null],
  ['no comparison and no peak', [[{ ...OAT, change: null }]], null],
  ['an incomplete topic', [[{ ...OAT, change: 0.5, complete: false }]], null],
  ['peaks that are still being found', [[{ ...OAT, change: 0.5 }], null], null],
])('%s', (_, given, expected) => {
  expect(said(...given)).toEqual(expected);
});

const part = fc.double({ min: 0, max: 1, noNaN: true });
const raws = fc.array(
  fc.record({
    name: fc.constantFrom('Oat milk', 'Matcha', 'Cold brew'),
    total: fc.nat(2_000_000),
    change: fc.oneof(
      { weight: 6, arbitrary: fc.double({ min: -0.99, max: 4, noNaN: true }) },
      fc.constantFrom(null, Infinity, 0),
    ),
    spread: fc.double({ min: 0, max: 3, noNaN: true }),
    counts: fc.constantFrom('', '3 to 1,832'),
    before: fc.double({ min: 0, max: 2_000_000, noNaN: true }),
    share: fc.option(fc.tuple(part, fc.double({ min: 0, max: 0.1, noNaN: true })), {
      nil: undefined,
    }),
  }),
  { minLength: 1, maxLength: 4 },
);
const peakLists = fc.array(
  fc.record({
    topic: fc.nat(3),
    posts: fc.integer({ min: 1, max: 90_000 }),
    times: fc.option(fc.double({ min: 1.1, max: 90, noNaN: true }), { nil: null }),
    at: fc.integer({ min: 0, max: 9_000 }),
    cause: fc.option(
      fc.record({
        kind: fc.constantFrom(...CAUSE_KINDS),
        name: fc.constantFrom('“matcha croissants”', '#tea2026', '@amber', 'example.com'),
        share: fc.integer({ min: 1, max: 100 }).map((percent) => format.share(percent / 100)),
        read: fc.constantFrom('', '500 Posts'),
      }),
    ),
  }),
  { maxLength: 4 },
);
const boards = fc.tuple(raws, peakLists).map(([topics, peaks]): FindingFigures => ({
  topics: topics.map((raw, id) => topic({ ...raw, share: raw.share ?? [0.1, 1] }, id)),
  peaks: peaks.map(({ topic: of, posts, times, at, cause }, i) => ({
    key: String(i),
    topic: of % topics.length,
    when: format.bucket(at * 86_400_000, (at + 1) * 86_400_000, 'day'),
    posts: format.counted(posts, 'Post'),
    times: times === null ? '' : `${format.mean(times)}×`,
    cause,
  })),
  against: 'the year before',
}));

/** The figures that a lead leads to, as on the page. */
function figuresAt(
  { topics, peaks }: FindingFigures,
  part: Exclude<FindingPart, string>,
): string[] {
  const { lead } = part;
  if (lead.to === 'peak') {
    const peak = peaks?.find(({ key }) => key === lead.key);
    if (!peak) return [];
    const { when, posts, times, cause } = peak;
    return [when, posts, times, ...(cause ? [cause.share, cause.name, cause.read] : [])];
  }
  const { total, change, share } = topics.find(({ id }) => id === lead.topic) ?? {};
  if (lead.column === 'total') return [total?.text ?? ''];
  if (lead.column === 'share') return [share?.text ?? ''];
  return change ? [change.text, change.size, ...change.margin] : [];
}

test('every number is a figure of the page at the place it leads to', () => {
  fc.assert(
    fc.property(boards, (board) => {
      const found = findingOf(board);
      for (const each of found ? [...found.sentence, ...found.evidence] : []) {
        if (typeof each === 'string') expect(each).not.toMatch(/\d/);
        else expect(figuresAt(board, each)).toContain(each.text);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a cause is what Posts say, of the peak that is named, and silent while it is unknown', () => {
  fc.assert(
    fc.property(boards, (board) => {
      const found = findingOf(board);
      const said = [...(found?.sentence ?? []), ...(found?.evidence ?? [])];
      const named = said.flatMap((each) =>
        typeof each !== 'string' && each.lead.to === 'peak' ? [each.lead.key] : [],
      );
      const peak = board.peaks?.find(({ key }) => key === named[0]);
      const text = findingText(said);
      expect(/Of (?:its|\d+) Posts/.test(text)).toBe(!!peak?.cause);
      if (peak?.cause) expect(text).toContain(`${peak.cause.share} `);
      expect(text).not.toMatch(/because|caused|due to/);
    }),
    { numRuns: 2_000 },
  );
});

test('nothing is said if any topic is incomplete or peaks are still being found', () => {
  fc.assert(
    fc.property(boards, fc.nat(), (board, pick) => {
      const at = pick % board.topics.length;
      const topics = board.topics.map((each, i) =>
        i === at ? { ...each, complete: false } : each,
      );
      expect(findingOf({ ...board, topics })).toBeNull();
      expect(findingOf({ ...board, peaks: null })).toBeNull();
    }),
  );
});

test('the first rule that applies is the one that speaks', () => {
  fc.assert(
    fc.property(boards, (board) => {
      const found = findingOf(board);
      const clear = board.topics.flatMap(({ change }) => (change?.clear ? [change] : []));
      expect(found?.rule === 'change').toBe(clear.length > 0);
      if (clear.length > 0) {
        const most = Math.max(...clear.map(({ value }) => Math.abs(value)));
        const named = board.topics.filter(
          ({ change }) => change?.clear && Math.abs(change.value) === most,
        );
        expect(named.map(({ name }) => name)).toContain(found?.sentence[0]);
      } else if (found?.rule !== 'leader' && board.peaks?.length) expect(found?.rule).toBe('peak');
      if (found?.rule === 'none') {
        expect(board.topics.every(({ change }) => change?.unchanged)).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});
