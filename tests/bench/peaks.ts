import { findPeaks } from '#core/series/peaks.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { realData } from '#tests/support/data/posts.ts';
import { compare, plainCurve, readVolumes, type Rates } from '#tests/support/data/volumes.ts';
import { goal, shown, table, time } from './measure.ts';

const START = Date.UTC(2006, 10, 20);
const ZONE = 'Europe/Berlin';

function spans(curve: Curve, zone: string): Span[] {
  return findPeaks(curve, zone).peaks.map(({ from, to }) => ({
    start: curve.bounds[from] ?? NaN,
    end: curve.bounds[to] ?? NaN,
  }));
}

/** 20 years with a daily rhythm, noise and occasional bursts. */
function years(buckets: number, width: number): Curve {
  const random = new Random(1);
  const counts = Float64Array.from({ length: buckets }, (_, i) => {
    const hour = ((i * width) / HOUR_MS) % 24;
    const busy = 60 + 40 * Math.sin((hour / 24) * 2 * Math.PI);
    return Math.round(busy + random.below(20) + (random.below(3000) === 0 ? 900 : 0));
  });
  const bounds = Float64Array.from({ length: buckets + 1 }, (_, i) => START + i * width);
  return plainCurve(bounds, counts);
}

/** Compares precision and recall of peaks on labelled volumes with a plain z-score, and times 20 years. */
export async function benchPeaks(rounds: number): Promise<void> {
  const folder = realData();
  if (folder) {
    const volumes = readVolumes(folder);
    const part = (value: number): string => value.toFixed(3);
    const cells = ({ found, precision, recall, f1 }: Rates): string[] => [
      String(found),
      part(precision),
      part(recall),
      part(f1),
    ];
    const rows = [['buckets', 'method', 'found', 'precision', 'recall', 'F1']];
    for (const [name, by] of [
      ['5 minutes', 1],
      ['15 minutes', 3],
      ['hours', 12],
    ] as const) {
      const { ours, plain } = compare(volumes, by, (curve) => spans(curve, 'UTC'));
      rows.push([name, 'seasonal baseline', ...cells(ours)], ['', 'z > 3', ...cells(plain)]);
    }
    table(`Peaks of ${volumes.length} labelled volumes`, rows);
  } else {
    process.stdout.write('GROUNDSWELL_TEST_DATA is not set: peaks are not compared with labels.\n');
  }
  const rows = [['20 years of', 'buckets', 'peaks', 'ms']];
  const medians: number[] = [];
  for (const [name, buckets, width] of [
    ['days', 7300, DAY_MS],
    ['hours', 7300 * 24, HOUR_MS],
    ['minutes', 7300 * 1440, MINUTE_MS],
  ] as const) {
    const curve = years(buckets, width);
    let found = 0;
    const took = await time(rounds, () => {
      found = findPeaks(curve, ZONE).peaks.length;
    });
    rows.push([name, buckets.toLocaleString('en'), String(found), shown(took)]);
    medians.push(took.median);
  }
  table('Finding peaks', rows);
  goal('days', medians[0] ?? NaN, '≤', 10, ' ms');
  goal('hours', medians[1] ?? NaN, '≤', 100, ' ms');
}
