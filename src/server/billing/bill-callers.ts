import type { BillTable } from '#server/auth/bill-table.ts';
import type { ChargesOf } from '#server/posts/editor/charges.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Accounts that the bill of an app names on a day, so that its rows do not grow with the accounts. */
export const MOST_ACCOUNTS = 100;

/** Knows the accounts that the bills of a day name. */
export function callersOf({ bills, charges }: { bills: BillTable; charges: ChargesOf }) {
  const days = new Map<string, { readonly day: number; readonly named: Set<string> }>();
  const namedOn = (app: string, day: number): Set<string> => {
    const known = days.get(app);
    if (known?.day === day) return known.named;
    const sums = [...bills.of(app, day), ...charges(app, day)];
    const named = new Set(sums.map(({ account }) => account).filter((each) => /^\d/.test(each)));
    days.set(app, { day, named });
    return named;
  };
  return {
    /** The account of a row of a bill: an id, or a word of `AppBill`. */
    nameOf: (app: string, day: number, user: Caller['user']): string => {
      if (!user) return 'none';
      const named = namedOn(app, day);
      if (named.size >= MOST_ACCOUNTS && !named.has(user.id)) return 'others';
      named.add(user.id);
      return user.id;
    },
  };
}
