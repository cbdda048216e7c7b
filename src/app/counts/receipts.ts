import type { Revision } from '#core/counts/ledger.ts';
import { usd } from '#core/counts/price.ts';
import type { StoredReceipt, Tally } from './cache-port.ts';

/** A value as text, the same however its fields are ordered. */
export const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part instanceof Object && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** What two receipts of one answer found changed, each change once. */
export function uniteRevisions(a: readonly Revision[], b: readonly Revision[]): Revision[] {
  const all = new Map([...a, ...b].map((revision) => [text(revision), revision]));
  return [...all.values()].sort(
    (one, two) => one.start - two.start || one.was - two.was || one.now - two.now,
  );
}

/** A tally with one purchase more. */
export function withReceipt(
  { requests, money, bytes }: Tally,
  { price, bytes: more }: Pick<StoredReceipt, 'price' | 'bytes'>,
): Tally {
  return { requests: requests + 1, money: usd(money + price), bytes: bytes + more };
}

/** The receipt of one purchase, had twice: what it says now, what was paid for it, and what either noted. */
export function sameReceipt(before: StoredReceipt, now: StoredReceipt): StoredReceipt {
  const price = Math.max(before.price, now.price);
  return { ...now, price, revisions: uniteRevisions(before.revisions, now.revisions) };
}
