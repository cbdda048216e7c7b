import { unreachable } from '#app/api/answer-fault.ts';
import { raise } from '#core/counts/ledger.ts';
import type { Window } from '#core/counts/plan.ts';
import { usd } from '#core/counts/price.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { Purpose, RunRow, Tally } from './cache-port.ts';
import { agreedTo, pagesOf, planOf } from './agreement.ts';
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
  elsewhere: { done: number; total: number } | null;
  overtaken(): AbortSignal;
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
  const undo = looking.of.again ? await raiseAll(looking, keeper) : null;
  let held = 0;
  const open = looking.opened.asks.some(({ failed }) => failed === null);
  if (open || looking.asking.plan().length > 0) {
    const given = async (): Promise<void> => {
      // Who told of fetching it may have gone away in the middle.
      run.elsewhere = null;
      await looking.reopen();
      await looking.asking.recover();
      held = await looking.asking.takeHeld();
    };
    await alone(looking, lock, given, read);
    await looking.draw();
  }
  const rest = planOf(looking.asking.need(), held, terms);
  const pages = pagesOf(rest);
  const { run: row } = looking.opened;
  // What was recovered just now has been counted in the cache as well.
  const before = row && { ...row, made: sum(row.made, run.made) };
  const agreed = agreedTo(before, rest);
  run.plan = agreed?.plan ?? (pages + held > 0 ? rest : null);
  if (agreed) show(run, agreed, pages);
  if (pages === 0) {
    if (before) await keeper.putRun(key, null);
    signal.throwIfAborted();
    return true;
  }
  if (before?.paused) {
    run.phase = 'paused';
    return false;
  }
  if (agreed) return await buy(run, looking, agreed, pages, deps);
  run.phase = 'planned';
  const overtaken = run.overtaken();
  const passing = gate.pass(name, rest, AbortSignal.any([signal, overtaken]), looking.of.again);
  read();
  const go = await passing.catch(() => null);
  signal.throwIfAborted();
  if (go === null) {
    // What waited here is being bought in another tab: what that one leaves is planned then.
    run.phase = 'reading';
    await undo?.();
    return await fetchPriced(run, looking, terms, deps, name, () => undefined);
  }
  if (!go) {
    await undo?.();
    run.phase = 'cancelled';
    return false;
  }
  const fresh = { series: key, plan: rest, paused: false, made: NOTHING };
  await keeper.putRun(key, fresh);
  signal.throwIfAborted();
  show(run, fresh, pages);
  return await buy(run, looking, fresh, pages, deps);
}

/**
 * Has every whole day of a look bought again: from now on older answers are out of date there.
 *
 * @returns What leaves it as it was, while nothing of it has been bought.
 */
async function raiseAll(looking: Looking, keeper: Keeping): Promise<() => Promise<void>> {
  const { look } = looking.asking.need();
  const { series } = looking;
  const before = looking.opened.raised;
  const start = Math.ceil(Math.max(look.view.start, look.reach.start) / DAY_MS) * DAY_MS;
  const end = Math.floor(Math.min(look.view.end, look.now) / DAY_MS) * DAY_MS;
  await keeper.putRaised(series, raise(before, [{ start, end }], look.now));
  await looking.reopen();
  return async () => {
    await keeper.putRaised(series, before);
    await looking.reopen();
  };
}

/** Shows what was agreed to and how far it is. @param left - Pages still to be bought. */
function show(run: Fetched, { plan, made }: RunRow, left: number): void {
  const total = pagesOf(plan);
  run.made = made;
  run.progress = { done: total - left, total };
}

async function buy(
  run: Fetched,
  looking: Looking,
  agreed: RunRow,
  left: number,
  { keeper, lock, tabs }: FetchingDeps,
): Promise<boolean> {
  const { key } = looking.of;
  run.phase = 'fetching';
  let paused: RunRow | null = null;
  await alone(looking, lock, async () => {
    run.elsewhere = null;
    await looking.reopen(pagesOf(agreed.plan) - left);
    try {
      await looking.asking.all();
    } finally {
      tabs.tell({ series: key, progress: null });
    }
    if (looking.asking.stopped) paused = await keeper.pauseRun(key, true);
    else await keeper.putRun(key, null);
  });
  looking.opened = { ...looking.opened, run: paused };
  if (paused) run.phase = 'paused';
  return paused === null;
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
