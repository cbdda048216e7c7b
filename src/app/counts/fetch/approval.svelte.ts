import { usd } from '#core/counts/price.ts';
import type { Plan, Tally } from '#app/counts/cache/records.ts';

/** Requests that are sent without approval. */
export const FREE_REQUESTS = 5;

/** A plan that waits for approval. */
export interface WaitingPlan {
  readonly name: string;
  readonly plan: Plan;
  /** What was bought under an approval that did not suffice; null if this is the first plan. */
  readonly sent: Tally | null;
}

interface Entry extends WaitingPlan {
  /** Needs the user's approval however few requests it has. */
  readonly explicit: boolean;
  resolve(go: boolean): void;
}

/** Sums of plans that run one after another under the same limits. */
export function sumPlans(plans: readonly Plan[], minTime: (recent: number, all: number) => number) {
  const sum = (of: (plan: Plan) => number): number => plans.reduce((s, plan) => s + of(plan), 0);
  const [recent, all] = [sum((plan) => plan.recent), sum((plan) => plan.all)];
  return {
    recent,
    all,
    requests: recent + all,
    money: usd(sum((plan) => plan.money)),
    leastMs: minTime(recent, all),
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
 * Approves the plans of a board's runs. Once no run is reading any more, a few requests in all are approved at
 * once, and more need the user's approval.
 */
export class PlanApproval {
  /** Plans for the user to decide on. */
  waiting: readonly WaitingPlan[] = $state.raw([]);
  /** Whether a plan that was shown was withdrawn and is being computed again. */
  changing = $state(false);
  /** Whether plans refresh a live board: turning that on approved one page a series, however many there are. */
  live = false;
  /** Requests approved without the user since {@link renew}. */
  #unasked = 0;
  #entries: Entry[] = [];
  /** Those that {@link waiting} shows: only these can be approved. */
  #shown: Entry[] = [];
  #reading = 0;

  /** Allows {@link FREE_REQUESTS} again, for something else that the user wants. Extra runs of a view share its allowance. */
  renew(): void {
    this.#unasked = 0;
  }

  /** Announces a run that reads what is known and may need a plan. @returns Call once its plan waits, or it needs none. */
  reading(): () => void {
    this.#reading += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#reading -= 1;
      this.#update();
    };
  }

  /**
   * Waits until a plan is decided on.
   *
   * @param how - `explicit`: it needs the user's approval however few requests it has. `sent`: as a {@link WaitingPlan}.
   * @returns Whether it was approved. Rejects with the signal's reason when aborted.
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
      const withdraw = (): void => {
        this.#withdraw(entry);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      entry.resolve = (go) => {
        signal.removeEventListener('abort', withdraw);
        resolve(go);
      };
      this.#entries.push(entry);
      this.#update();
    });
  }

  agree(): void {
    this.#decide(this.#shown, true);
    this.#update();
  }

  /** Declines what waits; what is already fetched stays shown. */
  decline(): void {
    this.#decide(this.#shown, false);
    this.#update();
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
    this.#update();
  }

  #show(entries: readonly Entry[]): void {
    this.#shown = [...entries];
    this.waiting = entries.map(({ name, plan, sent }) => ({ name, plan, sent }));
  }

  #update(): void {
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
