import { usd } from '#core/counts/price.ts';
import type { Plan, Tally } from '#app/counts/cache/records.ts';

/** Requests that are sent without asking first. */
export const FREE_REQUESTS = 5;

/** A plan that waits to be agreed to. */
export interface WaitingPlan {
  readonly name: string;
  readonly plan: Plan;
  /** What was sent as it was agreed to before, and did not do; null where this is the first plan. */
  readonly sent: Tally | null;
}

interface Entry extends WaitingPlan {
  /** Waits for the user though it is a handful. */
  readonly explicit: boolean;
  resolve(go: boolean): void;
}

/** Sums of plans that run one after another under the same limits. */
export function sumPlans(plans: readonly Plan[], least: (recent: number, all: number) => number) {
  const sum = (of: (plan: Plan) => number): number => plans.reduce((s, plan) => s + of(plan), 0);
  const [recent, all] = [sum((plan) => plan.recent), sum((plan) => plan.all)];
  return {
    recent,
    all,
    requests: recent + all,
    money: usd(sum((plan) => plan.money)),
    leastMs: least(recent, all),
    bytes: sum((plan) => plan.bytes),
    days: sum((plan) => plan.days),
    owned: sum((plan) => plan.owned),
    held: sum((plan) => plan.held),
    minuteBytes: plans.every((plan) => plan.minuteBytes === null)
      ? null
      : sum((plan) => plan.minuteBytes ?? plan.bytes),
  };
}

/**
 * Where the runs of a board wait with their plans: once every run that is still reading has come or gone,
 * a handful of requests in all is let through, and more waits for the user.
 */
export class PlanApproval {
  /** What the user is to agree to; empty where there is nothing to decide. */
  waiting: readonly WaitingPlan[] = $state.raw([]);
  /** Whether a plan that was shown has been taken back and is worked out anew. */
  changing = $state(false);
  /** Whether what comes now refreshes a live board: a page a series was agreed to with that, however many there are. */
  live = false;
  /** Requests that were let through unasked since {@link renew}. */
  #unasked = 0;
  #entries: Entry[] = [];
  /** Those that {@link waiting} shows: nobody agrees to what was not seen. */
  #shown: Entry[] = [];
  #reading = 0;

  /** Begins another handful: the user wants something else. What a view needs beside itself comes out of its own. */
  renew(): void {
    this.#unasked = 0;
  }

  /** Tells that a run reads what is known and may come with a plan. @returns To be called once, when it came or will not. */
  reading(): () => void {
    this.#reading += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#reading -= 1;
      this.#look();
    };
  }

  /**
   * Waits with a plan.
   *
   * @param how - `explicit`: it has to be agreed to though it is a handful. `sent`: as a {@link WaitingPlan}.
   * @returns Whether it may be run. Rejects with the signal's reason when aborted.
   */
  async pass(
    name: string,
    plan: Plan,
    signal: AbortSignal,
    { explicit = false, sent = null }: { explicit?: boolean; sent?: Tally | null } = {},
  ): Promise<boolean> {
    signal.throwIfAborted();
    return await new Promise<boolean>((resolve, reject) => {
      const entry: Entry = { name, plan, sent, explicit, resolve };
      const gone = (): void => {
        this.#withdraw(entry);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', gone, { once: true });
      entry.resolve = (go) => {
        signal.removeEventListener('abort', gone);
        resolve(go);
      };
      this.#entries.push(entry);
      this.#look();
    });
  }

  agree(): void {
    this.#decide(this.#shown, true);
    this.#look();
  }

  /** Asks nothing of what waits; what is owned stays shown. */
  decline(): void {
    this.#decide(this.#shown, false);
    this.#look();
  }

  #decide(entries: readonly Entry[], go: boolean): void {
    this.#entries = this.#entries.filter((one) => !entries.includes(one));
    this.#show([]);
    this.changing = false;
    for (const { resolve } of entries) resolve(go);
  }

  #withdraw(entry: Entry): void {
    this.#entries = this.#entries.filter((one) => one !== entry);
    if (this.#shown.includes(entry)) {
      this.#show(this.#shown.filter((one) => one !== entry));
      this.changing = true;
    }
    this.#look();
  }

  #show(entries: readonly Entry[]): void {
    this.#shown = [...entries];
    this.waiting = entries.map(({ name, plan, sent }) => ({ name, plan, sent }));
  }

  #look(): void {
    if (this.#reading > 0) return;
    const requests = this.#entries.reduce((sum, { plan }) => sum + plan.recent + plan.all, 0);
    const head =
      this.live &&
      this.#entries.every(({ plan, sent }) => sent === null && plan.recent + plan.all <= 1);
    const few = this.#unasked + requests <= FREE_REQUESTS || head;
    const unasked = few && this.#entries.every((entry) => !entry.explicit);
    this.changing = false;
    if (unasked) {
      if (!head) this.#unasked += requests;
      this.#decide(this.#entries, true);
    } else this.#show(this.#entries);
  }
}
