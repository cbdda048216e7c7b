import { readTruth } from '#tests/support/data/forecasts.ts';
import { calledClear, NOISES, weekPairs } from '#tests/support/data/margins.ts';
import { realData } from '#tests/support/data/posts.ts';
import { goal, table } from './measure.ts';

/** Spans compared: days of each, stretches of history, and Posts a day. */
const SPANS = [
  [7, 26, 3],
  [7, 26, 10],
  [7, 26, 100],
  [3, 26, 30],
  [1, 56, 100],
  [28, 26, 10],
  [7, 13, 10],
  [7, 9, 10],
] as const;

const percent = (part: number): string => `${(100 * part).toFixed(1)}%`;

/** Prints how often a change without a cause is called clear, and real weeks. @param pairs - Of each setting. */
export function benchMargins(pairs: number): void {
  const heads = NOISES.map(
    ({ ratio, correlation }) => `${ratio}${correlation > 0 ? `, correlated` : ''}`,
  );
  const rows = SPANS.map(([length, stretches, mean]) => {
    const parts = NOISES.map((noise, i) => {
      const part = calledClear({ ...noise, length, stretches, mean }, pairs, 11);
      const name = `${length} days of ${mean}, variance ÷ mean ${heads[i]}`;
      // A single day that varies with the one before less than counting alone: the factor is at least 1.
      const floor = noise.ratio === 1 && noise.correlation > 0 && length === 1;
      goal(`called clear, ${name}, at most`, 100 * part, '≤', 7, '%');
      if (!floor) goal(`called clear, ${name}, at least`, 100 * part, '≥', 3, '%');
      return percent(part);
    });
    return [`${length} of ${mean} Posts`, String(stretches), ...parts];
  });
  table('Changes without a cause called clear, by variance ÷ mean of a day', [
    ['days', 'stretches', ...heads],
    ...rows,
  ]);
  const folder = realData();
  if (!folder) {
    process.stdout.write('GROUNDSWELL_TEST_DATA is not set: no real weeks are compared.\n');
    return;
  }
  const series = readTruth(folder, 'day');
  table('Changes of real weeks', [
    ['Posts of both weeks', 'margin', 'pairs', 'unknown', 'clear', 'reversed', 'variance ÷ mean'],
    ...[1, 10, 100].flatMap((least) =>
      [true, false].map((tossed) => {
        const found = weekPairs(series, least, tossed);
        return [
          `${least} or more`,
          tossed ? 'coin tosses' : 'from history',
          found.pairs.toLocaleString('en'),
          String(found.unknown),
          percent(found.clear / found.pairs),
          percent(found.reversed / found.clear),
          found.ratio.toFixed(1),
        ];
      }),
    ),
  ]);
}
