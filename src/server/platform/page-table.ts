import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { numberOrNull, type Cell, type Db } from '#server/db/driver.ts';

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
  /** The time at which it was fetched, by the earlier of the platform's clock and the service's; epoch ms. */
  readonly date: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Compressed by gzip. */
  readonly body: Uint8Array;
}

/** The other asks to which a page is returned. */
export interface Sharing {
  /** Earlier pages of its window are no longer returned to other asks. */
  readonly instead: boolean;
  /** It has a token for the rest of its window, which is short-lived: only its own ask gets it. */
  readonly continued: boolean;
}

/** Bounds of a stored page. */
export interface HeldRow {
  readonly endpoint: CountsEndpoint;
  readonly start: number;
  readonly end: number;
  readonly date: number;
}

/** A stored page of counts, which may be of a day that is not settled. */
export interface BoughtCounts {
  /** Number of its purchase. */
  readonly purchase: number;
  readonly endpoint: CountsEndpoint;
  readonly start: number;
  /** Null if it has the newest counts there were. */
  readonly end: number | null;
  readonly fetched: number;
}

/** The longest time from a purchase to its answer. */
export const LONGEST_MS = 60_000;

/** Earlier versions stored the platform's own Date, which may be later than the page can have come. */
const FETCHED = `min(date, at + ${LONGEST_MS})`;

/** Pages with their purchases. */
const BOUGHT = 'FROM page JOIN purchase ON purchase.id = page.purchase';

function pageOf(row: Cell[] | undefined): BoughtPage | undefined {
  const body = row?.[2];
  if (!row || !Buffer.isBuffer(body)) return undefined;
  const headers = JSON.parse(String(row[1])) as Record<string, string>;
  return { date: Number(row[0]), headers, body, ask: String(row[3]) };
}

/** The pages that purchases brought. */
export function pageTable(db: Db) {
  const addQuery = db.prepare('INSERT INTO query (text) VALUES (?) ON CONFLICT (text) DO NOTHING');
  const queryOf = db.prepare('SELECT id FROM query WHERE text = ?');
  const withdraw = db.prepare(
    `UPDATE page SET withdrawn = 1 WHERE query = ? AND granularity = ? AND fields = ? AND start = ? AND "end" = ?`,
  );
  const addPage = db.prepare(
    `INSERT INTO page
    (purchase, query, granularity, fields, start, "end", token, date, headers, body, withdrawn)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofAsk = db.prepare(
    `SELECT ${FETCHED}, headers, body, ask ${BOUGHT}
    WHERE ask = ? ORDER BY purchase.id DESC LIMIT 1`,
  );
  const settled = db.prepare(
    `SELECT ${FETCHED}, headers, body, ask ${BOUGHT}
    WHERE page.query = (SELECT id FROM query WHERE text = ?)
    AND granularity = ? AND start = ? AND "end" = ? AND fields = ? AND token IS NULL
    AND withdrawn = 0 AND ${FETCHED} >= ? ORDER BY page.purchase LIMIT 1`,
  );
  const pages = db.prepare(
    // With min(), the other columns come from its row.
    `SELECT endpoint, start, "end", ${FETCHED}, min(page.purchase)
    ${BOUGHT}
    WHERE page.query = (SELECT id FROM query WHERE text = ?) AND granularity = ? AND fields = ?
    AND start IS NOT NULL AND "end" IS NOT NULL AND token IS NULL AND withdrawn = 0
    AND ${FETCHED} >= ("end" + ${DAY_MS - 1}) / ${DAY_MS} * ${DAY_MS} + ?
    GROUP BY start, "end" ORDER BY start DESC, "end" DESC LIMIT ?`,
  );

  const counts = db.prepare(
    `SELECT purchase.id, endpoint, start, "end", ${FETCHED} ${BOUGHT}
    WHERE page.query = (SELECT id FROM query WHERE text = ?) AND granularity = ? AND fields = ?
    AND start < ? AND coalesce("end", ${FETCHED}) > ? AND token IS NULL AND withdrawn = 0`,
  );
  const ofPurchase = db.prepare(
    `SELECT ${FETCHED}, headers, body, ask ${BOUGHT} WHERE purchase.id = ?`,
  );

  const overlapping = db.prepare(
    `SELECT ${FETCHED}, headers, body, ask, start, "end" ${BOUGHT}
    WHERE page.query = (SELECT id FROM query WHERE text = ?) AND granularity = ?
    AND start < ? AND "end" > ? ORDER BY page.purchase`,
  );

  /** The number of a text in the table of queries, which is added if it is missing. */
  const queryId = (text: string): number => {
    addQuery.run([text]);
    return Number(queryOf.get([text])?.[0]);
  };
  const newest = db.prepare('SELECT max(purchase) FROM page');
  return {
    queryId,
    /** Number of the newest page's purchase, which changes with every page; 0 without pages. */
    newest: (): number => Number(newest.get()?.[0] ?? 0),
    /** Adds the page of a purchase. */
    add: (
      purchase: number,
      parts: StoredParts,
      { date, headers, body }: Omit<BoughtPage, 'ask'>,
      { instead, continued }: Sharing,
    ): void => {
      const window = [parts.granularity, parts.fields, parts.start, parts.end];
      const query = queryId(parts.meaning);
      if (instead) withdraw.run([query, ...window]);
      const named = [purchase, query, ...window, parts.token];
      addPage.run([...named, date, JSON.stringify(headers), body, continued ? 1 : 0]);
    },
    /** The page that an ask bought. */
    pageOf: (ask: string): BoughtPage | undefined => pageOf(ofAsk.get([ask])),
    /** The first page of a window that was fetched at or after an instant and is not withdrawn. */
    settledPage: (
      { meaning, granularity, fields, start, end }: VaultWindow,
      from: number,
    ): BoughtPage | undefined =>
      pageOf(settled.get([meaning, granularity, start, end, fields, from])),
    /** All pages of a text whose windows overlap a span, in the order of their purchases. */
    overlapping: (
      { meaning, granularity }: Pick<VaultWindow, 'meaning' | 'granularity'>,
      { start, end }: Span,
    ): (BoughtPage & { readonly asked: Span })[] =>
      overlapping.all([meaning, granularity, end, start]).flatMap((row) => {
        const page = pageOf(row);
        return page ? [{ ...page, asked: { start: Number(row[4]), end: Number(row[5]) } }] : [];
      }),
    /** The pages of counts in a span that other asks may have. */
    counts: (
      { meaning, granularity, fields }: Omit<VaultWindow, 'start' | 'end'>,
      { start, end }: Span,
    ): BoughtCounts[] =>
      counts
        .all([meaning, granularity, fields, end, start])
        .map(([purchase, endpoint, from, to, fetched]) => ({
          purchase: Number(purchase),
          endpoint: endpoint === 'recent' ? 'recent' : 'all',
          start: Number(from),
          end: numberOrNull(to),
          fetched: Number(fetched),
        })),
    /** The page that a purchase brought. */
    pageOfPurchase: (purchase: number): BoughtPage | undefined =>
      pageOf(ofPurchase.get([purchase])),
    /**
     * The pages that `settledPage` returns, one for each window, newest windows first.
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
  };
}
