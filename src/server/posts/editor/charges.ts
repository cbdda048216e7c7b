import type { Billed } from '#server/auth/bill-table.ts';
import type { Db } from '#server/db/driver.ts';

/** The payment of an app for one change. */
export type Charge = Omit<Billed, 'resources' | 'posts'>;

/** The charges of an app's operation by an account on a day. */
export interface ChargeSum extends Charge {
  readonly requests: number;
}

export function chargeChanges(db: Db) {
  const add = db.prepare(
    `INSERT INTO charge VALUES (?, ?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET
    requests = requests + 1, charged = charged + excluded.charged, price = price + excluded.price`,
  );
  return {
    /** Records a charge along with the changes that it is for. */
    charge: ({ app, day, operation, account, charged, price }: Charge): void =>
      db.write('charge', () => void add.run([app, day, operation, account, charged, price])),
  };
}

/** Returns the charges of an app since a UTC day, by day, operation and account. */
export type ChargesOf = (app: string, since: number) => ChargeSum[];

export function chargesIn(db: Db): ChargesOf {
  const sums = db.prepare(
    `SELECT day, operation, account, requests, charged, price FROM charge
    WHERE app = ? AND day >= ? ORDER BY day, operation, account`,
  );
  return (app, since) =>
    sums.all([app, since]).map(([day, operation, account, requests, charged, price]) => ({
      app,
      day: Number(day),
      operation: String(operation),
      account: String(account),
      requests: Number(requests),
      charged: Number(charged),
      price: Number(price),
    }));
}
