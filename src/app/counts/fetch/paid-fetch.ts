import { Fault } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS } from '#core/time/span.ts';
import { addSums, addTallies, agreedTo, pagesOf, planOf, unspent } from './agreement.ts';
import type { Plan, RunRow, Tally } from '#app/counts/cache/records.ts';
import type { Fetched, FetchServices } from './free-fetch.ts';
import { alone } from './free-fetch.ts';
import type { LoadSession } from './load-session.ts';
import type { Terms } from '#app/counts/source-policy.ts';

/** What a purchase is made for. */
export interface Purchase {
  readonly run: Fetched;
  readonly session: LoadSession;
  readonly terms: Terms;
  readonly deps: FetchServices;
  /** Of the series, for the plan. */
  readonly name: string;
  /** Told when it is known what will be planned, or that it has to wait for another tab. */
  readonly read: () => void;
}

const NOTHING: Tally = { requests: 0, money: 0, bytes: 0 };

const within = (inner: Span, outer: Span): boolean =>
  inner.start >= outer.start && inner.end <= outer.end;

/**
 * A priced source: takes what the service has for nothing, plans the rest, has that agreed to, and buys it;
 * where more turns out to be needed than was agreed to, plans again.
 *
 * @returns Whether it came to its end; else it is paused, or was not agreed to.
 */
export async function fetchPriced(purchase: Purchase): Promise<boolean> {
  const { run, session, deps, name, read } = purchase;
  const { key, again, signal } = session.target;
  const { store, gate } = deps;
  await dropFailed(purchase);
  let further = false;
  if (again) await session.previewRebuy(wholeDays(session));
  for (;;) {
    const { plan: rest, before } = await planRest(purchase);
    const pages = pagesOf(rest);
    const { now } = session.scheduler.need().look;
    // What is bought again has to be agreed to as such.
    const { unnoted } = session.scheduler;
    const agreed = session.rebuying ? null : agreedTo(before, rest, now, unnoted);
    run.plan = pages + rest.held > 0 ? rest : null;
    if (agreed) show(run, agreed, rest);
    if (pages === 0) {
      // Another tab may be at work on more than is looked at here.
      if (before && within(before.plan.span, rest.span)) await store.putRun(key, null);
      signal.throwIfAborted();
      return true;
    }
    if (before?.paused && !session.rebuying) {
      session.mine = true;
      run.phase = 'paused';
      return false;
    }
    let row = agreed;
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
      const passing = gate.pass(name, rest, either, { explicit: again, sent });
      read();
      const go = await passing.catch(() => null);
      signal.throwIfAborted();
      if (go === null) {
        // What waited here is being bought in another tab: what that one leaves is planned then.
        run.phase = 'reading';
        continue;
      }
      if (!go && session.rebuying) {
        // Everything is known as it was before.
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

/** What was sent of an earlier agreement that does not cover a plan any more; null where that was of other spans. */
function sentFor(before: RunRow | null, rest: Plan): Tally | null {
  return before && within(before.plan.span, rest.span) ? madeOf(before) : null;
}

/** What became of an agreement, and what was uncertain in its run before. */
function madeOf({ made, before }: RunRow): Tally {
  const uncertain = addSums(made.uncertain, before);
  return uncertain.requests > 0 ? { ...made, uncertain } : made;
}

/** Has what failed for good asked again, where that is wanted. */
async function dropFailed({ session, deps }: Purchase): Promise<void> {
  const failed = session.loaded.asks.filter((ask) => ask.failed);
  if (!session.target.force || failed.length === 0) return;
  for (const { id } of failed) await deps.store.dropAsk(id);
  await session.reopen();
}

/** The whole UTC days of a look that are over. */
function wholeDays(session: LoadSession): Span {
  const { view, reach, now } = session.scheduler.need().look;
  return {
    start: Math.ceil(Math.max(view.start, reach.start) / DAY_MS) * DAY_MS,
    end: Math.floor(Math.min(view.end, now) / DAY_MS) * DAY_MS,
  };
}

/** Takes what the service has for nothing, open asks first, and has it judged. @returns How many held pages. */
async function takeGiven({ run, session }: Purchase, paid = 0): Promise<number> {
  // Who told of fetching it may have gone away in the middle.
  run.elsewhere = null;
  await session.reopen(paid);
  const before = run.made;
  await session.scheduler.recover();
  const { loaded } = session;
  if (loaded.run) {
    // What was recovered just now has been counted in the cache as well, after the row was read.
    const made = addTallies(loaded.run.made, addTallies(run.made, before, -1));
    session.loaded = { ...loaded, run: { ...loaded.run, made } };
  }
  const held = await session.scheduler.fetchHeld();
  await session.scheduler.judgeHeld();
  return held;
}

/** What is left to be bought, and what was agreed to before, with what was made of it. */
async function planRest(purchase: Purchase): Promise<{ plan: Plan; before: RunRow | null }> {
  const { session, terms, deps, read } = purchase;
  let held = 0;
  const open = session.loaded.asks.some(({ failed }) => failed === null);
  if (open || session.scheduler.plan().length > 0) {
    const take = async (): Promise<void> => {
      held = await takeGiven(purchase);
    };
    await alone(session, deps.lock, take, read);
    await session.render();
  }
  const { scheduler, loaded } = session;
  const plan = planOf(scheduler.need(), held, terms, scheduler.repeats);
  return { plan, before: loaded.run };
}

/** Shows what was agreed to and how far it is, or, of a look at a part of that, the part. */
function show(run: Fetched, row: RunRow, rest: Plan): void {
  const { plan } = row;
  const whole = within(plan.span, rest.span);
  run.plan = whole ? plan : rest;
  run.made = whole ? madeOf(row) : NOTHING;
  const done = run.made.requests;
  run.progress = { done, total: done + pagesOf(rest) };
}

/** Sends what was agreed to and was not sent yet: no request more, whatever becomes of them. */
async function buy(purchase: Purchase, agreed: RunRow): Promise<'done' | 'paused' | 'more'> {
  const { run, session, deps } = purchase;
  const { store, lock, tabs } = deps;
  const { key, signal } = session.target;
  run.phase = 'fetching';
  const whole = within(agreed.plan.span, session.scheduler.need().look.view);
  let done = false;
  let paused: RunRow | null = null;
  await alone(session, lock, async () => {
    session.mine = true;
    try {
      // Empty pages that wait to be believed are on the desk again; nothing of it is bought.
      if (!session.stopped) await takeGiven(purchase, run.progress.done);
      // Another tab may have sent some of it while this one waited.
      const open = session.loaded.run;
      const may = open ? addSums(unspent(open), session.scheduler.unnoted, -1).requests : 0;
      done = !session.stopped && (await session.scheduler.fetchAll(Math.max(0, may)));
    } catch (error) {
      // What the source refuses is not gone on with by itself; what was only cut off is.
      if (refusesSeries(error) && !signal.aborted) await store.putRun(key, null);
      throw error;
    } finally {
      tabs.tell({ series: key, progress: null });
    }
    if (session.stopped) paused = await pause(purchase, agreed);
    else if (done && whole) await store.putRun(key, null);
  });
  // What is more than was agreed to is planned beside what was made of it.
  const more = { ...agreed, made: run.made };
  session.loaded = { ...session.loaded, run: paused ?? (done ? null : more) };
  if (!paused) return done ? 'done' : 'more';
  run.phase = 'paused';
  return 'paused';
}

/** Whether an error is the source's own word: a refusal, or answers that are not to be believed. */
function refusesSeries(error: unknown): boolean {
  return (
    error instanceof Fault && (error.status === 200 || (error.status >= 400 && error.status < 500))
  );
}

async function pause({ run, session, deps }: Purchase, agreed: RunRow): Promise<RunRow> {
  const { store } = deps;
  const row = await store.pauseRun(session.target.key, true);
  if (row) return row;
  // Another tab took it away; what was agreed to here still waits.
  const again = { ...agreed, made: run.made, paused: true };
  await store.putRun(session.target.key, again);
  return again;
}
