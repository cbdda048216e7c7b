import { describe, expect, it } from 'vitest';
import { stepAlert } from '#core/alerts/alert.ts';
import { takeSteps } from '#core/alerts/back-test.ts';
import { readAlertState, startAlert, type AlertRule, type AlertState } from '#core/alerts/state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import {
  isListedOnly,
  messageId,
  type AlertMessage,
  type AlertStep,
} from '#core/alerts/alert-message.ts';

const START = Date.UTC(2026, 5, 1);
const RISE: AlertRule = { zone: 'UTC', unit: 'hour', direction: 'rise', factor: 3 };
const QUIET: AlertRule = { zone: 'UTC', unit: 'hour', direction: 'quiet' };

const hour = (n: number): number => START + n * HOUR_MS;

/** An alert over a topic that had as many Posts in every hour of eight weeks. */
function usually(posts: number, rule: AlertRule = RISE, horizon: number | null = null): AlertState {
  const size = 56 * (rule.unit === 'hour' ? 24 : 1);
  const width = (56 * DAY_MS) / size;
  const bounds = Array.from({ length: size + 1 }, (_, i) => START - 56 * DAY_MS + i * width);
  const counts = Array.from({ length: size }, () => (posts * width) / HOUR_MS);
  return startAlert(rule, START, horizon, { bounds, counts });
}

/** Posts that arrive as they are created, at a minute of an hour. */
const arrive = (n: number, posts: number, minute = 30): AlertStep => ({
  at: hour(n) + minute * MINUTE_MS,
  posts: [{ created: hour(n) + minute * MINUTE_MS, posts }],
});

const messagesOf = (
  rule: AlertRule,
  state: AlertState,
  steps: readonly AlertStep[],
): AlertMessage[] => takeSteps(rule, state, steps).messages;

/** Kinds of messages with the hours of their onsets. */
const kindsOf = (messages: readonly AlertMessage[]): string[] =>
  messages.map(({ kind, onset }) => `${kind} ${(onset - START) / HOUR_MS}`);

describe('a rise', () => {
  it('rings at once in a running hour that passes the bar of the whole hour', () => {
    const messages = messagesOf(RISE, usually(10), [
      arrive(1, 29, 5),
      arrive(1, 1, 6),
      arrive(1, 5, 7),
    ]);
    const [bucket, at] = [{ start: hour(1), end: hour(2) }, hour(1) + 6 * MINUTE_MS];
    const [message, ...others] = messages;
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      kind: 'rise',
      at,
      onset: hour(1),
      bucket,
      posts: 30,
      running: true,
    });
    expect(message && 'usual' in message && message.usual).toBeCloseTo(10, 9);
  });

  it('needs ten Posts, whatever is usual', () => {
    expect(messagesOf(RISE, usually(0), [arrive(1, 9), arrive(2, 9)])).toEqual([]);
    expect(kindsOf(messagesOf(RISE, usually(0), [arrive(1, 10)]))).toEqual(['rise 1']);
  });

  it('needs a usual, which four weeks of counts give', () => {
    expect(messagesOf(RISE, startAlert(RISE, START, null), [arrive(1, 500)])).toEqual([]);
    const month = Array.from({ length: 40 * 24 }, (_, n) => arrive(n, 10));
    const quiet = takeSteps(RISE, startAlert(RISE, START, null), month);
    expect(quiet.messages).toEqual([]);
    expect(kindsOf(messagesOf(RISE, quiet.state, [arrive(40 * 24, 30)]))).toEqual(['rise 960']);
  });

  it('is over after six hours in a row under a quarter of the way to the factor', () => {
    const calm = [2, 3, 4, 5, 6, 7].map((n) => arrive(n, 14));
    const steps = [
      arrive(1, 100),
      ...calm.slice(0, 5),
      arrive(7, 15),
      ...calm.map((_, i) => arrive(8 + i, 14)),
    ];
    const messages = messagesOf(RISE, usually(10), [...steps, { at: hour(14) }]);
    expect(kindsOf(messages)).toEqual(['rise 1', 'over 1']);
    expect(messages[1]).toMatchObject({
      at: hour(14),
      span: { start: hour(1), end: hour(8) },
      posts: 100 + 5 * 14 + 15,
    });
  });

  it('rings once more at four times the rate that was announced', () => {
    const steps = [arrive(1, 40), arrive(2, 159), arrive(3, 160), arrive(4, 9000)];
    expect(kindsOf(messagesOf(RISE, usually(10), steps))).toEqual(['rise 1', 'stronger 1']);
  });

  it('stays announced if its Posts are deleted, and does not ring again', () => {
    const gone = { at: hour(1) + 40 * MINUTE_MS, posts: [{ created: hour(1), posts: -40 }] };
    const messages = messagesOf(RISE, usually(10), [arrive(1, 40), gone, arrive(1, 40, 50)]);
    expect(kindsOf(messages)).toEqual(['rise 1']);
  });

  it('is watched by days for a small topic, and rings within the day', () => {
    const rule: AlertRule = { ...RISE, unit: 'day' };
    const state = usually(0.25, rule);
    const messages = messagesOf(rule, state, [
      arrive(3, 9),
      arrive(5, 9),
      arrive(30, 0),
      { at: hour(48) },
    ]);
    expect(kindsOf(messages)).toEqual(['rise 0', 'over 0']);
    expect(messages[0]).toMatchObject({ at: hour(5) + 30 * MINUTE_MS, posts: 18, usual: 6 });
  });
});

describe('Posts that arrive late', () => {
  const late = (minutes: number): AlertStep => ({
    at: hour(1) + minutes * MINUTE_MS,
    posts: [{ created: hour(1), posts: 40 }],
  });

  it('ring for two hours, and are listed afterwards', () => {
    expect(kindsOf(messagesOf(RISE, usually(10), [late(120)]))).toEqual(['rise 1']);
    const listed = messagesOf(RISE, usually(10), [late(121)]);
    expect(kindsOf(listed)).toEqual(['found-later 1']);
    expect(listed.map(isListedOnly)).toEqual([true]);
  });

  it('of two years at once ring nothing', () => {
    const posts = Array.from({ length: 700 * 24 }, (_, n) => ({
      created: hour(-n - 3),
      posts: 200,
    }));
    expect(messagesOf(RISE, usually(10), [{ at: START, posts }, { at: hour(100) }])).toEqual([]);
  });

  it('or of a time to come are not taken for those of now', () => {
    const posts = [{ created: START + DAY_MS, posts: 200 }];
    expect(messagesOf(RISE, usually(10), [{ at: START, posts }, { at: hour(100) }])).toEqual([]);
  });
});

describe('silence', () => {
  it('is announced once twelve Posts were usual without one', () => {
    const steps = [arrive(0, 5), arrive(3, 5), { at: hour(7) }, { at: hour(40) }];
    const messages = messagesOf(QUIET, usually(5), steps);
    expect(kindsOf(messages)).toEqual(['silence 4']);
    expect(messages[0]).toMatchObject({ at: hour(7), span: { start: hour(4), end: hour(7) } });
  });

  it('is not assumed of hours whose counts are unknown', () => {
    const unknown = [{ start: hour(2), end: hour(3) }];
    const steps: AlertStep[] = [
      { at: hour(2), horizon: hour(2) },
      { at: hour(4), horizon: hour(4), unknown },
      { at: hour(5), horizon: hour(5) },
    ];
    expect(kindsOf(messagesOf(QUIET, usually(5, QUIET, START), steps))).toEqual([]);
  });
});

describe('a low day', () => {
  const dayOf = (day: number, posts: number): AlertStep[] =>
    Array.from({ length: 12 }, (_, i) => arrive(day * 24 + 2 * i, posts));
  const low = (posts: number, ...days: number[]): string[] =>
    kindsOf(
      messagesOf(
        QUIET,
        usually(posts, QUIET),
        days.flatMap((each, day) => dayOf(day, each)).concat({ at: hour(24 * days.length) }),
      ),
    );

  it('has less than a quarter of the usual Posts; the next ones are not announced again', () => {
    expect(low(10, 20, 4, 4, 20, 20, 3)).toEqual(['low-day 24', 'low-day 120']);
    expect(low(10, 20, 6)).toEqual([]);
  });

  it('is of a topic with 30 Posts a day', () => {
    expect(low(1, 2, 0, 0)).not.toContain('low-day 24');
  });
});

describe('counts that are not known', () => {
  it('are announced after two hours, once', () => {
    const polled = usually(10, RISE, START);
    const steps = [{ at: hour(1), horizon: hour(1) }, { at: hour(4) }, { at: hour(9) }];
    const messages = messagesOf(RISE, polled, steps);
    expect(kindsOf(messages)).toEqual(['cannot-see 1']);
    expect(messages[0]).toMatchObject({ at: hour(4) });
    expect(messagesOf(RISE, polled, [...steps.slice(0, 1), { at: hour(4) - 1 }])).toEqual([]);
  });

  it('neither begin nor end a rise', () => {
    const polled = usually(10, RISE, START);
    const count = (n: number, posts: number): AlertStep => ({
      at: hour(n + 1),
      horizon: hour(n + 1),
      posts: [{ created: hour(n + 1) - 1, posts }],
    });
    const lost = { at: hour(8), horizon: hour(8), unknown: [{ start: hour(4), end: hour(8) }] };
    const steps = [count(0, 10), count(1, 60), count(2, 10), count(3, 10), lost];
    const { state, messages } = takeSteps(RISE, polled, steps);
    expect(kindsOf(messages)).toEqual(['rise 1', 'cannot-see 4']);
    const calm = [8, 9, 10, 11].map((n) => count(n, 10));
    expect(kindsOf(messagesOf(RISE, state, calm))).toEqual(['over 1']);
  });
});

it('a clock that was set back makes no Post late', () => {
  const { state } = stepAlert(RISE, usually(10), { at: hour(30) });
  expect(kindsOf(messagesOf(RISE, state, [arrive(1, 40)]))).toEqual(['rise 1']);
});

it('a message is identified by its alert, onset and kind', () => {
  const [message] = messagesOf(RISE, usually(10), [arrive(1, 40)]);
  expect(message && messageId('oats', message)).toBe(`oats/${hour(1)}/rise`);
});

it('the state is plain data, of a version', () => {
  const { state } = takeSteps(RISE, usually(10), [arrive(1, 40), arrive(2, 5)]);
  const text = JSON.stringify(state);
  expect(readAlertState(text)).toEqual(state);
  expect(text.length).toBeLessThan(10_000);
  expect(() => readAlertState(text.replace('"version":1', '"version":7'))).toThrow(
    'expected the state of an alert in version 1, got 7',
  );
});

it('a part of a Post is refused', () => {
  expect(() => stepAlert(RISE, usually(10), arrive(1, 0.5))).toThrow(
    'expected a whole number of Posts, got 0.5',
  );
});
