import type { AlertBackTest, AlertInfo, WatchedTopic } from '#contract/alerts/alerts.ts';
import type { ChannelKind } from '#contract/channels/channel.ts';
import { BUDGET_WEEKS } from '#core/alerts/budget.ts';
import { ringRuleText } from '#core/alerts/rule-text.ts';
import { plural } from '#core/format/plural.ts';

export const CHANNEL_NAMES: Readonly<Record<ChannelKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Teams',
  discord: 'Discord',
  email: 'E-mail',
};

type PastMessage = AlertBackTest['messages'][number];

const RINGS: readonly PastMessage['kind'][] = ['rise', 'low-day', 'silence'];

/** The messages with which an event begins, the newest first. */
export const pastRings = ({ messages }: AlertBackTest): PastMessage[] =>
  messages
    .filter(({ kind }) => RINGS.includes(kind))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));

/**
 * `It would have rung 12 times in the last 13 weeks.`
 *
 * @param lastDay - The last day of Your posts, if they end; null if new ones arrive.
 */
export function pastText(past: AlertBackTest, lastDay: string | null): string {
  const { factor, weeks } = past;
  const rule = factor === null ? 'Rings for silence and low days. ' : '';
  const rings = pastRings(past).length;
  const often = rings === 0 ? 'It would not have rung' : `It would have rung ${times(rings)}`;
  const known = Math.min(weeks, BUDGET_WEEKS);
  const history =
    known === 0
      ? 'No history is known yet.'
      : `${often} in the last ${known < BUDGET_WEEKS ? plural(known, 'week') : `${BUDGET_WEEKS} weeks`}.`;
  const over =
    lastDay === null
      ? ''
      : ` Your posts end on ${lastDay}, so it cannot ring until new ones arrive.`;
  return `${rule}${history}${over}`;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** The reasons that a factor does not keep to its budget, a sentence each. */
export function pastLacks(
  { factor, weeks, budget }: AlertBackTest,
  topic: Pick<WatchedTopic, 'budget' | 'factor'>,
): string[] {
  const known =
    weeks > 0 && weeks < BUDGET_WEEKS
      ? [
          `Only ${plural(weeks, 'week')} of history ${weeks === 1 ? 'is' : 'are'} known, of ${BUDGET_WEEKS}.`,
        ]
      : [];
  const until =
    factor !== null && budget === 'short' && topic.factor === undefined
      ? [`Until more is, it rings from ${factor} times its usual.`]
      : [];
  const short = [...known, ...until].join(' ');
  const exceeded =
    factor !== null && budget === 'exceeded'
      ? [
          `${topic.factor === undefined ? `Even ${factor} times its usual` : 'That'} is reached more often than about once a ${topic.budget}.`,
        ]
      : [];
  return [...(short ? [short] : []), ...exceeded];
}

/** `Rings from 3.25 times the usual of an hour and at least 10 Posts, at most about once a week.`, and its quiet hours. */
export function alertRuleText(alert: AlertInfo): string {
  const rule = ringRuleText(alert);
  const quiet = alert.quiet
    ? `; nothing is sent from ${alert.quiet.from} to ${alert.quiet.to}`
    : '';
  return `${rule[0]?.toUpperCase()}${rule.slice(1)}${quiet}.`;
}
