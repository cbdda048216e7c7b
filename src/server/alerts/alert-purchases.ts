import type { WatchedTopic } from '#contract/alerts/alerts.ts';
import type { WatchUnit } from '#core/alerts/local-day.ts';
import { Allowance } from '#core/counts/allowance.ts';
import { reachOf } from '#core/counts/head.ts';
import { pagesOf, requestCount, usd } from '#core/counts/price.ts';
import { longestReach } from '#core/counts/requests.ts';
import { STATE } from '#core/series/series.ts';
import { usdText } from '#core/format/number-text.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS } from '#core/time/span.ts';
import { nothingOf, questionView, type CountAll, type Counted } from '#server/counting/counter.ts';
import { pageOfReply, relayPages } from '#server/counting/platform-pages.ts';
import {
  PlatformSeries,
  type BoughtPages,
  type PlatformSeriesDeps,
} from '#server/counting/platform-series.ts';
import { PlatformStop } from '#server/counting/platform-stop.ts';
import { platformTerms, type QueryTerms } from '#server/counting/platform-terms.ts';
import { readQueryOf, WrongQueryError } from '#server/counting/wrong-query.ts';
import type { Spender } from '#server/platform/budget.ts';
import type { Relay } from '#server/platform/relay.ts';
import type { StoredAlert } from './alert-table.ts';
import { bucketsBetween, historyDays } from './watch.ts';

/** A gap before known counts is given up after this time: what is in it would no longer ring. */
const GIVEN_UP_MS = 3 * DAY_MS;
/** The days that the price of an alert is agreed for. */
const PRICED_MS = 30 * DAY_MS;

const UNCONNECTED = 'The platform is not connected.';

export interface AlertPurchasesDeps extends Pick<PlatformSeriesDeps, 'now' | 'random' | 'sleep'> {
  /** Null while the platform is not connected. */
  readonly relay: () => Relay | null;
  /** The login of an id; undefined if it was removed. */
  readonly login: (id: string) => Spender | undefined;
}

/** The name of the asks of an alert. */
const nameOf = ({ id }: StoredAlert): string => `alert-${id}`;

/** The price of 30 days with one request an hour or a day. */
function watchPrice({ endpoints, prices }: QueryTerms, unit: WatchUnit): number {
  const each = endpoints === 'both' ? Math.min(prices.recent, prices.all) : prices[endpoints];
  return usd((each * PRICED_MS) / BUCKET_MS[unit]);
}

/**
 * The counts of the platform for alerts: those that were bought, by boards too, and those that are bought as agreed.
 *
 * @param stopping - Ends purchases.
 */
export function alertPurchases(
  { relay: connected, login, now, random, sleep }: AlertPurchasesDeps,
  stopping: AbortSignal,
) {
  const relayNow = (): Relay => {
    const relay = connected();
    if (relay) return relay;
    throw new PlatformStop(UNCONNECTED);
  };
  /** A series with the counts of the buckets that were bought. */
  const bought = async (
    relay: Relay,
    { query, bounds }: { readonly query: string; readonly bounds: Float64Array },
    over: {
      readonly spender?: Spender | null;
      readonly asks?: string;
      readonly settleMs?: number;
    } = {},
    signal: AbortSignal = stopping,
  ) => {
    const { spender = null, asks = '', settleMs } = over;
    const given = platformTerms(relay.settings(), query);
    const terms = settleMs === undefined ? given : { ...given, settleMs };
    const deps = { pages: relayPages(relay, spender), terms, now, random, sleep, asks };
    const series = new PlatformSeries(deps, query, questionView({ query, bounds }));
    const vault: BoughtPages = {
      list: (of, granularity, span) => relay.counts(of, granularity, span),
      read: async (page) => pageOfReply(await relay.bought(page)),
    };
    await series.takeBought(vault, signal);
    return { series, terms };
  };

  /** Whose budget pays; null where nobody signs in. @throws {@link PlatformStop} if the login was removed. */
  const spenderOf = (owner: string): Spender | null => {
    const spender = owner === '' ? null : login(owner);
    if (spender === undefined) throw new PlatformStop('Its login was removed.');
    return spender;
  };

  /**
   * Buys the counts up to an instant, unless they were bought before.
   *
   * @returns The reason that they are not known; null if they are.
   */
  const buy = async (alert: StoredAlert, until: number): Promise<string | null> => {
    const { login: owner, createdAt, settings, rule, state } = alert;
    const { query, agreed = 0 } = settings;
    const relay = relayNow();
    const price = watchPrice(platformTerms(relay.settings(), query), rule.unit);
    if (price > agreed) {
      return `The platform’s prices have changed: it would cost up to ${usdText(price)} a month, and ${usdText(agreed)} was agreed. Nothing is bought; remove it and make it again to agree.`;
    }
    const bounds = bucketsBetween(rule, state.open, until);
    const spender = spenderOf(owner);
    const asks = `${nameOf(alert)}.`;
    const { series, terms } = await bought(relay, { query, bounds }, { spender, asks });
    const lacks = (): boolean => series.curve().states.some((state) => state < STATE.provisional);
    if (!lacks()) return null;
    const month = createdAt + Math.floor((now() - createdAt) / PRICED_MS) * PRICED_MS;
    const rest = usd(agreed - relay.spentBy(nameOf(alert), month));
    const usedUp = `The agreed ${usdText(agreed)} are used up until ${new Date(month + PRICED_MS).toISOString().slice(0, 10)}.`;
    if (series.price() > rest) return usedUp;
    const dearest = Math.max(...series.plan().map(({ endpoint }) => terms.prices[endpoint]));
    const allowance = new Allowance(dearest > 0 ? Math.floor(usd(rest / dearest)) : Infinity);
    try {
      await series.buy({ allowance, onProgress: () => undefined, signal: stopping });
    } catch (error) {
      if (error instanceof PlatformStop && allowance.remaining < 1) return usedUp;
      throw error;
    }
    return lacks() ? 'The platform’s answers fail their check.' : null;
  };

  return {
    buy,
    /** The money spent for an alert, USD. */
    spent: (alert: StoredAlert): number =>
      connected()?.spentBy(nameOf(alert), alert.createdAt) ?? 0,
    /** Counts what was bought. Buys nothing. */
    count: async (
      questions: Parameters<CountAll>[1],
      signal: AbortSignal,
    ): Promise<readonly (Counted | WrongQueryError)[]> => {
      const answers: (Counted | WrongQueryError)[] = [];
      for (const question of questions) {
        try {
          readQueryOf('platform', question.query);
        } catch (error) {
          if (!(error instanceof WrongQueryError)) throw error;
          answers.push(error);
          continue;
        }
        const relay = connected();
        if (!relay) {
          const reach = { until: -Infinity, awaited: -Infinity };
          answers.push({ ...nothingOf(question.bounds.length - 1), reach });
          continue;
        }
        const { series, terms } = await bought(relay, question, {}, signal);
        const { counts, states, fetchedAt } = series.curve();
        const { until } = series;
        const { start } = reachOf(longestReach(terms.endpoints), now() + terms.clockSkewMs, 'hour');
        const awaited = Math.max(start, Math.min(now() - GIVEN_UP_MS, until));
        answers.push({ counts, states, fetchedAt, reach: { until, awaited } });
      }
      return answers;
    },
    /** The most that an alert costs in 30 days, USD. @throws {@link PlatformStop} if the platform is not connected. */
    monthPrice: (query: string, unit: WatchUnit): number =>
      watchPrice(platformTerms(relayNow().settings(), query), unit),
    /**
     * Buys the days that a factor is chosen from and that are missing, if they cost no more than agreed.
     *
     * @param agreed - USD.
     * @returns The price of those that are still missing, USD.
     * @throws {@link PlatformStop} if the platform is not connected, or sells no more.
     */
    history: async (
      { query, zone }: Pick<WatchedTopic, 'query' | 'zone'>,
      agreed: number,
      owner: string,
    ): Promise<number> => {
      readQueryOf('platform', query);
      const spender = spenderOf(owner);
      // Counts of a day that is over serve as they are.
      const { series } = await bought(
        relayNow(),
        { query, bounds: historyDays(zone, now()) },
        { spender, settleMs: 0 },
      );
      const price = series.price();
      if (price === 0 || price > agreed) return price;
      const allowance = new Allowance(pagesOf(requestCount(series.plan())));
      await series.buy({ allowance, onProgress: () => undefined, signal: stopping });
      return series.price();
    },
  };
}
