import { join } from 'node:path';
import { stepAlert } from '#core/alerts/alert.ts';
import { chooseFactor, judgedCounts } from '#core/alerts/budget.ts';
import { readAlertState, startAlert, type AlertRule } from '#core/alerts/state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import {
  compareRules,
  postTopics,
  realTopics,
  tryBudget,
  tryQuiet,
  type Range,
} from '#tests/support/data/alert-measures.ts';
import { realData } from '#tests/support/data/posts.ts';
import { timeMessage, timeService } from './alert-service.ts';
import { digits, goal, shown, table, time } from './measure.ts';
import type { AlertStep } from '#core/alerts/alert-message.ts';

const ALERTS = 200;
const START = Date.UTC(2026, 5, 15);

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;
const ranged = ({ low, median, high }: Range): string =>
  `${digits(median)} (${digits(low)}–${digits(high)})`;

/**
 * Compares rules and budgets over real counts, and times 200 alerts.
 *
 * @param bursts - Injected into each topic for each rule; a tenth as many into each trial of a budget.
 */
export async function benchAlerts(folder: string, bursts: number, rounds: number): Promise<void> {
  const real = realData();
  if (real) benchRules(real, bursts);
  else
    process.stdout.write(
      'GROUNDSWELL_TEST_DATA is not set: alerts are not compared with counts.\n',
    );
  await timeAlerts(rounds);
  await timeService(join(folder, 'steps'), rounds);
  await timeMessage(join(folder, 'message'), Math.min(rounds, 20));
}

function benchRules(folder: string, bursts: number): void {
  const topics = realTopics(folder);
  const rules = [['rule', 'rises a month', 'bursts found', 'smaller ones']];
  for (const { name, rises, found } of compareRules(topics, bursts)) {
    rules.push([name, ranged(rises), percent(found.large), percent(found.small)]);
  }
  table(`Rules over ${topics.length} topics by hours`, rules);
  const budgets = [
    [
      'budget',
      'topics',
      'trials',
      'within twice',
      'factor',
      'rises in 4 weeks',
      'found',
      'smaller',
    ],
  ];
  for (const budget of ['day', 'week', 'month'] as const) {
    for (const by of [
      'all by hours',
      'busy by hours',
      'small by days',
      'each by its own',
    ] as const) {
      const is = tryBudget(postTopics(topics), budget, by, Math.ceil(bursts / 5));
      budgets.push([
        `once a ${budget}`,
        by,
        String(is.trials),
        percent(is.within),
        ranged(is.factors),
        ranged(is.rises),
        percent(is.found.large),
        percent(is.found.small),
      ]);
      if (budget !== 'week') continue;
      goal(`once a week, ${by}: within twice the budget`, is.within, '≥', 0.95);
      goal(`once a week, ${by}: bursts found within 3 hours`, is.found.large, '≥', 0.9);
    }
  }
  table('A factor from 13 weeks, and the next four', budgets);
  const quiet = tryQuiet(topics, bursts);
  table('Silence and low days', [
    [
      'silences a month',
      'low days a month',
      'silences announced',
      'after hours',
      'days with a tenth',
      'with half',
    ],
    [
      ranged(quiet.silences),
      ranged(quiet.lowDays),
      percent(quiet.announced),
      ranged(quiet.hours),
      percent(quiet.tenth),
      percent(quiet.half),
    ],
  ]);
}

/** Times a step of 200 alerts, and the choice of a factor for one. */
async function timeAlerts(rounds: number): Promise<void> {
  const random = new Random(1);
  const size = 160 * 24;
  const bounds = Float64Array.from(
    { length: size + 1 },
    (_, i) => START - size * HOUR_MS + i * HOUR_MS,
  );
  const counts = Float64Array.from({ length: size }, () => random.poisson(20));
  const rule: AlertRule = { zone: 'Europe/Berlin', unit: 'hour', direction: 'rise', factor: 3 };
  const state = startAlert(rule, START, null, { bounds, counts });
  const texts = Array.from({ length: ALERTS }, () => JSON.stringify(state));
  const posts = [{ created: START + MINUTE_MS, posts: 1 }];
  const steps: readonly (readonly [string, AlertStep])[] = [
    ['a Post arrives', { at: START + MINUTE_MS, posts }],
    ['an hour is over', { at: START + HOUR_MS }],
    ['a day begins', { at: START + DAY_MS }],
  ];
  const rows = [['for each of 200 alerts', 'ms', 'with its state read and written, ms']];
  for (const [name, step] of steps) {
    const evaluate = () => texts.forEach(() => stepAlert(rule, state, step));
    const stored = () =>
      texts.map((text) => JSON.stringify(stepAlert(rule, readAlertState(text), step).state));
    const [alone, whole] = [await time(rounds, evaluate), await time(rounds, stored)];
    rows.push([name, shown(alone), shown(whole)]);
    goal(`${ALERTS} alerts, ${name}`, alone.median, '≤', 50, ' ms');
  }
  const judging = await time(rounds, () =>
    chooseFactor(judgedCounts({ bounds, counts }, 'UTC', 'hour'), 'week'),
  );
  rows.push(['one factor from 23 weeks of hours', shown(judging), '']);
  table(`Time of alerts; a state has ${(JSON.stringify(state).length / 1024).toFixed(1)} kB`, rows);
}
