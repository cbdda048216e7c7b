import { unreachable } from '#app/api/answer-fault.ts';
import type { Window } from '#core/counts/plan.ts';
import { usd } from '#core/counts/price.ts';
import type { Purpose, RunRow, Tally } from './cache-port.ts';
import { agreedTo, planOf } from './agreement.ts';
import type { Changes } from './changes.ts';
import type { Plan, PlanGate } from './gate.svelte.ts';
import type { Keeping } from './keeper-port.ts';
import type { Looking } from './looking.ts';
import type { Terms } from './policy.ts';
import type { Tabs } from './tabs.ts';

/**
 * Lets one fetcher of a name run at a time; the others wait, in this tab and in others.
 *
 * @param onBusy - Called where another one holds the name, before waiting.
 */
export type Lock = (
  name: string,
  signal: AbortSignal,
  work: () => Promise<void>,
  onBusy?: () => void,
) => Promise<void>;

export interface FetchingDeps {
  readonly keeper: Keeping;
  readonly changes: Changes;
  readonly lock: Lock;
  readonly tabs: Tabs;
  readonly gate: PlanGate;
}

/** What a fetch moves on in the run that shows it. */
export interface Fetched {
  phase: 'planned' | 'fetching' | 'paused' | 'cancelled' | (string & {});
  progress: { done: number; total: number };
  plan: Plan | null;
  made: Tally;
  offline: boolean;
}

/** How often a run looks again at a store that changes while it is read. */
const ROUNDS = 3;

const NOTHING: Tally = { requests: 0, money: 0, bytes: 0 };

const sum = (a: Tally, b: Tally): Tally => ({
  requests: a.requests + b.requests,
  money: usd(a.money + b.money),
  bytes: a.bytes + b.bytes,
});

/** Works at the desk of a look while no other tab fetches its series. */
async function alone(
  looking: Looking,
  lock: Lock,
  work: () => Promise<void>,
  onBusy?: () => void,
): Promise<void> {
  const { key, signal } = looking.of;
  const atDesk = async (): Promise<void> => {
    looking.busy = true;
    try {
      await work();
    } finally {
      looking.busy = false;
    }
  };
  await lock(`groundswell ${key}`, signal, atDesk, onBusy);
  signal.throwIfAborted();
}

/** Own posts: asks what is missing, and again where the store changed meanwhile. Nothing of it costs anything. */
export async function fetchOwn(run: Fetched, looking: Looking, deps: FetchingDeps): Promise<void> {
  const { need } = looking.of;
  const planned = looking.asking.plan().length;
  if (planned === 0) return;
  if (run.offline) throw unreachable('it could not be asked what changed');
  run.phase = 'fetching';
  run.progress = { done: 0, total: planned };
  let paid = 0;
  await alone(looking, deps.lock, async () => {
    for (let round = 1; ; round += 1) {
      await looking.reopen(paid);
      // It goes on changing: what changed last is shown as provisional, and asked by the next look.
      if (round > ROUNDS) return;
      const { asking } = looking;
      await asking.all();
      if (asking.failures.length > 0 || asking.revision <= looking.row.revision) return;
      paid = run.progress.done;
      looking.row = await deps.changes.follow(need.source);
    }
  });
}

/**
 * A priced source: takes what the service has for nothing, plans the rest, has that agreed to, and buys it.
 *
 * @param name - Of the series, for the plan.
 * @param read - Told when it is known what will be planned, or that it has to wait for another tab.
 * @returns Whether it came to its end; else it is paused, or was not agreed to.
 */
export async function fetchPriced(
  run: Fetched,
  looking: Looking,
  terms: Terms,
  deps: FetchingDeps,
  name: string,
  read: () => void,
): Promise<boolean> {
  const { key, force, signal } = looking.of;
  const { keeper, lock, gate } = deps;
  if (force && looking.opened.asks.some(({ failed }) => failed)) {
    for (const { id, failed } of looking.opened.asks) if (failed) await keeper.dropAsk(id);
    await looking.reopen();
  }
  let held = 0;
  const open = looking.opened.asks.some(({ failed }) => failed === null);
  if (open || looking.asking.plan().length > 0) {
    const given = async (): Promise<void> => {
      await looking.reopen();
      await looking.asking.recover();
      held = await looking.asking.takeHeld();
    };
    await alone(looking, lock, given, read);
    await looking.draw();
  }
  const plan = planOf(looking.asking.need(), held, terms);
  const pages = plan.recent + plan.all;
  const { run: row } = looking.opened;
  const before = row && { ...row, made: sum(row.made, run.made) };
  run.plan = pages + held > 0 ? plan : null;
  if (pages === 0) {
    if (before) await keeper.putRun(key, null);
    signal.throwIfAborted();
    return true;
  }
  if (before?.paused) {
    run.made = before.made;
    run.phase = 'paused';
    return false;
  }
  let agreed = agreedTo(before, plan);
  if (!agreed) {
    run.phase = 'planned';
    const passing = gate.pass(name, plan, signal);
    read();
    if (!(await passing)) {
      run.phase = 'cancelled';
      return false;
    }
    const all = { requests: pages, money: plan.money, bytes: plan.bytes };
    const { granularity, span } = plan;
    agreed = { series: key, granularity, span, paused: false, agreed: all, made: NOTHING };
  }
  return await buy(run, looking, agreed, deps);
}

async function buy(
  run: Fetched,
  looking: Looking,
  agreed: RunRow,
  { keeper, lock, tabs }: FetchingDeps,
): Promise<boolean> {
  const { key } = looking.of;
  run.made = agreed.made;
  run.phase = 'fetching';
  run.progress = { done: 0, total: agreed.agreed.requests - agreed.made.requests };
  let left: RunRow | null = null;
  await alone(looking, lock, async () => {
    await looking.reopen();
    await keeper.putRun(key, agreed);
    try {
      await looking.asking.all();
    } finally {
      tabs.tell({ series: key, progress: null });
    }
    if (looking.asking.stopped) left = { ...agreed, made: run.made, paused: true };
    await keeper.putRun(key, left);
  });
  looking.opened = { ...looking.opened, run: left };
  if (left) run.phase = 'paused';
  return left === null;
}

/** Buys owned spans once more; what they say is held against what is known. */
export async function fetchAgain(
  looking: Looking,
  windows: readonly Window[],
  purpose: Purpose,
  { lock }: FetchingDeps,
): Promise<void> {
  await alone(looking, lock, async () => {
    await looking.reopen();
    await looking.asking.compare(windows, purpose);
  });
}
