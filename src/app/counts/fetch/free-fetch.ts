import { isAway, unreachable } from '#app/api/answer-fault.ts';
import type { Plan, Purpose, Tally } from '#app/counts/cache/records.ts';
import type { PlanApproval } from './approval.svelte.ts';
import type { LoadServices } from './load-request.ts';
import type { LoadSession } from './load-session.ts';
import type { Tabs } from '#app/counts/tabs.ts';
import type { DayWindow } from '#core/counts/day-windows.ts';

/**
 * Runs only one piece of work per name at a time, across all tabs.
 *
 * @param onBusy - Called before waiting for another tab.
 */
export type TabLock = (
  name: string,
  signal: AbortSignal,
  work: () => Promise<void>,
  onBusy?: () => void,
) => Promise<void>;

export interface FetchServices extends LoadServices {
  readonly lock: TabLock;
  readonly tabs: Tabs;
  readonly approval: PlanApproval;
}

/** The members of a run that a fetch updates. */
export interface Fetched {
  phase: 'planned' | 'fetching' | 'paused' | 'cancelled' | (string & {});
  progress: { done: number; total: number };
  plan: Plan | null;
  made: Tally;
  offline: boolean;
  elsewhere: { done: number; total: number } | null;
  overtaken(): AbortSignal;
}

/** The number of times a run fetches again because the store changed in the meantime. */
const ROUNDS = 3;

/** Runs work on a session while no other tab is fetching its series. */
export async function withLock(
  session: LoadSession,
  lock: TabLock,
  work: () => Promise<void>,
  onBusy?: () => void,
): Promise<void> {
  const { key, signal } = session.target;
  const locked = async (): Promise<void> => {
    session.busy = true;
    try {
      await work();
    } finally {
      session.busy = false;
    }
  };
  await lock(`groundswell ${key}`, signal, locked, onBusy);
  signal.throwIfAborted();
}

/** Reloads if the store has changed. Without the service, keeps what is known. */
async function followChanges(
  run: Fetched,
  session: LoadSession,
  deps: FetchServices,
): Promise<void> {
  const { need, signal } = session.target;
  const seen = (): string => JSON.stringify([session.row.invalidated, session.covered]);
  const before = seen();
  try {
    const row = await deps.changes.follow(need.source);
    signal.throwIfAborted();
    run.offline = false;
    session.row = row;
  } catch (error) {
    signal.throwIfAborted();
    if (!isAway(error)) throw error;
    run.offline = true;
  }
  if (seen() === before) return;
  await session.reopen();
  await session.render();
}

/** Fetches what is missing from a free source, and again if the store changed in the meantime. */
export async function fetchOwn(
  run: Fetched,
  session: LoadSession,
  deps: FetchServices,
): Promise<void> {
  const { need } = session.target;
  if (need.policy.reportsChanges) await followChanges(run, session, deps);
  const planned = session.scheduler.plan().length;
  if (planned === 0) return;
  if (run.offline) throw unreachable('the service didn’t say what changed');
  run.phase = 'fetching';
  run.progress = { done: 0, total: planned };
  let paid = 0;
  let dropped = false;
  const { key: store } = session.row;
  const unhear = deps.changes.onRestored((key) => (dropped ||= key === store));
  try {
    await withLock(session, deps.lock, async () => {
      for (let round = 1; ; round += 1) {
        await session.reopen(paid);
        // The store keeps changing: the last changes are shown as provisional, and fetched next time.
        if (round > ROUNDS) return;
        const { scheduler } = session;
        await scheduler.fetchAll();
        if (scheduler.failures.length > 0) return;
        if (!dropped && scheduler.revision <= session.row.revision) return;
        paid = run.progress.done;
        session.row = await deps.changes.follow(need.source);
        dropped = false;
      }
    });
  } finally {
    unhear();
  }
}

/** Buys known spans once more and compares the answers. */
export async function fetchAgain(
  session: LoadSession,
  windows: readonly DayWindow[],
  purpose: Purpose,
  { lock, tabs }: FetchServices,
): Promise<void> {
  await withLock(session, lock, async () => {
    await session.reopen();
    try {
      await session.scheduler.compare(windows, purpose);
    } finally {
      tabs.send({ series: session.target.key, progress: null });
    }
  });
}
