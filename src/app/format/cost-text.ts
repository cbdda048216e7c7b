import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { Plan, Tally } from '#app/counts/cache/records.ts';
import { plural } from '#core/format/plural.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { countdown, type Formatter } from './formatter.ts';
import { pagesFor } from './pages-text.ts';

export type Caps = PlatformAnswer['settings']['caps']['day'];

/** A cap as it was set: `$25.00`, `500 requests`. */
export function capText(cap: Caps, unit: 'money' | 'requests', format: Formatter): string {
  return unit === 'money' ? format.money(cap.money ?? 0) : plural(cap.requests ?? 0, 'request');
}

/** The cap that blocks another request: ` of $25.00`; empty if none does, such as after it was raised. */
function reachedCap(platform: PlatformAnswer, scope: 'day' | 'month', format: Formatter): string {
  const { caps, prices } = platform.settings;
  const cap = caps[scope];
  const spent = scope === 'day' ? platform.today : platform.month;
  const page = Math.max(prices.recent, prices.all);
  if (cap.requests !== null && spent.requests >= cap.requests) {
    return ` of ${capText(cap, 'requests', format)}`;
  }
  const full = cap.money !== null && cap.money - spent.money < page - 1e-9;
  return full ? ` of ${capText(cap, 'money', format)}` : '';
}

/** The way out of a used-up budget: in a text, these words open that part of the settings. */
export const RAISE_BUDGET = 'raise it in Settings';

/** The reason a run waits for its budget, and until when. */
export function budgetWords(
  until: number,
  platform: PlatformAnswer | null,
  now: number,
  format: Formatter,
  zone: string,
): string {
  const scope = until - now <= DAY_MS + HOUR_MS ? 'day' : 'month';
  const which = scope === 'day' ? 'today’s' : 'this month’s';
  const named = platform ? reachedCap(platform, scope, format) : '';
  return `${which} budget${named} is used up; continues ${format.moment(until, zone)}, or ${RAISE_BUDGET}`;
}

/** The amount that may have been billed without a complete answer: `perhaps $0.40 more`; empty if nothing. */
export function perhapsWords({ uncertain }: Pick<Tally, 'uncertain'>, format: Formatter): string {
  if (!uncertain || uncertain.requests === 0) return '';
  return uncertain.money > 0
    ? `perhaps ${format.money(uncertain.money)} more`
    : `perhaps ${plural(uncertain.requests, 'page')} more`;
}

/**
 * The plan and its outcome: `Planned 36 pages for $0.36 · took 36 pages for $0.36, perhaps $0.02 more, 1:12`. Empty if
 * nothing was paid.
 */
export function outcomeWords(
  plan: Plan,
  made: Tally,
  ms: number | null,
  format: Formatter,
): string {
  const perhaps = perhapsWords(made, format);
  if (plan.money === 0 && made.money === 0 && !perhaps) return '';
  const planned = pagesFor(plan.recent + plan.all, plan.money, format);
  const took = pagesFor(made.requests, made.money, format);
  const rest = [perhaps, ms === null ? '' : countdown(ms)].filter(Boolean);
  return [`Planned ${planned} · took ${took}`, ...rest].join(', ');
}
