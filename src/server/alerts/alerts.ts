import {
  MAX_ALERTS,
  type AlertBackTest,
  type AlertSettings,
  type BackTestOrder,
  type WatchedTopic,
} from '#contract/alerts/alerts.ts';
import type { ChosenFactor } from '#core/alerts/budget.ts';
import { startAlert, type PastCounts } from '#core/alerts/state.ts';
import { usdText } from '#core/format/number-text.ts';
import { openAlertLoop, type AlertLoopDeps } from './alert-loop.ts';
import type { StoredAlert } from './alert-table.ts';
import type { PlatformWatch } from './platform-watch.ts';
import { backTest, beginWatch } from './watch.ts';
import type { AlertMessage } from '#core/alerts/alert-message.ts';

/** A mistake of the user. The message is a sentence. */
export class AlertError extends Error {
  override readonly name = 'AlertError';
}

/** The alerts of a service. */
export type Alerts = ReturnType<typeof openAlerts>;

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

/** Opens the alerts of a service, which are judged and delivered until they are closed. */
export function openAlerts(deps: AlertLoopDeps) {
  const { table, count, platform, channels, now } = deps;
  const alerts = openAlertLoop(deps);

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
      const { rule, chosen, present } = await beginWatch(count, settings, at, alerts.signal);
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
      const begun = await beginWatch(count, topic, now(), alerts.signal);
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
      return alerts.remove(id);
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
    close: alerts.close,
  };
}
