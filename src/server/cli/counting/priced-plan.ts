import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { PlannedRequest } from '#core/counts/requests.ts';
import { pagesOf, requestCount, usd } from '#core/counts/price.ts';
import { formatNumber, grouped } from '#core/format/number-text.ts';
import { groupedPlural } from '#core/format/plural.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { PlatformSeries } from '#server/counting/platform-series.ts';

/** Requests beyond the plan that answers may need which fail their check, or have no Posts at all. */
const MOST_SPARE = 5;

/** A series and what it needs. */
export interface QuotedSeries {
  readonly query: string;
  readonly series: PlatformSeries;
  readonly requests: readonly PlannedRequest[];
  /** USD. */
  readonly money: number;
  /** UTC days of the range that the platform covers, and how many of them need no request. */
  readonly days: number;
  readonly fetched: number;
}

/** The joint needs of the series of a command. */
export interface PricedPlan {
  readonly series: readonly QuotedSeries[];
  readonly requests: number;
  /** USD. */
  readonly money: number;
  /** Further requests that may be sent, and their highest price. */
  readonly spare: number;
  readonly spareMoney: number;
}

/** The number of requests: one of a plan may stand for several. */
const sum = (requests: readonly PlannedRequest[]): number => pagesOf(requestCount(requests));

/** The plan of several series, as they are now. @param prices - USD per request. */
export function pricedPlan(
  queries: readonly { readonly query: string; readonly series: PlatformSeries }[],
  prices: { readonly recent: number; readonly all: number },
): PricedPlan {
  const series = queries.map((queried): QuotedSeries => {
    const requests = queried.series.plan();
    return { ...queried, requests, money: queried.series.price(), ...queried.series.days() };
  });
  const requests = series.reduce((total, each) => total + sum(each.requests), 0);
  const spare = Math.min(MOST_SPARE, requests);
  return {
    series,
    requests,
    money: usd(series.reduce((total, { money }) => total + money, 0)),
    spare,
    spareMoney: usd(spare * Math.max(prices.recent, prices.all)),
  };
}

const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 6 };

/** Formats USD with cents, and with more digits where a price has them. */
export function dollars(money: number): string {
  return `$${formatNumber(money, 'en-US', CENTS)}`;
}

const requestsText = (n: number): string => groupedPlural(n, 'request');

const capText = ({ money, requests }: PlatformAnswer['settings']['caps']['day']): string =>
  [
    ...(money === null ? [] : [dollars(money)]),
    ...(requests === null ? [] : [requestsText(requests)]),
  ].join(' and ') || 'no cap';

/** The sums that were spent, and the caps. */
export function spendingLine({ today, month, settings: { caps } }: PlatformAnswer): string {
  return `Spent today: ${dollars(today.money)} (cap: ${capText(caps.day)}); this month: ${dollars(month.money)} (cap: ${capText(caps.month)}).\n`;
}

/** The plan as lines: each query, then the sum. */
export function planText({ series, requests, money, spare, spareMoney }: PricedPlan): string {
  const lines = series.map(
    ({ query, requests, money, days, fetched }) =>
      `${query}: ${requestsText(sum(requests))}, ${dollars(money)}; ${grouped(fetched)} of ${grouped(days)} days were bought before`,
  );
  const more = `at most ${requestsText(spare)} more, ${dollars(spareMoney)}, if answers have to be confirmed or sent again`;
  const total =
    requests === 0
      ? 'Nothing to buy.'
      : `In all: ${requestsText(requests)}, ${dollars(money)}; ${more}.`;
  return `${lines.join('\n')}\n${total}\n`;
}

const iso = (at: number): string => new Date(at).toISOString();

/** The plan without its requests, money in USD. */
export function planFigures({ series, requests, money, spare, spareMoney }: PricedPlan) {
  const queries = series.map(({ query, requests, money, days, fetched }) => ({
    query,
    requests: sum(requests),
    money,
    days,
    days_bought_before: fetched,
  }));
  return { requests, money, at_most_more: { requests: spare, money: spareMoney }, queries };
}

/** The plan as one line of JSON. */
export function planJson(plan: PricedPlan): string {
  const figures = planFigures(plan);
  const queries = figures.queries.map((query, i) => ({
    ...query,
    windows: (plan.series[i]?.requests ?? []).map(
      ({ endpoint, from, to, part, requests: n = 1 }) => ({
        endpoint,
        start: iso(part?.start ?? from * DAY_MS),
        end: iso(part?.end ?? to * DAY_MS),
        requests: n,
      }),
    ),
  }));
  return `${JSON.stringify({ ...figures, queries })}\n`;
}
