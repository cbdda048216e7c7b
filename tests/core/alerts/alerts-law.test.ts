import { describe, expect, it } from 'vitest';
import { stepAlert } from '#core/alerts/alert.ts';
import { takeSteps } from '#core/alerts/back-test.ts';
import { readAlertState, startAlert } from '#core/alerts/state.ts';
import { Random } from '#server/sample/random.ts';
import { expectedMessages, firstDifference } from '#tests/support/data/alert-oracle.ts';
import { randomLog, type AlertLog } from '#tests/support/data/alert-logs.ts';
import { long } from '#tests/support/run/long.ts';
import { messageId, type AlertMessage, type AlertStep } from '#core/alerts/alert-message.ts';

const STRETCHES = long() ? 10_000 : 100;
const TIMEOUT = { timeout: 1_800_000 };

const KINDS = [
  'rise',
  'stronger',
  'over',
  'silence',
  'low-day',
  'cannot-see',
  'found-later',
] satisfies AlertMessage['kind'][];

/** The state of an alert as it begins. */
const begun = ({ rule, at, horizon, earlier }: AlertLog) => startAlert(rule, at, horizon, earlier);

/** The alert as a service runs it: the time passes in between at random, and it restarts from what it stored. */
function live(random: Random, log: AlertLog): AlertMessage[] {
  let state = begun(log);
  const messages: AlertMessage[] = [];
  const take = (step: AlertStep): void => {
    const taken = stepAlert(log.rule, state, step);
    state = random.chance(0.3) ? readAlertState(JSON.stringify(taken.state)) : taken.state;
    messages.push(...taken.messages);
  };
  for (const step of log.steps) {
    for (let ticks = random.below(3); ticks > 0; ticks -= 1) {
      const at = state.at + random.below(Math.max(1, step.at - state.at));
      take({ at });
    }
    take(step);
  }
  return messages;
}

describe('over random stretches with late Posts, gaps, deletions, imports and changes of the clock', () => {
  it(
    `messages are those of a back-test over the same log, each once, and know no later step (${STRETCHES})`,
    TIMEOUT,
    () => {
      const seen: Record<string, number> = {};
      const faults: object[] = [];
      for (let n = 0; n < STRETCHES && faults.length === 0; n += 1) {
        const random = new Random(n);
        const log = randomLog(random);
        const { messages } = takeSteps(log.rule, begun(log), log.steps);
        for (const { kind } of messages) seen[kind] = (seen[kind] ?? 0) + 1;
        const ofLive = firstDifference(live(random, log), messages);
        if (ofLive) faults.push({ n, ofLive });
        const ids = messages.map((message) => messageId('a', message));
        if (new Set(ids).size < ids.length) faults.push({ n, ids });
        // Cut anywhere: what rings by then is what rang by then.
        const cut = random.below(log.steps.length + 1);
        const steps = log.steps.slice(0, cut);
        const until = Math.max(log.at, ...steps.map(({ at }) => at));
        const known = takeSteps(log.rule, begun(log), steps).messages;
        const ofPrefix = firstDifference(known, messages.slice(0, known.length));
        if (ofPrefix) faults.push({ n, ofPrefix });
        if (messages.slice(known.length).some(({ at }) => at < until)) faults.push({ n, until });
        const ofRule = firstDifference(messages, expectedMessages(log));
        if (ofRule) faults.push({ n, ofRule });
      }
      expect(faults).toEqual([]);
      const least = Math.ceil(STRETCHES / 100);
      for (const kind of KINDS) expect(seen[kind], kind).toBeGreaterThanOrEqual(least);
    },
  );
});
