import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DAY_MS } from '#core/time/span.ts';
import type { Cell, Db, DbOptions } from '#server/db/driver.ts';
import { StoreError } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import { PLATFORM_1 } from '#server/migrations/platform-1.ts';

/** Number of requests and what they cost, in millionths of a dollar. */
export interface Sum {
  readonly requests: number;
  readonly price: number;
}

/** A window that pages are kept by, both ends named. */
export interface VaultWindow {
  /** What the query asks for, the same text for queries that ask the same. */
  readonly meaning: string;
  readonly granularity: string;
  /** Members of the buckets that were asked for. */
  readonly fields: string;
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
}

/** A request that is to be bought. */
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
  /** Bytes that its page is expected to take at most, packed. */
  readonly room: number;
}

/** Null where the request did not name it in a form that can be read. */
export interface KeptParts {
  /** As of a {@link VaultWindow}. */
  readonly meaning: string;
  readonly granularity: string | null;
  readonly fields: string | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly token: string | null;
}

export interface BoughtPage {
  /** For which it was bought. */
  readonly ask: string;
  /** When it was fetched, by the earlier of the platform's clock and the service's; epoch ms. */
  readonly date: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Packed by gzip. */
  readonly body: Uint8Array;
}

/** To whom else a page is given. */
export interface Sharing {
  /** Earlier pages of its window are given to nobody else any more. */
  readonly instead: boolean;
  /** It names a token for the rest of its window, which lives briefly: it is its ask's alone. */
  readonly continued: boolean;
}

/** How a purchase ended: `uncertain` where it was sent and no whole answer came. */
export type Outcome = 'released' | 'uncertain';

export interface QuerySum extends Sum {
  readonly query: string;
  /** When it was last asked, epoch ms. */
  readonly last: number;
}

/** Bounds of a page that is kept. */
export interface HeldRow {
  readonly endpoint: 'recent' | 'all';
  readonly start: number;
  readonly end: number;
  readonly date: number;
}

/** The file of the platform's settings, of what was bought there and of the pages that came. */
export interface PlatformStore {
  /** The settings as they were put; undefined where there are none, null where they are no JSON. */
  settings(): unknown;
  putSettings(settings: unknown): void;
  /**
   * Reserves the room on the disk that the page of a purchase needs, and notes the purchase, unless `refuse`
   * throws; the latter two in one transaction.
   *
   * @param refuse - Looks at the sums of this moment, and throws where there is no room under a cap.
   * @returns Number of the purchase.
   * @throws {@link StoreError} `full` where the page could not be kept.
   */
  reserve(order: Order, refuse: () => void): number;
  /**
   * Notes that a purchase was billed, and keeps its page.
   *
   * @param price - What it came to, millionths of a dollar; what was ordered unless given.
   */
  bill(
    purchase: number,
    parts: KeptParts,
    page: Omit<BoughtPage, 'ask'>,
    sharing: Sharing,
    price?: number,
  ): void;
  /** Notes that a purchase gave no page. */
  end(purchase: number, outcome: Outcome, status: number | null): void;
  /** Everything reserved, billed or uncertain on UTC days `[from, to)`. */
  sum(from: number, to: number): Sum;
  uncertain(): Sum;
  /** By UTC day, newest first. */
  days(limit: number): (Sum & { day: number })[];
  /** By month as `2026-11`, newest first. */
  months(): (Sum & { month: string })[];
  /** By query, dearest first. */
  queries(): QuerySum[];
  /** The request that an ask stands for, by its latest purchase. */
  requestOf(ask: string): string | undefined;
  /** Requests of an ask that were sent and got no whole answer. */
  uncertainOf(ask: string): number;
  /** The page that an ask bought. */
  pageOf(ask: string): BoughtPage | undefined;
  /** The first page of a window that was fetched at or after an instant, and is not withdrawn. */
  settledPage(window: VaultWindow, from: number): BoughtPage | undefined;
  /**
   * Pages that {@link PlatformStore.settledPage} gives, one of each window, newest windows first.
   *
   * @param settleMs - How long the last UTC day of a window was over when its page was fetched, at least.
   */
  pages(of: Omit<VaultWindow, 'start' | 'end'>, settleMs: number, most: number): HeldRow[];
  close(): void;
}

export const PLATFORM_KIND = { application: 0x47537066, steps: [PLATFORM_1] };

/** Purchases that count against the caps. */
const COUNTED = `outcome <> 'released'`;
const SUM = 'count(*), coalesce(sum(price), 0)';

/** What a commit writes beside the page of an answer: rows, indexes, the list of free pages. */
const SPARE_BYTES = 128 * 1024;

/** Least that the file grows by when it needs room, so that most purchases find some. */
const STEP_BYTES = 1024 * 1024;

/** A frame of the log is a page with its head. */
const FRAME_HEAD = 24;

/**
 * Room on the disk for pages that are on their way. Free pages of the file hold their place on the disk, as does
 * the log as long as it was before it was last written back; a commit that needs no more than those cannot
 * fail for want of space.
 */
class Room {
  readonly #db: Db;
  /** Bytes by purchase. */
  readonly #taken = new Map<number, number>();
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

  /** @throws {@link StoreError} `full` where there is not so much beside what others have reserved. */
  find(bytes: number): void {
    const own = bytes + SPARE_BYTES;
    const wanted = [...this.#taken.values()].reduce((sum, one) => sum + one, own);
    const lacking = wanted - Number(this.#free.get()?.[0]) * this.#pageBytes;
    const log = statSync(`${this.#db.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const short = log < this.#logged(own);
    if (lacking <= 0 && !short) return;
    const grown = Math.ceil(Math.max(lacking, short ? own : 0, STEP_BYTES)) + SPARE_BYTES;
    // Looked at first: a log that is written and does not fit into the file cannot begin again, for anybody.
    if (this.#diskBytes() < grown + this.#logged(grown)) {
      throw new StoreError('full', this.#db.file);
    }
    try {
      this.#checkpoint.get();
      this.#db.write('room', () => this.#put.run([grown]));
      // Only now does the file itself take the place.
      this.#checkpoint.get();
    } finally {
      this.#freeUp();
    }
  }

  take(purchase: number, bytes: number): void {
    this.#taken.set(purchase, bytes + SPARE_BYTES);
  }

  /** Gives up what a purchase has reserved, for what is written next: its page, which may be larger. */
  use(purchase: number, bytes: number): void {
    const reserved = this.#taken.get(purchase) ?? 0;
    this.#taken.delete(purchase);
    if (bytes + SPARE_BYTES > reserved) this.find(bytes);
    // On a full disk the commit fits into the log alone if that begins again, which costs two more syncs.
    if (this.#diskBytes() < 2 * this.#logged(bytes + SPARE_BYTES)) this.#checkpoint.get();
  }

  giveUp(purchase: number): void {
    this.#taken.delete(purchase);
  }

  #freeUp(): void {
    this.#db.write('room', () => this.#drop.run());
  }

  #diskBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#db.file));
    return bavail * bsize;
  }

  /** What the log takes for so many bytes of pages. */
  #logged(bytes: number): number {
    return bytes + Math.ceil(bytes / this.#pageBytes + 1) * FRAME_HEAD;
  }
}

/** How long after its purchase an answer may come. */
export const LONGEST_MS = 60_000;

/** Earlier versions kept the platform's own Date, which may lie after any time at which the page can have come. */
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
 * Opens the file of the platform, made if it is absent. Purchases that were under way when the program last
 * ended become uncertain.
 *
 * @throws {@link StoreError} as `openStore`; any function, when the file cannot be read or written.
 */
export function openPlatform(file: string, options: DbOptions = {}): PlatformStore {
  const db = openStore(file, PLATFORM_KIND, () => {}, options);
  db.write('lost', () =>
    db.prepare(`UPDATE purchase SET outcome = 'uncertain' WHERE outcome = 'open'`).run(),
  );
  const room = new Room(db);
  const settingOf = db.prepare(`SELECT value FROM setting WHERE name = 'platform'`);
  const putSetting = db.prepare(`INSERT OR REPLACE INTO setting VALUES ('platform', ?)`);
  const addQuery = db.prepare('INSERT INTO query (text) VALUES (?) ON CONFLICT (text) DO NOTHING');
  const queryOf = db.prepare('SELECT id FROM query WHERE text = ?');
  const addPurchase = db.prepare(
    `INSERT INTO purchase (ask, request, endpoint, query, at, day, price, outcome)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'open') RETURNING id`,
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
  const uncertain = db.prepare(`SELECT ${SUM} FROM purchase WHERE outcome = 'uncertain'`);
  const days = db.prepare(
    `SELECT day, ${SUM} FROM purchase WHERE ${COUNTED} GROUP BY day ORDER BY day DESC LIMIT ?`,
  );
  const months = db.prepare(
    `SELECT strftime('%Y-%m', day * 86400, 'unixepoch') AS month, ${SUM} FROM purchase
    WHERE ${COUNTED} GROUP BY month ORDER BY month DESC`,
  );
  const queries = db.prepare(
    `SELECT text, max(at), ${SUM} AS spent FROM purchase JOIN query ON query.id = purchase.query
    WHERE ${COUNTED} GROUP BY query.id ORDER BY spent DESC, max(at) DESC`,
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
    // With min() the other columns are those of its row.
    `SELECT endpoint, start, "end", ${FETCHED}, min(page.purchase)
    FROM page JOIN purchase ON purchase.id = page.purchase
    WHERE page.query = (SELECT id FROM query WHERE text = ?) AND granularity = ? AND fields = ?
    AND start IS NOT NULL AND "end" IS NOT NULL AND token IS NULL AND withdrawn = 0
    AND ${FETCHED} >= ("end" + ${DAY_MS - 1}) / ${DAY_MS} * ${DAY_MS} + ?
    GROUP BY start, "end" ORDER BY start DESC, "end" DESC LIMIT ?`,
  );

  /** Row of a text in the table of queries, made where there is none. */
  const idOf = (text: string): number => {
    addQuery.run([text]);
    return Number(queryOf.get([text])?.[0]);
  };
  return {
    settings: () => {
      const text = settingOf.get()?.[0];
      return text === undefined ? undefined : jsonOf(String(text));
    },
    putSettings: (settings) =>
      void db.write('settings', () => putSetting.run([JSON.stringify(settings)])),
    reserve: ({ ask, request, endpoint, query, at, price, room: bytes }, refuse) => {
      room.find(bytes);
      const purchase = db.write('reserve', () => {
        refuse();
        const id = idOf(query);
        const day = Math.floor(at / DAY_MS);
        return Number(addPurchase.get([ask, request, endpoint, id, at, day, price])?.[0]);
      });
      room.take(purchase, bytes);
      return purchase;
    },
    bill: (purchase, parts, { date, headers, body }, { instead, continued }, price) => {
      room.use(purchase, body.length);
      db.write('bill', () => {
        settle.run([price ?? null, purchase]);
        const window = [parts.granularity, parts.fields, parts.start, parts.end];
        const query = idOf(parts.meaning);
        if (instead) withdraw.run([query, ...window]);
        const named = [purchase, query, ...window, parts.token];
        addPage.run([...named, date, JSON.stringify(headers), body, continued ? 1 : 0]);
      });
    },
    end: (purchase, outcome, status) => {
      room.giveUp(purchase);
      db.write('end', () => end.run([outcome, status, purchase]));
    },
    sum: (from, to) => sumOf(sum.get([from, to])),
    uncertain: () => sumOf(uncertain.get()),
    days: (limit) => days.all([limit]).map((row) => ({ day: Number(row[0]), ...sumOf(row, 1) })),
    months: () => months.all().map((row) => ({ month: String(row[0]), ...sumOf(row, 1) })),
    queries: () =>
      queries
        .all()
        .map((row) => ({ query: String(row[0]), last: Number(row[1]), ...sumOf(row, 2) })),
    requestOf: (ask) => {
      const text = requestOf.get([ask])?.[0];
      return text === undefined ? undefined : String(text);
    },
    uncertainOf: (ask) => Number(uncertainOf.get([ask])?.[0]),
    pageOf: (ask) => pageOf(ofAsk.get([ask])),
    settledPage: ({ meaning, granularity, fields, start, end }, from) =>
      pageOf(settled.get([meaning, granularity, start, end, fields, from])),
    pages: ({ meaning, granularity, fields }, settleMs, most) =>
      pages
        .all([meaning, granularity, fields, settleMs, most])
        .map(([endpoint, start, end, date]) => ({
          endpoint: endpoint === 'recent' ? 'recent' : 'all',
          start: Number(start),
          end: Number(end),
          date: Number(date),
        })),
    close: () => db.close(),
  };
}
