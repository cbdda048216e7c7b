import { localDay } from '#core/alerts/local-day.ts';
import { headOf } from '#core/counts/head.ts';
import { errorMessage } from '#core/thrown.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { meaningOf } from '#server/platform/request.ts';
import { alertPurchases, type AlertPurchasesDeps } from './alert-purchases.ts';
import type { StoredAlert } from './alert-table.ts';

/** The wait after a try in vain: at first, and at most; ms. */
const RETRY_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 15 * MINUTE_MS;
/** Most purchases at once. */
const MOST_AT_ONCE = 4;

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

/** Alerts over the platform: their counts are those that were bought, by boards too, and new ones are bought as agreed. */
export type PlatformWatch = ReturnType<typeof openPlatformWatch>;

export function openPlatformWatch(deps: AlertPurchasesDeps) {
  const { relay: connected, now } = deps;
  const stopping = new AbortController();
  const pollings = new Map<string, Polling>();
  /** Purchases by query: of two alerts of one, the second finds what the first buys. */
  const running = new Map<string, Promise<void>>();

  const purchases = alertPurchases(deps, stopping.signal);

  const poll = async (polling: Polling, alert: StoredAlert, until: number): Promise<void> => {
    polling.isRunning = true;
    const before = purchases.spent(alert);
    polling.fault = await purchases.buy(alert, until).catch(errorMessage);
    // The file of what was bought may be closed.
    if (stopping.signal.aborted) return;
    polling.failed = polling.fault === null ? 0 : polling.failed + 1;
    const retry = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.max(0, polling.failed - 1));
    // A request that was paid for in vain is not repeated before more is needed anyway.
    const isVain = polling.fault !== null && purchases.spent(alert) > before;
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
    count: purchases.count,
    monthPrice: purchases.monthPrice,
    history: purchases.history,
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
