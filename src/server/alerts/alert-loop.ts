import { MESSAGE_DAYS } from '#contract/alerts/alerts.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import type { Channels } from '#server/channels/channels.ts';
import type { Every } from '#server/timer.ts';
import { alertDeliveries, type DeliveriesDeps } from './deliveries.ts';
import { openJudging, UNKNOWN_MS, type JudgingDeps } from './judging.ts';

/** The time between two checks for changes, ms. */
const LOOK_MS = 250;
/** The time for which a removed alert can be restored, and between two removals of what is over, ms. */
const RESTORABLE_MS = 30 * MINUTE_MS;

export interface AlertLoopDeps extends JudgingDeps, Pick<DeliveriesDeps, 'causes' | 'site'> {
  readonly channels: Channels;
  readonly every: Every;
  /** True for a login that there is; nobody's alerts go on. */
  readonly isLogin: (id: string) => boolean;
}

/** Judges the alerts of a service and delivers their messages several times a second, and removes what is over. */
export function openAlertLoop(deps: AlertLoopDeps) {
  const { table, platform, every, now, log } = deps;
  const stopping = new AbortController();
  /** True if some ms have passed since a time; a clock that was set back is no reason to wait. */
  const isOver = (since: number, ms: number): boolean => Math.abs(now() - since) >= ms;
  const alerts = openJudging(deps, isOver, stopping.signal);
  const deliveries = alertDeliveries({ ...deps, alertOf: alerts.find, stopping: stopping.signal });

  const remove = (id: string): boolean => {
    alerts.forget(id);
    return table.remove(id, now());
  };
  /** Removes the alerts of logins that were removed: nobody could see them, or end what they send. */
  const dismiss = (): void => {
    const all = alerts.list();
    const gone = new Set(all.map(({ login }) => login));
    for (const login of gone) if (login === '' || deps.isLogin(login)) gone.delete(login);
    for (const { id, login } of all) if (gone.has(login)) remove(id);
  };
  let purgedAt = -Infinity;
  const purge = (): void => {
    if (!isOver(purgedAt, RESTORABLE_MS)) return;
    purgedAt = now();
    table.purge(now() - RESTORABLE_MS);
    table.age(now() - MESSAGE_DAYS * DAY_MS);
  };
  const look = async (): Promise<void> => {
    purge();
    // Without an alert nothing is read: that would load what each Post changes several times a second.
    if (alerts.list().length === 0) return;
    dismiss();
    await alerts.look();
    deliveries.send();
  };
  let judging: Promise<void> | null = null;
  let brokenAt = -Infinity;
  const stop = every(LOOK_MS, () => {
    if (!isOver(brokenAt, UNKNOWN_MS)) return null;
    judging ??= look()
      .catch((error: unknown) => {
        // The file, such as on a full disk: nothing is lost, and the next attempt may find room.
        log(`Alerts wait: ${errorMessage(error)}`);
        brokenAt = now();
      })
      .finally(() => (judging = null));
    // Receivers that hang do not delay the next look.
    return judging.then(deliveries.idle);
  });

  return {
    /** The alerts as they were judged last. */
    list: alerts.list,
    watch: alerts.watch,
    /** Removes an alert, which can be restored for a while. @returns False if there is no such alert. */
    remove,
    /** Aborts when the loop is closed. */
    signal: stopping.signal,
    /** Ends what is being sent; it is sent again after the next start. */
    close: async (): Promise<void> => {
      stop();
      stopping.abort();
      platform?.close();
      await judging;
      await deliveries.idle();
    },
  };
}
