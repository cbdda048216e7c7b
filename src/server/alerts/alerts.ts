import {
  MAX_ALERTS,
  MESSAGE_DAYS,
  type AlertBackTest,
  type AlertSettings,
  type BackTestOrder,
  type WatchedTopic,
} from '#contract/alerts/alerts.ts';
import type { AlertMessage } from '#core/alerts/alert.ts';
import type { ChosenFactor } from '#core/alerts/budget.ts';
import { startAlert, type PastCounts } from '#core/alerts/state.ts';
import { usdText } from '#core/format/number-text.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import type { Channels } from '#server/channels/channels.ts';
import type { Every } from '#server/timer.ts';
import type { StoredAlert } from './alert-table.ts';
import { alertDeliveries, type DeliveriesDeps } from './deliveries.ts';
import type { PlatformWatch } from './platform-watch.ts';
import { openJudging, UNKNOWN_MS, type JudgingDeps } from './judging.ts';
import { backTest, beginWatch } from './watch.ts';

/** The time between two checks for changes, ms. */
const LOOK_MS = 250;
/** The time for which a removed alert can be restored, and between two removals of what is over, ms. */
const RESTORABLE_MS = 30 * MINUTE_MS;

/** A mistake of the user. The message is a sentence. */
export class AlertError extends Error {
  override readonly name = 'AlertError';
}

/** The alerts of a service. */
export type Alerts = ReturnType<typeof openAlerts>;

export interface AlertsDeps extends JudgingDeps, Pick<DeliveriesDeps, 'causes' | 'site'> {
  readonly channels: Channels;
  readonly every: Every;
  /** True for a login that there is; nobody's alerts go on. */
  readonly isLogin: (id: string) => boolean;
}

/** The rule of a topic, and its messages over the last 13 weeks. */
export interface TestedAlert {
  readonly unit: 'hour' | 'day';
  /** Null if it rings for silence. */
  readonly factor: number | null;
  readonly chosen: ChosenFactor;
  readonly messages: readonly AlertMessage[];
  /** The counts that were judged. */
  readonly curve: PastCounts;
  readonly price?: NonNullable<AlertBackTest['price']>;
}

/** Opens the alerts of a service, and judges and delivers them. */
export function openAlerts(deps: AlertsDeps) {
  const { table, count, platform, channels, every, now, log } = deps;
  const stopping = new AbortController();
  /** True if some ms have passed since a time; a clock that was set back is no reason to wait. */
  const isOver = (since: number, ms: number): boolean => Math.abs(now() - since) >= ms;
  const alerts = openJudging(deps, isOver, stopping.signal);
  const deliveries = alertDeliveries({ ...deps, alertOf: alerts.find, stopping: stopping.signal });

  const removeOne = (id: string): boolean => {
    alerts.forget(id);
    return table.remove(id, now());
  };
  /** Removes the alerts of logins that were removed: nobody could see them, or end what they send. */
  const dismiss = (): void => {
    const all = alerts.list();
    const gone = new Set(all.map(({ login }) => login));
    for (const login of gone) if (login === '' || deps.isLogin(login)) gone.delete(login);
    for (const { id, login } of all) if (gone.has(login)) removeOne(id);
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

  const checkRoom = (): void => {
    if (alerts.list().length < MAX_ALERTS) return;
    throw new AlertError(`There are ${MAX_ALERTS} alerts already. Remove one first.`);
  };
  /** The watch over the platform for a topic of it; null if its counts cost nothing. */
  const platformOf = ({ source }: Pick<WatchedTopic, 'source'>): PlatformWatch | null => {
    if (source !== 'platform') return null;
    if (platform) return platform;
    throw new AlertError('The platform is watched by a running service: start it first.');
  };
  const refuseBeyond = (price: number, agreed: number | undefined): void => {
    if (price <= (agreed ?? -1)) return;
    const said = agreed === undefined ? '' : `, more than the agreed ${usdText(agreed)}`;
    throw new AlertError(
      `This alert costs up to ${usdText(price)} a month${said}. It was not saved: agree to that price.`,
    );
  };
  const found = (id: string): StoredAlert => {
    const alert = table.find(id);
    if (!alert) throw new AlertError(`There is no alert ${id}.`);
    return alert;
  };

  return {
    /** Kinds of channel that messages can go to. */
    kinds: channels.kinds,
    list: (login: string): StoredAlert[] => alerts.list().filter((alert) => alert.login === login),
    /** The reason that the last message to a channel was not delivered; null if it was. */
    channelFault: table.channelFault,
    /**
     * @throws {@link AlertError} for a mistake, and for a price that was not agreed; `FetchError` for an address that may not be sent to; as `Counter.count`
     *   for a query that cannot be counted.
     */
    add: async (login: string, settings: AlertSettings): Promise<StoredAlert> => {
      checkRoom();
      settings.channels.forEach(channels.check);
      const at = now();
      const source = platformOf(settings);
      const { rule, chosen, present } = await beginWatch(count, settings, at, stopping.signal);
      if (source) refuseBeyond(source.monthPrice(settings.query, rule.unit), settings.agreed);
      checkRoom();
      const state = startAlert(rule, at, at, present);
      const id = table.add({
        login,
        settings,
        rule: { ...rule, weeks: chosen.weeks },
        state,
        createdAt: at,
      });
      const alert = found(id);
      alerts.watch(alert);
      return alert;
    },
    /**
     * The messages that a topic would have had over the last 13 weeks.
     *
     * @throws {@link AlertError} and `PlatformStop` where the platform is not connected or sells no more; as
     *   `Counter.count`.
     */
    backTest: async (
      login: string,
      { agreed = 0, ...topic }: BackTestOrder,
    ): Promise<TestedAlert> => {
      const source = platformOf(topic);
      const history = await source?.history(topic, agreed, login);
      const begun = await beginWatch(count, topic, now(), stopping.signal);
      const { rule, chosen } = begun;
      return {
        unit: rule.unit,
        factor: rule.direction === 'rise' ? rule.factor : null,
        chosen,
        ...backTest(begun),
        ...(source &&
          history !== undefined && {
            price: { month: source.monthPrice(topic.query, rule.unit), history },
          }),
      };
    },
    /** Sends a test to each channel. @throws {@link AlertError} if there is no such alert of the login, or no channel. */
    test: (login: string, id: string): StoredAlert => {
      const alert = found(id);
      if (alert.login !== login) throw new AlertError(`There is no alert ${id}.`);
      if (alert.settings.channels.length === 0) {
        throw new AlertError(`The alert “${alert.settings.name}” sends to no channel.`);
      }
      table.test(alert, now());
      return alert;
    },
    /** @returns False if there is no such alert of the login. */
    remove: (login: string, id: string): boolean => {
      if (table.find(id)?.login !== login) return false;
      return removeOne(id);
    },
    /** @returns False if the login removed none of that id. @throws {@link AlertError} if there is no room. */
    restore: (login: string, id: string): boolean => {
      checkRoom();
      if (!table.restore(login, id)) return false;
      alerts.watch(found(id));
      return true;
    },
    /** The newest messages of a login, or those before one. */
    messages: table.messages,
    /** The number of messages of a login that are not read. */
    unread: table.unread,
    /** A text that changes with the messages of a login. */
    mark: table.mark,
    /** Marks messages up to a time, epoch ms, as read. @returns The number that are not. */
    read: (login: string, until: number): number => {
      table.read(login, until);
      return table.unread(login);
    },
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
