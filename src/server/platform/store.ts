import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DAY_MS } from '#core/time/span.ts';
import { StoreError, type Cell, type Db, type DbOptions } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import { PLATFORM_SCHEMA } from '#server/migrations/platform.ts';

/** Number of requests and their cost, in millionths of a dollar. */
export interface Sum {
  readonly requests: number;
  readonly price: number;
}

/** A window with both ends named, under which pages are stored. */
export interface VaultWindow {
  /** The meaning of the query: the same text for equivalent queries. */
  readonly meaning: string;
  readonly granularity: string;
  /** Requested members of the buckets. */
  readonly fields: string;
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
}

/** A request to buy. */
export interface Order {
  readonly ask: string;
  /** The whole request as text, equal for equal ones. */
  readonly request: string;
  /** `recent` and `all` of counts, `search/recent` and `search/all`. */
  readonly endpoint: string;
  readonly query: string;
  /** Epoch ms of the service's clock. */
  readonly at: number;
  /** The most that it may cost, millionths of a dollar. */
  readonly price: number;
  /** Maximum expected size of its page, compressed, bytes. */
  readonly room: number;
  /** Id of the login that it is for; absent for none. */
  readonly login?: string;
}

/**
 * The parts of a request by which its page is stored; null if the request did not name one in a
 * readable form.
 */
export interface StoredParts {
  /** As in a {@link VaultWindow}. */
  readonly meaning: string;
  readonly granularity: string | null;
  readonly fields: string | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly token: string | null;
}

export interface BoughtPage {
  /** The ask that bought it. */
  readonly ask: string;
  /** When it was fetched, by the earlier of the platform's clock and the service's; epoch ms. */
  readonly date: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Compressed by gzip. */
  readonly body: Uint8Array;
}

/** Which other asks a page is returned to. */
export interface Sharing {
  /** Earlier pages of its window are no longer returned to other asks. */
  readonly instead: boolean;
  /** It has a token for the rest of its window, which is short-lived: only its own ask gets it. */
  readonly continued: boolean;
}

/** How a purchase ended; `uncertain` if it was sent and no complete answer came. */
type Outcome = 'released' | 'uncertain';

export interface QuerySum extends Sum {
  readonly query: string;
  /** When it was last requested, epoch ms. */
  readonly last: number;
}

/** Bounds of a stored page. */
export interface HeldRow {
  readonly endpoint: 'recent' | 'all';
  readonly start: number;
  readonly end: number;
  readonly date: number;
}

/** The file with the platform's settings, purchases and pages. */
export type PlatformStore = ReturnType<typeof openPlatform>;

export const PLATFORM_KIND = { application: 0x47537066, first: 2, steps: [PLATFORM_SCHEMA] };

/** Purchases that count against the caps. */
const COUNTED = `outcome <> 'released'`;
const SUM = 'count(*), coalesce(sum(price), 0)';
/** Purchases for the login of the first parameter; all if that is null. */
const OF_LOGIN = '(?1 IS NULL OR login = ?1)';

/** Bytes that a commit writes apart from the page of an answer: rows, indexes, the list of free pages. */
const SPARE_BYTES = 128 * 1024;

/** Minimum growth of the file when it needs space, so that most purchases find some. */
const STEP_BYTES = 1024 * 1024;

/** Each frame of SQLite's log is a page with this header. */
const FRAME_HEAD = 24;

/**
 * Reserves disk space for pages in transit. Free pages of the file hold space on the disk, and so does
 * the log, up to its length before the last checkpoint. A commit that needs no more than those cannot
 * fail for lack of space.
 */
class DiskReserve {
  readonly #db: Db;
  /** Bytes by purchase. */
  readonly #reserved = new Map<number, number>();
  readonly #pageBytes: number;
  readonly #put;
  readonly #drop;
  readonly #free;
  readonly #checkpoint;

  constructor(db: Db) {
    this.#db = db;
    this.#pageBytes = Number(db.prepare('PRAGMA page_size').get()?.[0]);
    this.#put = db.prepare(`INSERT OR REPLACE INTO setting VALUES ('room', zeroblob(?))`);
    this.#drop = db.prepare(`DELETE FROM setting WHERE name = 'room'`);
    this.#free = db.prepare('PRAGMA freelist_count');
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#freeUp();
  }

  /** @throws {@link StoreError} `full` if there is not enough space apart from what others have reserved. */
  find(bytes: number): void {
    const own = bytes + SPARE_BYTES;
    const wanted = [...this.#reserved.values()].reduce((sum, each) => sum + each, own);
    const lacking = wanted - Number(this.#free.get()?.[0]) * this.#pageBytes;
    const log = statSync(`${this.#db.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const short = log < this.#logged(own);
    if (lacking <= 0 && !short) return;
    const grown = Math.ceil(Math.max(lacking, short ? own : 0, STEP_BYTES)) + SPARE_BYTES;
    // Checked first: a log that is written but does not fit into the file could not be reset by any
    // process.
    if (this.#diskBytes() < grown + this.#logged(grown)) {
      throw new StoreError('full', this.#db.file);
    }
    try {
      this.#checkpoint.get();
      this.#db.write('room', () => this.#put.run([grown]));
      // Only now does the file itself take the space.
      this.#checkpoint.get();
    } finally {
      this.#freeUp();
    }
  }

  take(purchase: number, bytes: number): void {
    this.#reserved.set(purchase, bytes + SPARE_BYTES);
  }

  /** Releases the reservation of a purchase for the next write: its page, which may be larger. */
  use(purchase: number, bytes: number): void {
    const reserved = this.#reserved.get(purchase) ?? 0;
    this.#reserved.delete(purchase);
    if (bytes + SPARE_BYTES > reserved) this.find(bytes);
    // On a full disk the commit fits only into a reset log, which costs two more syncs.
    if (this.#diskBytes() < 2 * this.#logged(bytes + SPARE_BYTES)) this.#checkpoint.get();
  }

  giveUp(purchase: number): void {
    this.#reserved.delete(purchase);
  }

  #freeUp(): void {
    this.#db.write('room', () => this.#drop.run());
  }

  #diskBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#db.file));
    return bavail * bsize;
  }

  /** The size in the log of that many bytes of pages. */
  #logged(bytes: number): number {
    return bytes + Math.ceil(bytes / this.#pageBytes + 1) * FRAME_HEAD;
  }
}

/** How long an answer may take after its purchase. */
export const LONGEST_MS = 60_000;

/** Earlier versions stored the platform's own Date, which may be later than the page can have come. */
const FETCHED = `min(date, at + ${LONGEST_MS})`;

function sumOf(row: Cell[] | undefined, from = 0): Sum {
  return { requests: Number(row?.[from] ?? 0), price: Number(row?.[from + 1] ?? 0) };
}

function headersOf(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pageOf(row: Cell[] | undefined): BoughtPage | undefined {
  const body = row?.[2];
  if (!row || !Buffer.isBuffer(body)) return undefined;
  return { date: Number(row[0]), headers: headersOf(String(row[1])), body, ask: String(row[3]) };
}

/**
 * Opens the file of the platform; creates it if it does not exist. Purchases that were running when the
 * program last ended become uncertain.
 *
 * @throws {@link StoreError} like `openStore`; any function, if the file cannot be read or written.
 */
export function openPlatform(file: string, options: DbOptions = {}) {
  const db = openStore(file, PLATFORM_KIND, () => {}, options);
  db.write('lost', () =>
    db.prepare(`UPDATE purchase SET outcome = 'uncertain' WHERE outcome = 'open'`).run(),
  );
  const reserve = new DiskReserve(db);
  const settingOf = db.prepare(`SELECT value FROM setting WHERE name = 'platform'`);
  const putSetting = db.prepare(`INSERT OR REPLACE INTO setting VALUES ('platform', ?)`);
  const addQuery = db.prepare('INSERT INTO query (text) VALUES (?) ON CONFLICT (text) DO NOTHING');
  const queryOf = db.prepare('SELECT id FROM query WHERE text = ?');
  const addPurchase = db.prepare(
    `INSERT INTO purchase (ask, request, endpoint, query, at, day, price, login, outcome)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open') RETURNING id`,
  );
  const end = db.prepare('UPDATE purchase SET outcome = ?, status = ? WHERE id = ?');
  const settle = db.prepare(
    `UPDATE purchase SET outcome = 'billed', status = 200, price = coalesce(?, price) WHERE id = ?`,
  );
  const withdraw = db.prepare(
    `UPDATE page SET withdrawn = 1 WHERE query = ? AND granularity = ? AND fields = ? AND start = ? AND "end" = ?`,
  );
  const addPage = db.prepare(
    `INSERT INTO page
    (purchase, query, granularity, fields, start, "end", token, date, headers, body, withdrawn)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const sum = db.prepare(`SELECT ${SUM} FROM purchase WHERE day >= ? AND day < ? AND ${COUNTED}`);
  const sumFor = db.prepare(
    `SELECT ${SUM} FROM purchase WHERE login = ? AND day >= ? AND day < ? AND ${COUNTED}`,
  );
  const logins = db.prepare(
    `SELECT login, ${SUM} FROM purchase WHERE day >= ? AND day < ? AND ${COUNTED} GROUP BY login ORDER BY login`,
  );
  const uncertain = db.prepare(
    `SELECT ${SUM} FROM purchase WHERE outcome = 'uncertain' AND ${OF_LOGIN}`,
  );
  const days = db.prepare(
    `SELECT day, ${SUM} FROM purchase WHERE ${OF_LOGIN} AND ${COUNTED} GROUP BY day ORDER BY day DESC LIMIT ?2`,
  );
  const months = db.prepare(
    `SELECT strftime('%Y-%m', day * 86400, 'unixepoch') AS month, ${SUM} FROM purchase
    WHERE ${OF_LOGIN} AND ${COUNTED} GROUP BY month ORDER BY month DESC`,
  );
  const queries = db.prepare(
    `SELECT text, max(at), ${SUM} AS spent FROM purchase JOIN query ON query.id = purchase.query
    WHERE ${OF_LOGIN} AND ${COUNTED} GROUP BY query.id ORDER BY spent DESC, max(at) DESC`,
  );
  const requestOf = db.prepare(
    'SELECT request FROM purchase WHERE ask = ? ORDER BY id DESC LIMIT 1',
  );
  const uncertainOf = db.prepare(
    `SELECT count(*) FROM purchase WHERE ask = ? AND outcome = 'uncertain'`,
  );
  const ofAsk = db.prepare(
    `SELECT ${FETCHED}, headers, body, ask FROM page JOIN purchase ON purchase.id = page.purchase
    WHERE ask = ? ORDER BY purchase.id DESC LIMIT 1`,
  );
  const settled = db.prepare(
    `SELECT ${FETCHED}, headers, body, ask FROM page JOIN purchase ON purchase.id = page.purchase
    WHERE page.query = (SELECT id FROM query WHERE text = ?)
    AND granularity = ? AND start = ? AND "end" = ? AND fields = ? AND token IS NULL
    AND withdrawn = 0 AND ${FETCHED} >= ? ORDER BY page.purchase LIMIT 1`,
  );
  const pages = db.prepare(
    // With min(), the other columns come from its row.
    `SELECT endpoint, start, "end", ${FETCHED}, min(page.purchase)
    FROM page JOIN purchase ON purchase.id = page.purchase
    WHERE page.query = (SELECT id FROM query WHERE text = ?) AND granularity = ? AND fields = ?
    AND start IS NOT NULL AND "end" IS NOT NULL AND token IS NULL AND withdrawn = 0
    AND ${FETCHED} >= ("end" + ${DAY_MS - 1}) / ${DAY_MS} * ${DAY_MS} + ?
    GROUP BY start, "end" ORDER BY start DESC, "end" DESC LIMIT ?`,
  );

  /** Row of a text in the table of queries, which is added if missing. */
  const idOf = (text: string): number => {
    addQuery.run([text]);
    return Number(queryOf.get([text])?.[0]);
  };
  return {
    /** The stored settings; undefined if there are none, null if they are not JSON. */
    settings: (): unknown => {
      const text = settingOf.get()?.[0];
      return text === undefined ? undefined : jsonOf(String(text));
    },
    putSettings: (settings: unknown): void =>
      void db.write('settings', () => putSetting.run([JSON.stringify(settings)])),
    /**
     * Reserves disk space for the page of a purchase, and records the purchase, unless `refuse` throws;
     * the latter two in one transaction.
     *
     * @param refuse - Checks the current sums, and throws if a cap does not allow the purchase.
     * @returns Number of the purchase.
     * @throws {@link StoreError} `full` if the page could not be stored.
     */
    reserve: (
      { ask, request, endpoint, query, at, price, room: bytes, login }: Order,
      refuse: () => void,
    ): number => {
      reserve.find(bytes);
      const purchase = db.write('reserve', () => {
        refuse();
        const id = idOf(query);
        const day = Math.floor(at / DAY_MS);
        return Number(
          addPurchase.get([ask, request, endpoint, id, at, day, price, login ?? null])?.[0],
        );
      });
      reserve.take(purchase, bytes);
      return purchase;
    },
    /**
     * Records that a purchase was billed, and stores its page.
     *
     * @param price - The actual price, millionths of a dollar; the reserved one by default.
     */
    bill: (
      purchase: number,
      parts: StoredParts,
      { date, headers, body }: Omit<BoughtPage, 'ask'>,
      { instead, continued }: Sharing,
      price?: number,
    ) => {
      reserve.use(purchase, body.length);
      db.write('bill', () => {
        settle.run([price ?? null, purchase]);
        const window = [parts.granularity, parts.fields, parts.start, parts.end];
        const query = idOf(parts.meaning);
        if (instead) withdraw.run([query, ...window]);
        const named = [purchase, query, ...window, parts.token];
        addPage.run([...named, date, JSON.stringify(headers), body, continued ? 1 : 0]);
      });
    },
    /** Records that a purchase returned no page. */
    end: (purchase: number, outcome: Outcome, status: number | null) => {
      reserve.giveUp(purchase);
      db.write('end', () => end.run([outcome, status, purchase]));
    },
    /** Everything reserved, billed or uncertain on UTC days `[from, to)`. @param login - Only for this one. */
    sum: (from: number, to: number, login?: string): Sum =>
      sumOf(login === undefined ? sum.get([from, to]) : sumFor.get([login, from, to])),
    uncertain: (login?: string): Sum => sumOf(uncertain.get([login ?? null])),
    /** By UTC day, newest first. */
    days: (limit: number, login?: string): (Sum & { day: number })[] =>
      days.all([login ?? null, limit]).map((row) => ({ day: Number(row[0]), ...sumOf(row, 1) })),
    /** By month as `2026-11`, newest first. */
    months: (login?: string): (Sum & { month: string })[] =>
      months.all([login ?? null]).map((row) => ({ month: String(row[0]), ...sumOf(row, 1) })),
    /** By query, most expensive first. */
    queries: (login?: string): QuerySum[] =>
      queries
        .all([login ?? null])
        .map((row) => ({ query: String(row[0]), last: Number(row[1]), ...sumOf(row, 2) })),
    /** The same sums as {@link PlatformStore.sum} by login; null for what was for none. */
    logins: (from: number, to: number): (Sum & { login: string | null })[] =>
      logins.all([from, to]).map((row) => ({
        login: typeof row[0] === 'string' ? row[0] : null,
        ...sumOf(row, 1),
      })),
    /** The request of an ask, by its latest purchase. */
    requestOf: (ask: string): string | undefined => {
      const text = requestOf.get([ask])?.[0];
      return text === undefined ? undefined : String(text);
    },
    /** Number of requests of an ask that were sent and got no complete answer. */
    uncertainOf: (ask: string): number => Number(uncertainOf.get([ask])?.[0]),
    /** The page that an ask bought. */
    pageOf: (ask: string): BoughtPage | undefined => pageOf(ofAsk.get([ask])),
    /** The first page of a window that was fetched at or after an instant and is not withdrawn. */
    settledPage: (
      { meaning, granularity, fields, start, end }: VaultWindow,
      from: number,
    ): BoughtPage | undefined =>
      pageOf(settled.get([meaning, granularity, start, end, fields, from])),
    /**
     * The pages that {@link PlatformStore.settledPage} returns, one for each window, newest windows
     * first.
     *
     * @param settleMs - Minimum time between the end of a window's last UTC day and the fetch of its
     *   page.
     */
    pages: (
      { meaning, granularity, fields }: Omit<VaultWindow, 'start' | 'end'>,
      settleMs: number,
      limit: number,
    ): HeldRow[] =>
      pages
        .all([meaning, granularity, fields, settleMs, limit])
        .map(([endpoint, start, end, date]) => ({
          endpoint: endpoint === 'recent' ? 'recent' : 'all',
          start: Number(start),
          end: Number(end),
          date: Number(date),
        })),
    close: (): void => db.close(),
  };
}
