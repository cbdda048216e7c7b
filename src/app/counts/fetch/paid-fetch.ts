import { Fault } from '#contract/fault.ts';
import { pagesOf } from '#core/counts/price.ts';
import { DAY_MS, within, type Span } from '#core/time/span.ts';
import { addSums, addTallies, validApproval, planOf, unspent } from './agreement.ts';
import type { Foreign } from '#app/counts/need.ts';
import type { Plan, RunRow, Tally } from '#app/counts/cache/records.ts';
import { withLock, type Fetched, type FetchServices } from './free-fetch.ts';
import type { LoadSession } from './load-session.ts';
import { quotePlan } from './quote.ts';
import type { Terms } from '#app/counts/source-policy.ts';

/** The run and session that a purchase is for. */
export interface Purchase {
  readonly run: Fetched;
  readonly session: LoadSession;
  readonly terms: Terms;
  readonly deps: FetchServices;
  /** Name of the plan. */
  readonly name: string;
  /** Called once its plan is known, or once it has to wait for another tab. */
  readonly read: () => void;
}

const NOTHING: Tally = { requests: 0, money: 0, bytes: 0 };

/**
 * Fetches from a priced source: takes what the service already has for free, plans the rest, waits for approval, and
 * buys it. Plans again if more turns out to be needed than was approved.
 *
 * @returns Whether it was completed; else it was paused or declined.
 */
export async function fetchPriced(purchase: Purchase): Promise<boolean> {
  const { run, session, deps, name, read } = purchase;
  const { key, again, signal } = session.target;
  const { store, approval } = deps;
  await dropFailed(purchase);
  let further = false;
  if (again) await session.previewRebuy(wholeDays(session));
  for (;;) {
    const { plan: rest, before } = await planRest(purchase);
    const pages = pagesOf(rest);
    const { now } = session.scheduler.need().look;
    const { unnoted } = session.scheduler;
    // Buying again needs a new approval, and so does a view that this user did not make.
    const { foreign } = session.target.need;
    const unapproved = session.rebuying || foreign?.waits === true;
    const approved = unapproved ? null : validApproval(before, rest, now, unnoted);
    run.plan = pages + rest.held > 0 ? rest : null;
    if (approved) show(run, approved, rest);
    if (pages === 0) {
      // Another tab may be fetching a wider span.
      if (before && within(before.plan.span, rest.span)) await store.putRun(key, null);
      signal.throwIfAborted();
      return true;
    }
    if (before?.paused && !session.rebuying) {
      session.mine = true;
      run.phase = 'paused';
      return false;
    }
    let row = approved;
    if (!row) {
      run.phase = 'planned';
      const sent = further ? run.made : sentFor(before, rest);
      const uncertain = sent?.uncertain;
      if (sent) {
        run.made = uncertain ? { ...NOTHING, uncertain } : NOTHING;
        run.progress = { done: 0, total: pages };
      }
      const overtaken = run.overtaken();
      const either = AbortSignal.any([signal, overtaken]);
      const waits = foreign?.waits === true;
      const later = waits ? await laterPlans(purchase, foreign.later()) : [];
      const how = { explicit: again, sent, foreign: waits, later };
      const passing = approval.pass(name, rest, either, how);
      read();
      const go = await passing.catch((error: unknown) => {
        if (!overtaken.aborted) throw error;
        return null;
      });
      signal.throwIfAborted();
      if (go === null) {
        // Another tab is buying what waited here: plan the rest again.
        run.phase = 'reading';
        continue;
      }
      if (go) foreign?.load();
      if (!go && session.rebuying) {
        // Restores the previous view.
        await session.previewRebuy(null);
        run.plan = null;
        return true;
      }
      if (!go) {
        run.phase = 'cancelled';
        return false;
      }
      row = { series: key, at: now, plan: rest, paused: false, made: NOTHING, unnoted };
      if (uncertain) row = { ...row, before: uncertain };
      await session.approveRebuy();
      await store.putRun(key, row);
      signal.throwIfAborted();
      show(run, row, rest);
    }
    read();
    const outcome = await buy(purchase, row);
    if (outcome !== 'more') return outcome === 'done';
    further = true;
  }
}

/** Plans what a foreign view loads after a need. */
async function laterPlans(
  { name, terms, deps, session }: Purchase,
  later: ReturnType<Foreign['later']>,
): Promise<{ name: string; plan: Plan }[]> {
  const { signal } = session.target;
  const plans = await Promise.all(
    later.map(async ({ what, need }) => ({
      name: `${name}: ${what}`,
      plan: await quotePlan(need, terms, deps, signal),
    })),
  );
  return plans.filter(({ plan }) => pagesOf(plan) > 0);
}

/** The purchases of an earlier approval that no longer covers a plan; null if it was for other spans. */
function sentFor(before: RunRow | null, rest: Plan): Tally | null {
  return before && within(before.plan.span, rest.span) ? madeOf(before) : null;
}

/** The purchases under an approval, and the uncertain ones of its run before it. */
function madeOf({ made, before }: RunRow): Tally {
  const uncertain = addSums(made.uncertain, before);
  return uncertain.requests > 0 ? { ...made, uncertain } : made;
}

/** Drops failed requests on a forced refresh, so that they are sent again. */
async function dropFailed({ session, deps }: Purchase): Promise<void> {
  const failed = session.loaded.pending.filter((ask) => ask.failed);
  if (!session.target.force || failed.length === 0) return;
  for (const { id } of failed) await deps.store.dropRequest(id);
  await session.reopen();
}

/** The complete past UTC days of the view. */
function wholeDays(session: LoadSession): Span {
  const { view, reach, now } = session.scheduler.need().look;
  return {
    start: Math.ceil(Math.max(view.start, reach.start) / DAY_MS) * DAY_MS,
    end: Math.floor(Math.min(view.end, now) / DAY_MS) * DAY_MS,
  };
}

/** Fetches for free what the service has, unanswered requests first, and judges it. @returns The number of pages. */
async function fetchFree({ run, session }: Purchase, paid = 0): Promise<number> {
  // The tab that reported progress may have been closed.
  run.elsewhere = null;
  await session.reopen(paid);
  const before = run.made;
  await session.scheduler.recover();
  const { loaded } = session;
  if (loaded.run) {
    // The cache counted what was just recovered after this row was read.
    const made = addTallies(loaded.run.made, addTallies(run.made, before, -1));
    session.loaded = { ...loaded, run: { ...loaded.run, made } };
  }
  const held = await session.scheduler.fetchHeld();
  await session.scheduler.judgeHeld();
  return held;
}

/** The plan of what remains to be bought, and the earlier approval with its purchases. */
async function planRest(purchase: Purchase): Promise<{ plan: Plan; before: RunRow | null }> {
  const { session, terms, deps, read } = purchase;
  let held = 0;
  const open = session.loaded.pending.some(({ failed }) => failed === null);
  if (open || session.scheduler.plan().length > 0) {
    const take = async (): Promise<void> => {
      held = await fetchFree(purchase);
    };
    await withLock(session, deps.lock, take, read);
    await session.render();
  }
  const { scheduler, loaded } = session;
  const plan = planOf(scheduler.need(), held, terms, scheduler.repeats);
  return { plan, before: loaded.run };
}

/** Shows an approved purchase and its progress, or only the part in view. */
function show(run: Fetched, row: RunRow, rest: Plan): void {
  const { plan } = row;
  const whole = within(plan.span, rest.span);
  run.plan = whole ? plan : rest;
  run.made = whole ? madeOf(row) : NOTHING;
  const done = run.made.requests;
  run.progress = { done, total: done + pagesOf(rest) };
}

/** Sends what was approved but not sent yet. Sends no further request, whatever the outcome. */
async function buy(purchase: Purchase, approved: RunRow): Promise<'done' | 'paused' | 'more'> {
  const { run, session, deps } = purchase;
  const { store, lock, tabs } = deps;
  const { key, signal } = session.target;
  run.phase = 'fetching';
  const whole = within(approved.plan.span, session.scheduler.need().look.view);
  let done = false;
  let paused: RunRow | null = null;
  await withLock(session, lock, async () => {
    session.mine = true;
    try {
      // Reads waiting empty pages again to judge them; buys nothing.
      if (!session.stopped) await fetchFree(purchase, run.progress.done);
      // Another tab may have bought some of it while this one waited.
      const open = session.loaded.run;
      const may = open ? addSums(unspent(open), session.scheduler.unnoted, -1).requests : 0;
      done = !session.stopped && (await session.scheduler.fetchAll(Math.max(0, may)));
    } catch (error) {
      // A refused run does not resume by itself; an interrupted one does.
      if (refusesSeries(error) && !signal.aborted) await store.putRun(key, null);
      throw error;
    } finally {
      tabs.send({ series: key, progress: null });
    }
    if (session.stopped) paused = await pause(purchase, approved);
    else if (done && whole) await store.putRun(key, null);
  });
  // The next plan covers whatever exceeds the approval, and shows what was bought so far.
  const more = { ...approved, made: run.made };
  session.loaded = { ...session.loaded, run: paused ?? (done ? null : more) };
  if (!paused) return done ? 'done' : 'more';
  run.phase = 'paused';
  return 'paused';
}

/** True if the source itself refuses the series, or its answers cannot be accepted. */
function refusesSeries(error: unknown): boolean {
  return (
    error instanceof Fault && (error.status === 200 || (error.status >= 400 && error.status < 500))
  );
}

async function pause({ run, session, deps }: Purchase, approved: RunRow): Promise<RunRow> {
  const { store } = deps;
  const row = await store.pauseRun(session.target.key, true);
  if (row) return row;
  // Another tab deleted the run, but what was approved here still has to be bought.
  const again = { ...approved, made: run.made, paused: true };
  await store.putRun(session.target.key, again);
  return again;
}
