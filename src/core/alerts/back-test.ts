import { stepAlert } from './alert.ts';
import type { AlertRule, AlertState, PastCounts } from './state.ts';
import type { AlertMessage, AlertStep } from './alert-message.ts';

/** Takes the steps of a log in order: a back-test, which is the alert itself over what was known at each time. */
export function takeSteps(
  rule: AlertRule,
  from: AlertState,
  steps: Iterable<AlertStep>,
): { state: AlertState; messages: AlertMessage[] } {
  let state = from;
  const messages: AlertMessage[] = [];
  for (const step of steps) {
    const taken = stepAlert(rule, state, step);
    state = taken.state;
    messages.push(...taken.messages);
  }
  return { state, messages };
}

/**
 * The log that counts without one stand for: each bucket is learned when it is over, as it is today. Posts that came
 * late, and those deleted since, are counted as if they had always been known so.
 *
 * @param from - The first bucket.
 */
export function* countedSteps(
  { bounds, counts }: PastCounts,
  from: number,
  end: number,
): Generator<AlertStep> {
  for (let i = from; i < end; i += 1) {
    const [start = NaN, at = NaN, posts = NaN] = [bounds[i], bounds[i + 1], counts[i]];
    yield Number.isNaN(posts)
      ? { at, horizon: at, unknown: [{ start, end: at }] }
      : { at, horizon: at, posts: [{ created: at - 1, posts }] };
  }
}
