import type { Endpoint } from '#contract/endpoint.ts';
import type { Price } from '#contract/counts/prices.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { BillTable } from '#server/auth/bill-table.ts';
import type { Charge, ChargesOf } from '#server/posts/editor/charges.ts';
import type { PostChange } from '#server/posts/editor/changes.ts';
import { callersOf } from './bill-callers.ts';
import { cycleOf, type Credits, type Cycle } from './credits.ts';
import { resourcesOf } from './resources.ts';
import type { Caller } from '#server/auth/caller.ts';

/** The id to which the dashboard's reads are billed, because the dashboard is no app. */
export const DASHBOARD_APP = 'dashboard';

/** The bill of one request. Nothing of it counts unless the request is answered with success. */
export interface Bill {
  /**
   * The change that records the price with the change that it is for, in one transaction. A rule that does not write it
   * is billed before its answer is sent.
   *
   * @param amount - The price in micro-dollars; by default the endpoint's.
   */
  charges(amount?: number): readonly PostChange[];
  /** Records the price of an answer. @param answer - Its JSON; null if it has none or is not JSON. */
  answered(answer: unknown): void;
  /** Ends the request, answered or not. */
  close(): void;
}

/** The payer: a caller, or an app that events are delivered to. */
export type Payer = Pick<Caller, 'access' | 'app' | 'user'>;

/** Bills requests by the prices of their endpoints. */
export type Billing = ReturnType<typeof openBilling>;

type Params = Readonly<Record<string, string>>;

/** True if the owner of the app reads its own account (platform-facts, section 9). */
function isOwnRead({ app, user }: Payer, { id }: Params): boolean {
  return user !== null && id === user.id && user.id === app?.owner;
}

/**
 * @param charges - Reads the charges for changes.
 * @param now - Epoch ms.
 */
export function openBilling({
  bills,
  charges,
  credits,
  now,
}: {
  bills: BillTable;
  charges: ChargesOf;
  credits: Credits;
  now: () => number;
}) {
  const callers = callersOf({ bills, charges });
  let cycle: Cycle = { start: 0, end: 0 };
  const cycleAt = (at: number): Cycle => {
    if (at < cycle.start || at >= cycle.end) cycle = cycleOf(at);
    return cycle;
  };

  /** Marks the resources of an answer as billed, and returns those that were not. */
  const takeResources = (app: string, day: number, found: ReturnType<typeof resourcesOf>) => {
    const sum = { resources: 0, posts: 0, price: 0 };
    for (const { kind, amount, ids } of found) {
      const { fresh, price } = bills.take(app, day, kind, ids, amount);
      sum.resources += fresh.length;
      sum.price += price;
      // A Post counts as usage once, whether it was read as a Post or as a like.
      if (kind === 'post') sum.posts += bills.unbilled(app, day, 'like', fresh).length;
      if (kind === 'like') sum.posts += bills.unbilled(app, day, 'post', fresh).length;
    }
    return sum;
  };

  return {
    /**
     * Begins the bill of a request.
     *
     * @param params - The path's parameters.
     * @throws {@link Fault} 402 if the app pays per use and has spent its credits or its limit.
     */
    open: (caller: Payer, { method, path }: Endpoint, price: Price, params: Params): Bill => {
      const { access, app: calling, user } = caller;
      const app = calling?.id ?? DASHBOARD_APP;
      const pays = access === 'pay-per-use' ? calling : null;
      const operation = `${method} ${path}`;
      const isOwn = price.per === 'resource' && isOwnRead(caller, params);
      const least = (isOwn ? price.ownAmount : undefined) ?? price.amount;
      const release = pays && credits.reserve(pays, least, cycleAt(now()));
      let written: Charge | null = null;
      return {
        charges: (amount = price.amount) => {
          const day = Math.floor(now() / DAY_MS);
          const account = callers.nameOf(app, day, user);
          written = { app, day, operation, account, charged: pays ? amount : 0, price: amount };
          return [{ what: 'charge', of: [written] }];
        },
        answered: (answer) => {
          const at = now();
          const day = Math.floor(at / DAY_MS);
          if (written) {
            if (pays) credits.pay(app, written.charged, cycleAt(written.day * DAY_MS));
            return;
          }
          const sum =
            price.per === 'request'
              ? { resources: 0, posts: 0, price: price.amount }
              : takeResources(app, day, resourcesOf(answer, price, isOwn));
          const charged = pays ? sum.price : 0;
          bills.add({
            app,
            day,
            operation,
            account: callers.nameOf(app, day, user),
            ...sum,
            charged,
          });
          // Of what changes another file, the charge is durable before the answer.
          if (method !== 'GET') bills.flush();
          if (pays) credits.pay(app, charged, cycleAt(at));
        },
        close: () => release?.(),
      };
    },
  };
}
