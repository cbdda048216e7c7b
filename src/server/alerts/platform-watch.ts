import type { WatchedTopic } from '#contract/alerts/alerts.ts';
import { localDay, type WatchUnit } from '#core/alerts/local-day.ts';
import { Allowance } from '#core/counts/allowance.ts';
import { headOf, reachOf } from '#core/counts/head.ts';
import { pagesOf, requestCount, usd } from '#core/counts/price.ts';
import { longestReach } from '#core/counts/requests.ts';
import { STATE } from '#core/series/series.ts';
import { usdText } from '#core/format/number-text.ts';
import { errorMessage } from '#core/thrown.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
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
import { meaningOf } from '#server/platform/request.ts';
import type { StoredAlert } from './alert-table.ts';
import { bucketsBetween, historyDays } from './watch.ts';

/** The days that the price of an alert is agreed for. */
const PRICED_MS = 30 * DAY_MS;
/** The wait after a try in vain: at first, and at most; ms. */
const RETRY_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 15 * MINUTE_MS;
/** Most purchases at once. */
const MOST_AT_ONCE = 4;
/** A gap before known counts is given up after this time: what is in it would no longer ring. */
const GIVEN_UP_MS = 3 * DAY_MS;

const UNCONNECTED = 'The platform is not connected.';

export interface PlatformWatchDeps extends Pick<PlatformSeriesDeps, 'now' | 'random' | 'sleep'> {
  /** Null while the platform is not connected. */
  readonly relay: () => Relay | null;
  /** The login of an id; undefined if it was removed. */
  readonly login: (id: string) => Spender | undefined;
}

/** Requests of an alert to the platform. */
interface Polling {
  /** Start of the bucket that is awaited, and the time at which its counts can be bought. */
  open: number;
  end: number;
  /** The earliest time of the next try, and how many failed in a row. */
  at: number;
  failed: number;
  isRunning: boolean;
  /** True once one has ended after which the alert was not judged. */
  isNew: boolean;
  /** The reason that nothing is bought; null if there is none. */
  fault: string | null;
}

/** The name of the asks of an alert. */
const nameOf = ({ id }: StoredAlert): string => `alert-${id}`;

/** The price of 30 days with one request an hour or a day. */
function watchPrice({ endpoints, prices }: QueryTerms, unit: WatchUnit): number {
  const each = endpoints === 'both' ? Math.min(prices.recent, prices.all) : prices[endpoints];
  return usd((each * PRICED_MS) / BUCKET_MS[unit]);
}

/** Alerts over the platform: their counts are those that were bought, by boards too, and new ones are bought as agreed. */
export type PlatformWatch = ReturnType<typeof openPlatformWatch>;

export function openPlatformWatch({
  relay: connected,
  login,
  now,
  random,
  sleep,
}: PlatformWatchDeps) {
  const stopping = new AbortController();
  const pollings = new Map<string, Polling>();
  /** Purchases by query: of two alerts of one, the second finds what the first buys. */
  const running = new Map<string, Promise<void>>();

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
    signal: AbortSignal = stopping.signal,
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
      await series.buy({ allowance, onProgress: () => undefined, signal: stopping.signal });
    } catch (error) {
      if (error instanceof PlatformStop && allowance.remaining < 1) return usedUp;
      throw error;
    }
    return lacks() ? 'The platform’s answers fail their check.' : null;
  };

  const poll = async (polling: Polling, alert: StoredAlert, until: number): Promise<void> => {
    polling.isRunning = true;
    const spent = (): number => connected()?.spentBy(nameOf(alert), alert.createdAt) ?? 0;
    const before = spent();
    polling.fault = await buy(alert, until).catch(errorMessage);
    // The file of what was bought may be closed.
    if (stopping.signal.aborted) return;
    polling.failed = polling.fault === null ? 0 : polling.failed + 1;
    const retry = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.max(0, polling.failed - 1));
    // A request that was paid for in vain is not repeated before more is needed anyway.
    const isVain = polling.fault !== null && spent() > before;
    polling.at = now() + (isVain ? BUCKET_MS[alert.rule.unit] : retry);
    polling.isNew = true;
    polling.isRunning = false;
  };

  const pollingOf = ({
    id,
    state: { open },
    rule: { zone, unit },
    fault,
  }: StoredAlert): Polling => {
    let polling = pollings.get(id);
    if (!polling) {
      polling = {
        open: NaN,
        end: NaN,
        at: -Infinity,
        failed: 0,
        isRunning: false,
        isNew: false,
        fault,
      };
      pollings.set(id, polling);
    }
    if (polling.open !== open) {
      const { edges } = localDay(
        zoneTable(zone, { start: open - DAY_MS, end: open + 2 * DAY_MS }),
        open,
        unit,
      );
      polling.open = open;
      polling.end = edges.find((edge) => edge > open) ?? Infinity;
    }
    return polling;
  };

  return {
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
      await series.buy({ allowance, onProgress: () => undefined, signal: stopping.signal });
      return series.price();
    },
    /**
     * Begins to buy what an alert needs next, if it is time.
     *
     * @returns True if something was bought, or could not be, since the last call.
     */
    look: (alert: StoredAlert): boolean => {
      const polling = pollingOf(alert);
      if (polling.isRunning) return false;
      if (polling.isNew) {
        polling.isNew = false;
        return true;
      }
      if (now() < polling.at) return false;
      const skew = connected()?.clockAheadMs;
      // The first answer after a start says how far the platform's clock is from this one.
      const { end } = headOf(now() + (skew ?? -MINUTE_MS));
      if (end < polling.end) return false;
      const key = meaningOf(alert.settings.query);
      if (running.has(key) || running.size >= MOST_AT_ONCE) return false;
      running.set(
        key,
        poll(polling, alert, end).finally(() => running.delete(key)),
      );
      return false;
    },
    /** The reason that nothing is bought for an alert; null if there is none. */
    faultOf: (alert: StoredAlert): string | null => pollingOf(alert).fault,
    /** Resolves when nothing is being bought. */
    idle: async (): Promise<void> => void (await Promise.all(running.values())),
    /** Begins nothing more. What is being bought is stored all the same. */
    close: (): void => stopping.abort(),
  };
}
