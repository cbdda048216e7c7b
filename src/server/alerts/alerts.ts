import { setImmediate } from 'node:timers/promises';
import {
  MAX_ALERTS,
  MESSAGE_DAYS,
  WATCHED,
  type AlertBackTest,
  type AlertSettings,
  type BackTestOrder,
  type WatchedTopic,
} from '#contract/alerts/alerts.ts';
import { isListedOnly, LATEST_MS, type AlertMessage } from '#core/alerts/alert.ts';
import type { ChosenFactor } from '#core/alerts/budget.ts';
import { startAlert, type AlertState, type PastCounts } from '#core/alerts/state.ts';
import { usdText } from '#core/format/number-text.ts';
import { errorMessage, toError } from '#core/thrown.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { Channels } from '#server/channels/channels.ts';
import type { CountAll } from '#server/counting/counter.ts';
import type { Every } from '#server/timer.ts';
import type { AlertTable, StoredAlert } from './alert-table.ts';
import { alertDeliveries, type DeliveriesDeps } from './deliveries.ts';
import { sendingTime } from './quiet-hours.ts';
import type { PlatformWatch } from './platform-watch.ts';
import { backTest, beginWatch, bucketsToJudge, judge } from './watch.ts';

/** Alerts that are judged and stored at once. */
const AT_ONCE = 25;
/** The time between two checks for changes, ms. */
const LOOK_MS = 250;
/** The time after which an alert is judged again although nothing has changed, and where that is not known or it failed, ms. */
const IDLE_MS = MINUTE_MS;
const UNKNOWN_MS = 10 * SECOND_MS;
/** The time for which a removed alert can be restored, and between two removals of what is over, ms. */
const RESTORABLE_MS = 30 * MINUTE_MS;

/** A mistake of the user. The message is a sentence. */
export class AlertError extends Error {
  override readonly name = 'AlertError';
}

/** The alerts of a service. */
export type Alerts = ReturnType<typeof openAlerts>;

export interface AlertsDeps extends Pick<DeliveriesDeps, 'causes' | 'site'> {
  readonly table: AlertTable;
  /** Counts as they are now, without the time that a request for counts lags. */
  readonly count: CountAll;
  /** Buys the counts of the platform; null where nothing does. */
  readonly platform: PlatformWatch | null;
  /** The present revision of a source; null if that is not known without counting, or the source is not there. */
  readonly revision: (source: WatchedTopic['source']) => SourceRevision | null;
  readonly channels: Channels;
  readonly every: Every;
  /** True for a login that there is; nobody's alerts go on. */
  readonly isLogin: (id: string) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** A revision of a source. */
export interface SourceRevision {
  readonly revision: number;
  readonly mark: string;
  /** The spans in which counts may differ from those at an earlier one, ascending; null if that is not known. */
  readonly since: (earlier: SourceRevision) => readonly Span[] | null;
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

/** An alert, and when it was last judged. */
interface Watched {
  alert: StoredAlert;
  /** Null before the first time since the start, and if it is not known. */
  revision: SourceRevision | null;
  /** Epoch ms. */
  judgedAt: number;
  /** As it is in the file. */
  stored: AlertState;
  /** The time from which on counts changed since its local day began, epoch ms. */
  changedToday: number;
}

/** The time from which on counts may have changed since an alert was judged, asked for once for each revision. */
function changesBefore(is: SourceRevision | null): (each: Watched) => number {
  const known = new Map<string, number>();
  return ({ revision, alert }) => {
    if (!revision || !is) return -Infinity;
    let from = known.get(revision.mark);
    if (from === undefined) {
      const spans = is.since(revision);
      from = spans ? (spans[0]?.start ?? Infinity) : -Infinity;
      known.set(revision.mark, from);
    }
    return Math.min(alert.state.at, from);
  };
}

/** Opens the alerts of a service, and judges and delivers them. */
export function openAlerts(deps: AlertsDeps) {
  const { table, count, platform, revision, channels, every, now, log } = deps;
  const stopping = new AbortController();
  const watched = new Map<string, Watched>();
  const deliveries = alertDeliveries({
    ...deps,
    alertOf: (id) => watched.get(id)?.alert,
    stopping: stopping.signal,
  });
  const watch = (alert: StoredAlert): void => {
    const judged = { judgedAt: -Infinity, stored: alert.state, changedToday: -Infinity };
    watched.set(alert.id, { alert, revision: null, ...judged });
  };
  for (const alert of table.list()) watch(alert);

  /** True if some ms have passed since a time; a clock that was set back is no reason to wait. */
  const isOver = (since: number, ms: number): boolean => Math.abs(now() - since) >= ms;
  /** The time at which a message is sent; null for one that is listed only. */
  const dueAt =
    ({ settings: { quiet, zone }, state }: StoredAlert) =>
    (message: AlertMessage): number | null => {
      // While the service did not run, nothing could be seen: that is listed, and no reason to ring.
      const slept = message.kind === 'cannot-see' && now() - state.at > LATEST_MS;
      return isListedOnly(message) || slept ? null : sendingTime(quiet, zone, now());
    };

  const failed = (each: Watched, error: unknown): void => {
    const { alert } = each;
    const fault = errorMessage(error);
    if (fault !== alert.fault) {
      log(`The alert “${alert.settings.name}” cannot be judged: ${fault}`);
      table.fail(alert.id, fault);
    }
    each.alert = { ...alert, fault };
    each.revision = null;
    each.changedToday = -Infinity;
  };
  /** Judges alerts over one state of their source. */
  const judgeAll = async (
    source: WatchedTopic['source'],
    due: readonly Watched[],
    is: SourceRevision | null,
  ): Promise<void> => {
    const at = now();
    const since = changesBefore(is);
    const asked = due.map((each) => {
      const recent = since(each);
      const today = Math.min(each.changedToday, recent);
      const { query } = each.alert.settings;
      return { each, today, query, bounds: bucketsToJudge(each.alert, at, { recent, today }) };
    });
    const answers = await count(source, asked, stopping.signal).catch((error: unknown) =>
      asked.map(() => toError(error)),
    );
    for (let first = 0; first < asked.length && !stopping.signal.aborted; first += AT_ONCE) {
      // Requests are answered between two writes.
      if (first > 0) await setImmediate();
      const steps = asked.slice(first, first + AT_ONCE).flatMap(({ each, bounds, today }, i) => {
        each.judgedAt = at;
        // An alert that was removed meanwhile says nothing.
        if (watched.get(each.alert.id) !== each) return [];
        const answer = answers?.[first + i];
        try {
          if (!answer || answer instanceof Error) throw answer;
          const fault = source === 'platform' ? (platform?.faultOf(each.alert) ?? null) : null;
          const { counts, reach } = answer;
          return [{ each, today, fault, ...judge(each.alert, { bounds, counts, reach }, at) }];
        } catch (error) {
          failed(each, error);
          return [];
        }
      });
      const stored = steps.filter(
        ({ each: { alert }, messages, fault }) => messages.length > 0 || alert.fault !== fault,
      );
      table.step(
        stored.map(({ each: { alert }, state, messages, fault }) => {
          return { alert, state, messages, fault, dueAt: dueAt(alert) };
        }),
      );
      for (const { each, state } of stored) each.stored = state;
      for (const { each, state, begins, today, fault } of steps) {
        each.alert = { ...each.alert, state, fault };
        each.revision = is;
        each.changedToday = begins ? Infinity : today;
      }
    }
  };

  /**
   * Stores up to some states without a message in which a bucket was closed, or that are an hour newer than those in the
   * file. Counts tell a restart what it missed, so that these can wait: all alerts of a zone close their buckets at once.
   */
  const store = (): void => {
    const newer = [...watched.values()].filter(
      ({ alert: { state }, stored }) =>
        state.open !== stored.open || Math.abs(state.at - stored.at) >= HOUR_MS,
    );
    const some = newer.slice(0, AT_ONCE);
    table.step(
      some.map(({ alert }) => {
        const { state, fault } = alert;
        return { alert, state, messages: [], fault, dueAt: dueAt(alert) };
      }),
    );
    for (const each of some) each.stored = each.alert.state;
  };

  const removeOne = (id: string): boolean => {
    watched.delete(id);
    return table.remove(id, now());
  };
  /** Removes the alerts of logins that were removed: nobody could see them, or end what they send. */
  const dismiss = (): void => {
    const logins = new Set([...watched.values()].map(({ alert }) => alert.login));
    for (const login of logins) {
      if (login === '' || deps.isLogin(login)) continue;
      for (const { alert } of watched.values()) if (alert.login === login) removeOne(alert.id);
    }
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
    if (watched.size === 0) return;
    dismiss();
    for (const source of WATCHED) {
      const is = revision(source);
      const due = [...watched.values()].filter(({ alert, revision: as, judgedAt }) => {
        if (alert.settings.source !== source) return false;
        if (source === 'platform') {
          return platform?.look(alert) === true || isOver(judgedAt, IDLE_MS);
        }
        const rest = is && !alert.fault ? (is.mark === as?.mark ? IDLE_MS : 0) : UNKNOWN_MS;
        return isOver(judgedAt, rest);
      });
      if (due.length > 0) await judgeAll(source, due, is);
    }
    store();
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
    if (watched.size < MAX_ALERTS) return;
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
    list: (login: string): StoredAlert[] =>
      [...watched.values()].flatMap(({ alert }) => (alert.login === login ? [alert] : [])),
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
      watch(alert);
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
      watch(found(id));
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
