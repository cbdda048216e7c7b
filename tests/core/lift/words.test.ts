import { describe, expect, it } from 'vitest';
import { liftOf } from '#core/lift/lift.ts';
import { liftRefusalText, liftText } from '#core/lift/words.ts';
import { DAY_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { plainCurve } from '#tests/support/data/volumes.ts';
import { long } from '#tests/support/run/long.ts';
import type { LiftFigure, LiftRefusal } from '#core/lift/lift-figure.ts';
import type { LiftInput } from '#core/lift/lift-input.ts';

const WORDS = { locale: 'en-US', noun: 'Post' } as const;

/** A figure of round numbers. */
const FIGURE: LiftFigure = {
  kind: 'figure',
  unit: 'day',
  length: 7,
  lift: 0.38,
  posts: 14_900,
  additional: 4103.4,
  level: 90,
  windows: 51,
  visible: 1.4,
  planned: 2.1,
  band: { level: 90, low: 0.06, high: 0.84, additional: { low: 840, high: 6800 } },
  strict: { level: 95, low: -0.02, high: 1.03, additional: { low: -300, high: 7500 } },
  rank: { larger: 50, smaller: 1, of: 51 },
  value: Math.log(1.38),
  centre: 0,
  control: { weight: 0.7, explained: 0.418 },
  earlier: Array.from({ length: 359 }, (_, i) => ({ start: i * DAY_MS, value: 0 })),
  around: { before: [null, null, null], after: [null, null, null] },
  without: {
    expected: new Float64Array(7),
    low: new Float64Array(7),
    high: new Float64Array(7),
  },
  backTest: { windows: 51, changed: 4 },
  everyday: { kind: 'refusal', unit: 'day', why: 'few-posts', usual: 12.7, of: 'series' },
  accounts: null,
  contamination: null,
};
const FALL = {
  lift: -0.31,
  value: Math.log(0.69),
  additional: -1234,
  rank: { larger: 0, smaller: 51, of: 51 },
  band: { level: 90, low: -0.5, high: -0.003, additional: { low: -3000, high: -10 } },
} as const;
const UNCLEAR = {
  lift: 0.12,
  value: Math.log(1.12),
  rank: { larger: 30, smaller: 20, of: 51 },
  band: { level: 90, low: -0.3, high: 0.84, additional: { low: -400, high: 900 } },
} as const;

describe('a lift in words', () => {
  it('has its rank, size, band and Posts, and every other sentence', () => {
    expect(liftText(FIGURE, WORDS)).toEqual({
      change: 'up 38%',
      headline:
        'Larger than 50 of 51 earlier weeks. +38% (nine of ten: +6% to +84%), about 4,100 additional Posts.',
      chance: null,
      method:
        'Compared with the windows of this length that begin at any of 359 earlier days, 51 of them separate. In 95 of 100: −2% to +103%.',
      everyday:
        'Everyday level: there are usually only 12 Posts in a time of this length, and 20 are needed.',
      accounts: null,
      backTest:
        'On your 51 earlier weeks, each compared with those that do not overlap it, this method would have reported a change in 4.',
      control: 'The control explains 42% of earlier swings.',
    });
  });

  it.each<[string, Partial<LiftFigure>, string, string | null]>([
    [
      'a fall',
      FALL,
      'Smaller than 51 of 51 earlier weeks. −31% (nine of ten: −50% to −0.3%), about 1,200 fewer Posts.',
      null,
    ],
    [
      'chance',
      UNCLEAR,
      'Larger than 30 of 51 earlier weeks. +12% (nine of ten: −30% to +84%).',
      'Chance alone could explain this. It would have had to reach +140%.',
    ],
    [
      'a lift that rounds to the one that would be seen',
      { ...UNCLEAR, lift: 1.396 },
      'Larger than 30 of 51 earlier weeks. +139.6% (nine of ten: −30% to +84%).',
      'Chance alone could explain this. It would have had to reach +140.4%.',
    ],
    [
      'a campaign of 14 days with few windows and less than a Post',
      {
        length: 14,
        additional: 0.4,
        rank: { larger: 9, smaller: 0, of: 9 },
        band: { ...FIGURE.band, level: 80 },
      },
      'Larger than 9 of 9 earlier windows of 14 days. +38% (eight of ten: +6% to +84%), less than one additional Post.',
      null,
    ],
  ])('%s', (name, part, headline, chance) => {
    const visible = name.startsWith('a lift that') ? 1.404 : FIGURE.visible;
    expect(liftText({ ...FIGURE, visible, ...part }, WORDS)).toMatchObject({ headline, chance });
  });

  it.each<[string, LiftFigure['accounts']]>([
    [
      'Different accounts: +38% (nine of ten: +6% to +84%), about 320 additional accounts.',
      { ...FIGURE, kind: 'measure', additional: 317 },
    ],
    [
      'Different accounts: +12% (nine of ten: −30% to +84%). Chance alone could explain this.',
      { ...FIGURE, ...UNCLEAR, kind: 'measure' },
    ],
    [
      'Different accounts: there are usually only 6 accounts in a time of this length, and 20 are needed.',
      { kind: 'refusal', unit: 'day', why: 'few-posts', usual: 6, of: 'series' },
    ],
  ])('%s', (text, accounts) => {
    expect(liftText({ ...FIGURE, accounts }, WORDS).accounts).toBe(text);
  });

  it.each<[string | null, Partial<LiftFigure>]>([
    ['down 31%', FALL],
    ['up less than 1%', { lift: 0.004 }],
    [null, UNCLEAR],
  ])('calls its change %s', (change, part) => {
    expect(liftText({ ...FIGURE, ...part }, WORDS).change).toBe(change);
  });

  it('has the separators of the locale', () => {
    const { headline } = liftText(FIGURE, { locale: 'de', noun: 'account' });
    expect(headline).toBe(
      'Larger than 50 of 51 earlier weeks. +38\u00a0% (nine of ten: +6\u00a0% to +84\u00a0%), about 4.100 additional accounts.',
    );
  });

  it('says that the control has Posts of the campaign, and that there is none', () => {
    const contamination = { share: 0.04, verdict: 'warned' } as const;
    expect(liftText({ ...FIGURE, contamination }, WORDS).control).toBe(
      'The control explains 42% of earlier swings. 4% of its Posts are the campaign’s own, which hides a part of the lift.',
    );
    expect(liftText({ ...FIGURE, control: null }, WORDS).control).toBeNull();
  });
});

type Why<T> = T extends LiftRefusal ? Omit<T, 'kind' | 'unit'> : never;
const refused = (of: Why<LiftRefusal>, unit: 'day' | 'hour' = 'day'): string =>
  liftRefusalText({ kind: 'refusal', unit, ...of } as LiftRefusal, WORDS);

describe('a refusal in words', () => {
  it.each<[string, Why<LiftRefusal>]>([
    [
      'No figure: the campaign has not begun. Chance alone explains up to +140%. Plan for +210%: a lift of that size is found four times in five.',
      { why: 'future', plan: { level: 90, windows: 51, visible: 1.4, planned: 2.1 } },
    ],
    ['No figure: the campaign has not ended.', { why: 'running' }],
    [
      'No figure: the counts for 1 day of the campaign are missing.',
      { why: 'missing', buckets: 1, place: 'campaign', of: 'series' },
    ],
    [
      'No figure: the control’s counts for 3 days before the campaign may still change.',
      { why: 'provisional', buckets: 3, place: 'before', of: 'control' },
    ],
    [
      'No figure: the platform changed its index during the campaign or in the time before it.',
      { why: 'seam' },
    ],
    [
      'No figure: 14% of the control’s Posts are the campaign’s own.',
      { why: 'contaminated', share: 0.14 },
    ],
    [
      'No figure: the control usually has only 19 Posts in a time of this length, and 20 are needed.',
      { why: 'few-posts', usual: 19.9, of: 'control' },
    ],
    [
      'No figure: only 3 of 9 separate earlier windows can be compared; it needs 6 more weeks.',
      { why: 'few-windows', windows: 3, more: 42 },
    ],
    [
      'No figure: only 8 of 9 separate earlier windows can be compared; it needs 1 more day.',
      { why: 'few-windows', windows: 8, more: 1 },
    ],
    [
      'No figure: only 3 of 9 separate earlier windows can be compared, because the others are too quiet, incomplete or in another campaign.',
      { why: 'few-windows', windows: 3, more: null },
    ],
    [
      'No figure: two years hold too few windows as long as the campaign, which can have at most 73 days.',
      { why: 'too-long', longest: 73 },
    ],
  ])('%s', (sentence, refusal) => {
    expect(refused(refusal)).toBe(sentence);
  });

  it.each([
    ['other campaigns fill', []],
    ['“A” fills', ['A']],
    ['“A” and “B” fill', ['A', 'B']],
    ['“A”, “B” and 1 other campaign fill', ['A', 'B', 'C']],
    ['“A”, “B” and 2 other campaigns fill', ['A', 'B', 'C', 'D']],
  ])('%s the time before it', (who, before) => {
    const crowded = { kind: 'refusal', unit: 'day', why: 'crowded' } as const;
    expect(liftRefusalText(crowded, { ...WORDS, before })).toBe(
      `No figure: ${who} the time before it.`,
    );
  });

  it.each([
    [30, '30 more hours'],
    [48, '2 more days'],
    [400, '3 more weeks'],
  ])('%s hours are %s', (more, time) => {
    expect(refused({ why: 'few-windows', windows: 3, more }, 'hour')).toContain(`needs ${time}.`);
  });
});

/** The percentages of a sentence, in order. */
const percentages = (sentence: string): number[] =>
  Array.from(sentence.matchAll(/([+−]?[\d,.]+)%/g), ([, number = '']) =>
    Number(number.replaceAll(',', '').replace('−', '-')),
  );

it('the figure, the rank and the words never disagree', () => {
  const random = new Random(4);
  let [clear, unclear] = [0, 0];
  for (let n = 0; n < (long() ? 4000 : 200); n += 1) {
    const history = 56 + 150 + random.below(200);
    const factor = random.pick([0.3, 0.6, 0.8, 1, 1, 1.2, 1.5, 3]);
    const counts = Float64Array.from({ length: history + 7 }, (_, i) =>
      random.poisson(30 * (i < history ? 1 : factor)),
    );
    const bounds = Float64Array.from({ length: history + 8 }, (_, i) => i * DAY_MS);
    const input: LiftInput = {
      unit: 'day',
      curve: plainCurve(bounds, counts),
      control: null,
      slots: Uint8Array.from(counts, (_, i) => i % 7),
      campaign: { first: history, end: history + 7 },
      others: [],
      seams: [],
    };
    const figure = liftOf(input);
    if (figure.kind === 'refusal') throw new Error(`expected a figure, got ${figure.why}`);
    const { headline, chance } = liftText(figure, WORDS);
    const [, place, rank] = /^(Larger|Smaller) than (\d+) of/.exec(headline) ?? [];
    const [lift = NaN, low = NaN, high = NaN] = percentages(headline);
    const needed =
      figure.windows + 1 - Math.floor((figure.windows + 1) / (figure.level === 90 ? 20 : 10));
    expect(low > 0 || high < 0).toBe(Number(rank) >= needed);
    expect(low > 0).toBe(place === 'Larger' && chance === null);
    expect(high < 0).toBe(place === 'Smaller' && chance === null);
    expect(/additional|fewer/.test(headline)).toBe(chance === null);
    if (chance === null) clear += 1;
    else {
      unclear += 1;
      const [visible = NaN] = percentages(chance);
      expect(lift < visible || figure.lift === figure.visible).toBe(true);
    }
  }
  expect(Math.min(clear, unclear)).toBeGreaterThan(50);
});
