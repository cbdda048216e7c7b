import {
  MAX_ALERTS,
  MAX_MESSAGES,
  MESSAGE_DAYS,
  type AlertSettings,
  type WatchedTopic,
} from '#contract/alerts/alerts.ts';
import { isListedOnly, LATEST_MS, type AlertMessage } from '#core/alerts/alert.ts';
import type { ChosenFactor } from '#core/alerts/budget.ts';
import { startAlert } from '#core/alerts/state.ts';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { Channels } from '#server/channels/channels.ts';
import type { Every } from '#server/timer.ts';
import type { AlertTable, StoredAlert, StoredMessage } from './alert-table.ts';
import { alertDeliveries, type DeliveriesDeps } from './deliveries.ts';
import { sendingTime } from './quiet-hours.ts';
import { backTest, beginWatch, judge, type CountNow } from './watch.ts';

/** The time between two checks for changes, ms. */
const LOOK_MS = 250;
/** The time after which an alert is judged again although nothing has changed, and where that is not known, ms. */
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
  readonly count: CountNow;
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
}

/** An alert, and when it was last judged. */
interface Watched {
  alert: StoredAlert;
  /** Null before the first time since the start, and if it is not known. */
  revision: SourceRevision | null;
  /** Epoch ms. */
  judgedAt: number;
}

/** The time from which on counts may have changed since an alert was judged. */
function changedSince({ revision, judgedAt }: Watched, is: SourceRevision | null): number {
  const spans = revision && is?.since(revision);
  return spans ? Math.min(judgedAt, spans[0]?.start ?? Infinity) : -Infinity;
}

/** Opens the alerts of a service, and judges and delivers them. */
export function openAlerts(deps: AlertsDeps) {
  const { table, count, revision, channels, every, now, log } = deps;
  const stopping = new AbortController();
  const deliver = alertDeliveries({ ...deps, stopping: stopping.signal });
  const watched = new Map<string, Watched>();
  const watch = (alert: StoredAlert): void => {
    watched.set(alert.id, { alert, revision: null, judgedAt: -Infinity });
  };
  for (const alert of table.list()) watch(alert);

  /** The time at which a message is sent; null for one that is listed only. */
  const dueAt =
    ({ settings: { quiet, zone }, state }: StoredAlert) =>
    (message: AlertMessage): number | null => {
      // While the service did not run, nothing could be seen: that is listed, and no reason to ring.
      const slept = message.kind === 'cannot-see' && now() - state.at > LATEST_MS;
      return isListedOnly(message) || slept ? null : sendingTime(quiet, zone, now());
    };

  const judgeOne = async (each: Watched, as: SourceRevision | null): Promise<void> => {
    const { alert } = each;
    const { rule, settings: topic } = alert;
    try {
      const { state, messages } = await judge(
        count,
        { rule, state: alert.state, topic },
        now(),
        changedSince(each, as),
        stopping.signal,
      );
      // An alert that was removed meanwhile says nothing.
      if (watched.get(alert.id) !== each) return;
      // Counts tell a restart what it missed, so that only messages and the ends of buckets are written.
      const isOver = state.open !== alert.state.open;
      if (messages.length > 0 || isOver || alert.fault) {
        table.step(alert, state, messages, dueAt(alert));
      }
      each.alert = { ...alert, state, fault: null };
      each.revision = as;
    } catch (error) {
      if (stopping.signal.aborted) return;
      const fault = errorMessage(error);
      if (fault !== alert.fault) {
        log(`The alert “${alert.settings.name}” cannot be judged: ${fault}`);
        table.fail(alert.id, fault);
      }
      each.alert = { ...alert, fault };
      each.revision = null;
    }
    each.judgedAt = now();
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
    if (now() - purgedAt < RESTORABLE_MS) return;
    purgedAt = now();
    table.purge(now() - RESTORABLE_MS);
    table.age(now() - MESSAGE_DAYS * DAY_MS);
  };
  const look = async (): Promise<void> => {
    purge();
    // Without an alert nothing is read: that would load what each Post changes several times a second.
    if (watched.size === 0) return;
    dismiss();
    const revisions = { posts: revision('posts'), sample: revision('sample') };
    for (const each of watched.values()) {
      if (stopping.signal.aborted) return;
      const is = revisions[each.alert.settings.source];
      const rest = is === null ? UNKNOWN_MS : is.mark === each.revision?.mark ? IDLE_MS : 0;
      if (now() - each.judgedAt < rest) continue;
      await judgeOne(each, is);
    }
    await deliver((id) => watched.get(id)?.alert);
  };
  let judging: Promise<void> | null = null;
  const stop = every(LOOK_MS, () => {
    judging ??= look()
      .catch((error: unknown) => log(errorMessage(error)))
      .finally(() => (judging = null));
    return judging;
  });

  const checkRoom = (): void => {
    if (watched.size < MAX_ALERTS) return;
    throw new AlertError(`There are ${MAX_ALERTS} alerts already. Remove one first.`);
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
     * @throws {@link AlertError} for a mistake; `FetchError` for an address that may not be sent to; as `Counter.count`
     *   for a query that cannot be counted.
     */
    add: async (login: string, settings: AlertSettings): Promise<StoredAlert> => {
      checkRoom();
      settings.channels.forEach(channels.check);
      const at = now();
      const { rule, chosen, present } = await beginWatch(count, settings, at, stopping.signal);
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
    /** The messages that a topic would have had over the last 13 weeks. @throws As `Counter.count`. */
    backTest: async (topic: WatchedTopic): Promise<TestedAlert> => {
      const begun = await beginWatch(count, topic, now(), stopping.signal);
      const { rule, chosen } = begun;
      return {
        unit: rule.unit,
        factor: rule.direction === 'rise' ? rule.factor : null,
        chosen,
        messages: backTest(begun),
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
    /** The newest messages of a login, and how many are unread. */
    messages: (
      login: string,
    ): { readonly messages: readonly StoredMessage[]; readonly unread: number } => ({
      messages: table.messages(login, MAX_MESSAGES),
      unread: table.unread(login),
    }),
    /** Marks messages up to a time, epoch ms, as read. @returns The number that are not. */
    read: (login: string, until: number): number => {
      table.read(login, until);
      return table.unread(login);
    },
    close: async (): Promise<void> => {
      stop();
      stopping.abort();
      await judging;
    },
  };
}
