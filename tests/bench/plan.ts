import { SETTLE_MS } from '#core/counts/ledger.ts';
import { reachOf } from '#core/counts/head.ts';
import { fetchedDays, planRequests, type RequestNeed } from '#core/counts/requests.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { goal, shown, table, time } from './measure.ts';
import type { Known } from '#core/counts/known-counts.ts';

const NOW = Date.UTC(2026, 10, 20, 15);
const SERIES = 10;
const YEARS = 20;

/** A request for 20 years of one series, parts of which are already stored. */
function need(known: readonly Known[], now: number): RequestNeed {
  return {
    look: {
      view: { start: Date.UTC(2006, 10, 20), end: now },
      reach: reachOf('all', now, 'hour'),
      now,
      settleNow: now,
      known: [known],
      freshMs: HOUR_MS / 10,
      settleMs: SETTLE_MS,
    },
    granularity: 'hour',
    endpoints: 'both',
    prices: { recent: 0.005, all: 0.01 },
    pageDays: 31,
    pageBuckets: null,
    busySpans: [],
    busy: new Set(),
    fullHeadToday: false,
  };
}

/** Times the plan of 20 years for ten series: with nothing stored, with scattered spans, with everything. */
export async function benchPlan(rounds: number): Promise<void> {
  const first = Date.UTC(2006, 10, 20);
  const days = Math.floor((NOW - first) / DAY_MS);
  const random = new Random(1);
  const scattered = (): Known[] => {
    const known: Known[] = [];
    for (let day = 0; ;) {
      const from = day + 1 + random.below(60);
      day = from + 1 + random.below(60);
      if (day >= days) return known;
      const to = first + day * DAY_MS;
      known.push({ from: first + from * DAY_MS, to, at: to + 2 * DAY_MS, generation: 0 });
    }
  };
  const pages = (): Known[] =>
    Array.from({ length: Math.floor(days / 31) }, (_, i) => {
      const from = first + i * 31 * DAY_MS;
      return { from, to: from + 31 * DAY_MS, at: from + 40 * DAY_MS, generation: 0 };
    });
  const cases: [string, () => Known[]][] = [
    ['nothing known', () => []],
    ['stretches known here and there', scattered],
    ['all known but the head', pages],
  ];
  const rows = [['known', 'requests', 'ms']];
  let worst = 0;
  for (const [name, knownOf] of cases) {
    const needs = Array.from({ length: SERIES }, () => need(knownOf(), NOW));
    let requests = 0;
    const took = await time(rounds, () => {
      requests = 0;
      for (const each of needs) {
        requests += planRequests(each).length;
        fetchedDays(each);
      }
    });
    rows.push([name, requests.toLocaleString('en'), shown(took)]);
    worst = Math.max(worst, took.median);
  }
  table(`Plan of ${YEARS} years × ${SERIES} series`, rows);
  goal('the slowest of these', worst, '≤', 2, ' ms');
}
