import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** Number of requests and their cost, in millionths of a dollar. */
export interface SpentSum {
  readonly requests: number;
  readonly price: number;
}

export interface QuerySum extends SpentSum {
  readonly query: string;
  /** The time at which it was last requested, epoch ms. */
  readonly last: number;
}

/** Purchases that count against the caps. */
const COUNTED = `outcome <> 'released'`;
/** The first columns of every sum, see {@link sumOf}. */
const SUM = 'count(*), coalesce(sum(price), 0)';
/** Purchases for the login of the first parameter; all if that is null. */
const OF_LOGIN = '(?1 IS NULL OR login = ?1)';

function sumOf([requests = 0, price = 0]: readonly Cell[] = []): SpentSum {
  return { requests: Number(requests), price: Number(price) };
}

/** Sums of purchases. A `login` restricts one to the purchases for it. */
export function spendingTable(db: Db) {
  const sum = db.prepare(`SELECT ${SUM} FROM purchase WHERE day >= ? AND day < ? AND ${COUNTED}`);
  const sumFor = db.prepare(
    `SELECT ${SUM} FROM purchase WHERE login = ? AND day >= ? AND day < ? AND ${COUNTED}`,
  );
  const byAsks = db.prepare(
    `SELECT ${SUM} FROM purchase WHERE ask >= ?1 || '.' AND ask < ?1 || '/' AND at >= ?2 AND ${COUNTED}`,
  );
  const logins = db.prepare(
    `SELECT ${SUM}, login FROM purchase WHERE day >= ? AND day < ? AND ${COUNTED} GROUP BY login ORDER BY login`,
  );
  const uncertain = db.prepare(
    `SELECT ${SUM} FROM purchase WHERE outcome = 'uncertain' AND ${OF_LOGIN}`,
  );
  const days = db.prepare(
    `SELECT ${SUM}, day FROM purchase WHERE ${OF_LOGIN} AND ${COUNTED} GROUP BY day ORDER BY day DESC LIMIT ?2`,
  );
  const months = db.prepare(
    `SELECT ${SUM}, strftime('%Y-%m', day * 86400, 'unixepoch') AS month FROM purchase
    WHERE ${OF_LOGIN} AND ${COUNTED} GROUP BY month ORDER BY month DESC`,
  );
  const queries = db.prepare(
    `SELECT ${SUM} AS spent, text, max(at) FROM purchase JOIN query ON query.id = purchase.query
    WHERE ${OF_LOGIN} AND ${COUNTED} GROUP BY query.id ORDER BY spent DESC, max(at) DESC`,
  );
  return {
    /** Everything reserved, billed or uncertain on UTC days `[from, to)`. */
    sum: (from: number, to: number, login?: string): SpentSum =>
      sumOf(login === undefined ? sum.get([from, to]) : sumFor.get([login, from, to])),
    uncertain: (login?: string): SpentSum => sumOf(uncertain.get([login ?? null])),
    /** The requests since an instant, epoch ms, whose asks begin with a name and a dot. */
    sumOfAsks: (name: string, since: number): SpentSum => sumOf(byAsks.get([name, since])),
    /** By UTC day, newest first. */
    days: (limit: number, login?: string): (SpentSum & { day: number })[] =>
      days.all([login ?? null, limit]).map((row) => ({ day: Number(row[2]), ...sumOf(row) })),
    /** By month as `2026-11`, newest first. */
    months: (login?: string): (SpentSum & { month: string })[] =>
      months.all([login ?? null]).map((row) => ({ month: String(row[2]), ...sumOf(row) })),
    /** By query, most expensive first. */
    queries: (login?: string): QuerySum[] =>
      queries
        .all([login ?? null])
        .map((row) => ({ query: String(row[2]), last: Number(row[3]), ...sumOf(row) })),
    /** The same sums as `sum` by login; null for what was for none. */
    logins: (from: number, to: number): (SpentSum & { login: string | null })[] =>
      logins.all([from, to]).map((row) => ({
        login: textOrNull(row[2]),
        ...sumOf(row),
      })),
  };
}
