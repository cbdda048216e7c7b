import { pagesOf, usd } from '#core/counts/price.ts';
import { within } from '#core/time/span.ts';
import type { Plan, Tally } from '#app/counts/cache/records.ts';

/** Number of requests that need no approval by the user. */
export const FREE_REQUESTS = 5;

/** A plan that waits for approval. */
export interface WaitingPlan {
  readonly name: string;
  readonly plan: Plan;
  /** The purchases of an earlier approval that were not enough; null for a first plan. */
  readonly sent: Tally | null;
  /** True if it is for a view that this user did not make. */
  readonly foreign: boolean;
}

/** The way a plan is to be approved. */
export interface PassOptions {
  /** True if it needs the user's approval, however few its requests. */
  readonly explicit?: boolean;
  /** As in {@link WaitingPlan}. */
  readonly sent?: Tally | null;
  readonly foreign?: boolean;
  /** Plans of what loads after it, which the same approval covers. */
  readonly later?: readonly { readonly name: string; readonly plan: Plan }[];
}

interface Entry extends Required<PassOptions> {
  readonly name: string;
  readonly plan: Plan;
  resolve(go: boolean): void;
}

/** Adds up plans that run one after another under the same limits. */
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
 * Approves the plans of a board's runs. Waits until no run is reading any more. Then approves a total of
 * {@link FREE_REQUESTS} by itself; more need the user's approval.
 */
export class PlanApproval {
  /** Plans that need the user's approval. */
  waiting: readonly WaitingPlan[] = $state.raw([]);
  /** True if a plan was withdrawn after it was shown, and is being computed again. */
  changing = $state(false);
  /** True if plans refresh a live board: turning on live updates approved one page per series. */
  live = false;
  /** Requests approved without the user since {@link renew}. */
  #automatic = 0;
  /** Plans that the user approved with an earlier one, and that have not run yet, by the name of their series. */
  #preapproved: readonly { readonly name: string; readonly plan: Plan }[] = [];
  #entries: Entry[] = [];
  /** The entries of {@link waiting}: only these can be approved. */
  #shown: Entry[] = [];
  #reading = 0;

  /** Allows {@link FREE_REQUESTS} again, for another action of the user. Extra runs of a view share its allowance. */
  renew(): void {
    this.#automatic = 0;
    this.#preapproved = [];
  }

  /** Announces a run that is reading and may need a plan. @returns Call once its plan waits, or it needs none. */
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
   * Waits until a plan is approved or declined.
   *
   * @returns Whether it was approved. Rejects with the signal's reason when aborted.
   */
  async pass(
    name: string,
    plan: Plan,
    signal: AbortSignal,
    { explicit = false, sent = null, foreign = false, later = [] }: PassOptions = {},
  ): Promise<boolean> {
    signal.throwIfAborted();
    return await new Promise<boolean>((resolve, reject) => {
      const entry: Entry = { name, plan, sent, explicit, foreign, later, resolve };
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
    this.#preapproved = [
      ...this.#preapproved,
      ...this.#shown.flatMap(({ name, later }) => later.map(({ plan }) => ({ name, plan }))),
    ];
    this.#decide(this.#shown, true);
    this.#update();
  }

  /** Declines the waiting plans. What is already fetched stays shown. */
  decline(): void {
    this.#preapproved = [];
    this.#decide(this.#shown, false);
    this.#update();
  }

  #decide(entries: readonly Entry[], go: boolean): void {
    this.#entries = this.#entries.filter((each) => !entries.includes(each));
    this.#show([]);
    this.changing = false;
    for (const { resolve } of entries) resolve(go);
  }

  #withdraw(entry: Entry): void {
    this.#entries = this.#entries.filter((each) => each !== entry);
    if (this.#shown.includes(entry)) {
      this.#show(this.#shown.filter((each) => each !== entry));
      this.changing = true;
    }
    this.#update();
  }

  #show(entries: readonly Entry[]): void {
    this.#shown = [...entries];
    this.waiting = entries.flatMap(({ name, plan, sent, foreign, later }) => [
      { name, plan, sent, foreign },
      ...later.map((each) => ({ ...each, sent: null, foreign })),
    ]);
  }

  #update(): void {
    if (this.#reading > 0) return;
    let preapproved = this.#preapproved;
    // Each preapproved plan pays for one plan of its series that costs no more.
    const others = this.#entries.filter(({ name, plan }) => {
      const found = preapproved.find((each) => each.name === name && covers(each.plan, plan));
      preapproved = preapproved.filter((each) => each !== found);
      return !found;
    });
    const requests = others.reduce((sum, { plan }) => sum + pagesOf(plan), 0);
    const head = this.live && others.every(({ plan, sent }) => sent === null && pagesOf(plan) <= 1);
    const few = this.#automatic + requests <= FREE_REQUESTS || head;
    const automatic = few && this.#entries.every((entry) => !entry.explicit && !entry.foreign);
    this.changing = false;
    if (automatic) {
      this.#preapproved = preapproved;
      if (!head) this.#automatic += requests;
      this.#decide(this.#entries, true);
    } else this.#show(this.#entries);
  }
}

/** True if an approved plan covers another: its span, requests and money. */
const covers = (approved: Plan, plan: Plan): boolean =>
  within(plan.span, approved.span) &&
  pagesOf(plan) <= pagesOf(approved) &&
  plan.money <= approved.money;
