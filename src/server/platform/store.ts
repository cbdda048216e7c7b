import { DAY_MS } from '#core/time/span.ts';
import type { DbOptions } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import { PLATFORM_SCHEMA } from '#server/migrations/platform.ts';
import { DiskReserve } from './disk-reserve.ts';
import { pageTable, type BoughtPage, type Sharing, type StoredParts } from './page-table.ts';
import { spendingTable } from './spending-table.ts';

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

/** The outcome of a purchase; `uncertain` if it was sent and no complete answer came. */
type Outcome = 'released' | 'uncertain';

/** The file with the platform's settings, purchases and pages. */
export type PlatformStore = ReturnType<typeof openPlatform>;

export const PLATFORM_KIND = { application: 0x47537066, first: 2, steps: [PLATFORM_SCHEMA] };

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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
  const disk = new DiskReserve(db);
  const { queryId, add: addPage, ...pages } = pageTable(db);
  const settingOf = db.prepare(`SELECT value FROM setting WHERE name = 'platform'`);
  const putSetting = db.prepare(`INSERT OR REPLACE INTO setting VALUES ('platform', ?)`);
  const addPurchase = db.prepare(
    `INSERT INTO purchase (ask, request, endpoint, query, at, day, price, login, outcome)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open') RETURNING id`,
  );
  const end = db.prepare('UPDATE purchase SET outcome = ?, status = ? WHERE id = ?');
  const settle = db.prepare(
    `UPDATE purchase SET outcome = 'billed', status = 200, price = coalesce(?, price) WHERE id = ?`,
  );
  const requestOf = db.prepare(
    'SELECT request FROM purchase WHERE ask = ? ORDER BY id DESC LIMIT 1',
  );
  const uncertainOf = db.prepare(
    `SELECT count(*) FROM purchase WHERE ask = ? AND outcome = 'uncertain'`,
  );
  return {
    ...spendingTable(db),
    ...pages,
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
      disk.find(bytes);
      const purchase = db.write('reserve', () => {
        refuse();
        const id = queryId(query);
        const day = Math.floor(at / DAY_MS);
        return Number(
          addPurchase.get([ask, request, endpoint, id, at, day, price, login ?? null])?.[0],
        );
      });
      disk.take(purchase, bytes);
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
      page: Omit<BoughtPage, 'ask'>,
      sharing: Sharing,
      price?: number,
    ) => {
      disk.use(purchase, page.body.length);
      db.write('bill', () => {
        settle.run([price ?? null, purchase]);
        addPage(purchase, parts, page, sharing);
      });
    },
    /** Records that a purchase returned no page. */
    end: (purchase: number, outcome: Outcome, status: number | null) => {
      disk.giveUp(purchase);
      db.write('end', () => end.run([outcome, status, purchase]));
    },
    /** The request of an ask, by its latest purchase. */
    requestOf: (ask: string): string | undefined => {
      const text = requestOf.get([ask])?.[0];
      return text === undefined ? undefined : String(text);
    },
    /** Number of requests of an ask that were sent and got no complete answer. */
    uncertainOf: (ask: string): number => Number(uncertainOf.get([ask])?.[0]),
    close: (): void => db.close(),
  };
}
