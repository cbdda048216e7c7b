import { setImmediate } from 'node:timers/promises';
import { WATCHED, type WatchedTopic } from '#contract/alerts/alerts.ts';
import { LATEST_MS } from '#core/alerts/alert.ts';
import type { AlertState } from '#core/alerts/state.ts';
import { errorMessage, toError } from '#core/thrown.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { CountAll } from '#server/counting/counter.ts';
import type { Machine } from '#server/machine.ts';
import type { AlertTable, StoredAlert } from './alert-table.ts';
import type { PlatformWatch } from './platform-watch.ts';
import { sendingTime } from './quiet-hours.ts';
import { bucketsToJudge, judge } from './watch.ts';
import { isListedOnly, type AlertMessage } from '#core/alerts/alert-message.ts';

/** Alerts that are judged and stored at once. */
const AT_ONCE = 25;
/** The time after which an alert is judged again although nothing has changed, ms. */
const IDLE_MS = MINUTE_MS;
/** The time after which it is judged again where changes are not known or it failed, ms. */
export const UNKNOWN_MS = 10 * SECOND_MS;

/** A revision of a source. */
export interface SourceRevision {
  readonly revision: number;
  readonly mark: string;
  /** The spans in which counts may differ from those at an earlier one, ascending; null if that is not known. */
  readonly since: (earlier: SourceRevision) => readonly Span[] | null;
}

export interface JudgingDeps extends Pick<Machine, 'now' | 'log'> {
  readonly table: AlertTable;
  /** Counts as they are now, without the time that a request for counts lags. */
  readonly count: CountAll;
  /** Buys the counts of the platform; null where nothing does. */
  readonly platform: PlatformWatch | null;
  /** The present revision of a source; null if that is not known without counting, or the source is not there. */
  readonly revision: (source: WatchedTopic['source']) => SourceRevision | null;
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

/**
 * Opens the alerts in a table to judge them.
 *
 * @param isOver - True if some ms have passed since a time.
 * @param signal - Ends the judging.
 */
export function openJudging(
  { table, count, platform, revision, now, log }: JudgingDeps,
  isOver: (since: number, ms: number) => boolean,
  signal: AbortSignal,
) {
  const watched = new Map<string, Watched>();
  const watch = (alert: StoredAlert): void => {
    const judged = { judgedAt: -Infinity, stored: alert.state, changedToday: -Infinity };
    watched.set(alert.id, { alert, revision: null, ...judged });
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
    const answers = await count(source, asked, signal).catch((error: unknown) =>
      asked.map(() => toError(error)),
    );
    for (let first = 0; first < asked.length && !signal.aborted; first += AT_ONCE) {
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

  /** Judges the alerts whose counts may have changed since they were judged, or that waited for a minute. */
  const look = async (): Promise<void> => {
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
  };

  return {
    watch,
    look,
    find: (id: string): StoredAlert | undefined => watched.get(id)?.alert,
    list: (): StoredAlert[] => [...watched.values()].map(({ alert }) => alert),
    /** An alert that is being judged says nothing after this. */
    forget: (id: string): void => void watched.delete(id),
  };
}
