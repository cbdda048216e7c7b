import { addTallies } from '#app/counts/fetch/agreement.ts';
import type { Plan } from '#app/counts/cache/records.ts';
import { sumPlans, type WaitingPlan } from '#app/counts/fetch/approval.svelte.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { leastTime } from '#core/counts/price.ts';
import { plural } from '#core/format/plural.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { capText, perhapsWords, RAISE_BUDGET, type Caps } from '#app/format/cost-text.ts';
import { pagesFor } from '#app/format/pages-text.ts';
import type { Formatter } from '#app/format/formatter.ts';

export type PlanSum = ReturnType<typeof sumPlans>;

/** The sum of waiting plans, on the platform's terms as far as they are known. */
export function planSum(
  plans: readonly Plan[],
  platform: PlatformAnswer | null,
  now: number,
): PlanSum {
  return sumPlans(plans, (recent, all) => {
    if (!platform) return Math.max(0, ...plans.map((plan) => plan.leastMs));
    const { limits, archiveSpacingMs } = platform.settings;
    return leastTime({ recent, all }, { ...limits, archiveSpacingMs }, now, platform.pools);
  });
}

/** A duration, rounded up: `36 s`, `4 min`, `1 h 5 min`. */
export function durationText(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** `35 archive, 1 recent`; empty if all pages are from the archive. */
export function kindsOf({ recent, all }: Pick<Plan, 'recent' | 'all'>): string {
  if (recent === 0) return '';
  return all === 0 ? 'recent' : `${all} archive, ${recent} recent`;
}

/** `1,034 of 1,097 days`, of those already fetched. */
export function fetchedWords(
  { owned: fetched, days }: Pick<Plan, 'owned' | 'days'>,
  format: Formatter,
): string {
  if (fetched === 0) return `none of ${format.count(days)} days`;
  return `${format.count(fetched)} of ${format.count(days)} days`;
}

/** The reason even a few pages of a view need approval. */
export const FOREIGN =
  'This view is new to this browser, or its source has changed: nothing is requested before you load it.';

/** The words on the button that approves a plan: `Load · $0.08 (8 pages)`. */
export function loadWords(
  { requests, money }: Pick<PlanSum, 'requests' | 'money'>,
  format: Formatter,
): string {
  const pages = plural(requests, 'page');
  return money > 0 ? `Load · ${format.money(money)} (${pages})` : `Load ${pages}`;
}

/** The reasons approved plans need approval again, a sentence each: the requests sent were not enough. */
export function furtherFacts(
  plans: readonly Pick<WaitingPlan, 'sent'>[],
  format: Formatter,
): string[] {
  const sent = plans.flatMap((plan) => plan.sent ?? []);
  if (sent.length === 0) return [];
  const all = sent.reduce((sum, tally) => addTallies(sum, tally));
  const { requests, money, uncertain } = all;
  const out: string[] = [];
  if (requests > 0) {
    const fetched = `${pagesFor(requests, money, format)} ${requests === 1 ? 'was' : 'were'} fetched`;
    out.push(`The plan needs more requests: ${fetched}, but the pages were shorter than expected.`);
  }
  if (uncertain) {
    const requested = plural(uncertain.requests, 'request');
    out.push(`No complete answer to ${requested}: ${perhapsWords(all, format)} was billed.`);
  }
  return out;
}

/** The costs of a plan besides money, a sentence each. */
export function planFacts(sum: PlanSum, format: Formatter): string[] {
  const out = [
    `At least ${durationText(sum.leastMs)} under the rate limits, about ${format.bytes(sum.bytes)}.`,
  ];
  if (sum.held > 0) {
    const them = sum.held === 1 ? 'page is' : 'pages are';
    out.push(`${format.count(sum.held)} more ${them} already at the service, free.`);
  }
  return out;
}

/** The reason to take minutes, and what they cost besides; null where minutes are requested already. */
export function minutesOffer(sum: PlanSum, taken: boolean, format: Formatter): string | null {
  if (taken) {
    return `Same price as hours, about ${format.bytes(sum.bytes)}. Every later zoom and time zone is then free.`;
  }
  if (sum.minuteBytes === null) return null;
  return `Same price, about ${format.bytes(sum.minuteBytes)} instead of ${format.bytes(sum.bytes)}. Every later zoom and time zone is then free.`;
}

/** Spending and caps: `Spent today $0.36 of $25.00 · this month $4.20 of $100.00`. */
export function spentWords(platform: PlatformAnswer, format: Formatter): string {
  const { caps } = platform.settings;
  const ofCap = (spent: { requests: number; money: number }, cap: Caps): string => {
    const parts = [format.money(spent.money)];
    if (cap.money !== null) parts.push(`of ${format.money(cap.money)}`);
    if (cap.requests !== null) {
      parts.push(`(${format.count(spent.requests)} of ${plural(cap.requests, 'request')})`);
    }
    return parts.join(' ');
  };
  return `Spent today ${ofCap(platform.today, caps.day)} · this month ${ofCap(platform.month, caps.month)}`;
}

/** The end of the current UTC day or month, epoch ms: the platform bills by UTC. */
function endOf(scope: 'day' | 'month', now: number): number {
  return add(scope, startOf(scope, now), 1);
}

/** The first cap a plan would reach: after how many pages, which cap, and until when. */
export function capMet(
  sum: Pick<PlanSum, 'requests' | 'money'>,
  platform: PlatformAnswer,
  now: number,
): { scope: 'day' | 'month'; unit: 'money' | 'requests'; pages: number; until: number } | null {
  const each = sum.requests > 0 ? sum.money / sum.requests : 0;
  let met: ReturnType<typeof capMet> = null;
  for (const scope of ['month', 'day'] as const) {
    const cap = platform.settings.caps[scope];
    const spent = scope === 'day' ? platform.today : platform.month;
    const fits = {
      requests: cap.requests === null ? Infinity : cap.requests - spent.requests,
      // A thousandth of a page absorbs rounding errors.
      money:
        cap.money === null || each === 0
          ? Infinity
          : Math.floor((cap.money - spent.money) / each + 0.001),
    };
    for (const unit of ['requests', 'money'] as const) {
      const pages = Math.max(0, fits[unit]);
      if (pages >= (met?.pages ?? sum.requests)) continue;
      met = { scope, unit, pages, until: endOf(scope, now) };
    }
  }
  return met;
}

/** A warning if a plan exceeds a cap; null if it fits. */
export function capWarning(
  sum: Pick<PlanSum, 'requests' | 'money'>,
  platform: PlatformAnswer,
  now: number,
  format: Formatter,
  zone: string,
): string | null {
  const met = capMet(sum, platform, now);
  if (!met) return null;
  const cap = capText(platform.settings.caps[met.scope], met.unit, format);
  const which = met.scope === 'day' ? 'Today’s' : 'This month’s';
  const after =
    met.pages === 0
      ? 'is used up: nothing is bought'
      : `stops it after ${format.count(met.pages)} of ${plural(sum.requests, 'page')}`;
  const raise = RAISE_BUDGET.charAt(0).toUpperCase() + RAISE_BUDGET.slice(1);
  return `${which} budget of ${cap} ${after} until ${format.moment(met.until, zone)}, then continues by itself. ${raise}.`;
}
