import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { runFeed } from '#server/catalog/feed/run-feed.ts';
import type { FeedFormat } from '#server/catalog/feed/product-file.ts';
import type { FeedRun } from '#server/catalog/feed/run-table.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { product } from '#tests/support/products.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-feed-'));
const store = openCatalogs(join(folder, 'catalog.sqlite'));
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const COLUMNS = Object.keys(product('a'));
type Fields = Record<string, unknown>;
const quoted = (value: unknown): string => `"${String(value).replaceAll('"', '""')}"`;
const csv = (
  rows: readonly Fields[],
  columns: readonly string[] = COLUMNS,
  delimiter = ',',
): string =>
  [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))]
    .map((fields) => fields.map(quoted).join(delimiter))
    .join('\n');

let made = 0;

/** A catalog and runs of feeds into it. */
function shop() {
  const catalog = store.add(`user ${(made += 1)}`, 'Shop', 0).id;
  const path = join(folder, `feed-${made}`);
  const run = (
    content: string | Buffer,
    {
      source = String((made += 1)),
      format = 'CSV' as FeedFormat,
      signal = new AbortController().signal,
      now = (): number => 5,
    } = {},
  ): Promise<FeedRun | null> => {
    writeFileSync(path, content);
    const idFile = `${path}-ids`;
    return runFeed({ store, catalog, path, format, source, idFile, now, signal });
  };
  const ids = (): string[] =>
    store.products
      .page(catalog, { group: null, after: 0, limit: 10_000 })
      .map(({ product }) => product.id);
  return { catalog, run, ids };
}

const NONE = { created: 0, updated: 0, unchanged: 0, refused: 0 };
const two = [product('a'), product('b', { title: 'A "quoted", long\ntitle' })];

describe('a feed', () => {
  it.each([
    ['CSV', csv(two)],
    ['with CRLF', csv(two).replaceAll('\n', '\r\n')],
    [
      'with columns in another order and case',
      csv(two, [...COLUMNS].reverse()).replace('"id"', '"ID"'),
    ],
    ['in UTF-8 with a mark', `\ufeff${csv(two)}`],
    ['in UTF-16 with a mark', Buffer.from(`\ufeff${csv(two)}`, 'utf16le')],
    ['gzipped', gzipSync(csv(two))],
  ])('%s creates products', async (_, content) => {
    const { run, ids } = shop();
    expect(await run(content)).toMatchObject({ ...NONE, created: 2, fault: null, endedAt: 5 });
    expect(ids()).toEqual(['a', 'b']);
  });

  it('changes nothing when it is read again, and leaves what it no longer has', async () => {
    const { run, ids } = shop();
    await run(csv(two));
    expect(await run(csv(two))).toMatchObject({ ...NONE, unchanged: 2 });
    const next = [product('a', { price: '1 USD' }), product('c')];
    expect(await run(csv(next))).toMatchObject({ ...NONE, created: 1, updated: 1 });
    expect(ids()).toEqual(['a', 'b', 'c']);
  });

  it('reports refused rows with line, product and rule, and counts them by rule', async () => {
    const { run, ids, catalog } = shop();
    const text = [
      csv([product('a'), product('b', { price: 'x' }), product('c', { availability: 'In_Stock' })]),
      'too,short',
      csv([product('d'), product('d')])
        .split('\n')
        .slice(1)
        .join('\n'),
      csv([product('e', { price: 'y' })]).split('\n')[1],
    ].join('\n');
    const ended = await run(text);
    expect(ended).toMatchObject({ ...NONE, created: 2, refused: 5 });
    expect(ids()).toEqual(['a', 'c']);
    const id = ended?.id ?? 0;
    expect(store.runs.rows(id, -1, 10)).toMatchObject([
      { number: 2, line: 3, product: 'b', errors: [{ parameter: 'price', value: 'x' }] },
      { number: 3, line: 4, product: 'c', errors: [], warnings: [{ value: 'In_Stock' }] },
      { number: 4, line: 5, product: null, errors: [{ parameter: 'row' }] },
      { number: 5, line: 6, product: 'd', errors: [{ parameter: 'id' }] },
      { number: 6, line: 7, product: 'd', errors: [{ parameter: 'id' }] },
      { number: 7, line: 8, product: 'e', errors: [{ value: 'y' }] },
    ]);
    const repeated = '"id" occurs more than once in the feed; every occurrence was ignored';
    expect(store.runs.rules(id)).toEqual([
      { kind: 'error', rule: repeated, rows: 2 },
      {
        kind: 'error',
        rule: '"price" must be a number with a decimal point, a space and a currency, such as 20.00 USD',
        rows: 2,
      },
      { kind: 'warning', rule: '"availability" was read as "in stock"', rows: 1 },
      { kind: 'error', rule: 'The row has another number of fields than the header', rows: 1 },
    ]);
    expect(store.runs.of(catalog)).toEqual([ended]);
  });

  it('ignores repeated ids however far apart they are', async () => {
    const { run, ids } = shop();
    const rows = Array.from({ length: 2500 }, (_, i) => product(`p${i % 2400}`));
    expect(await run(csv(rows))).toMatchObject({ ...NONE, created: 2300, refused: 200 });
    expect(ids()).not.toContain('p5');
  });

  it.each([
    ['cut off', gzipSync(csv(two)).subarray(0, 60), /cut off/],
    ['without an id column', csv(two, ['title', 'price']), /has no column "id"/],
    [
      'with a column twice',
      'id,price,Price\na,1 USD,2 USD',
      /two columns for price: "price" and "Price"/,
    ],
    ['of another type', '<?xml version="1.0"?><rss/>', /XML/],
    ['in JSON', '[{"id":"a"}]', /is declared as CSV, but the file is JSON/],
    ['empty', '', /is empty/],
    [
      'packed a thousandfold',
      gzipSync(`${csv(two)}\n${' '.repeat(100_000_000)}`),
      /unpacks to more/,
    ],
  ])('%s ends with the reason', async (_, content, reason) => {
    const { run } = shop();
    const ended = await run(content);
    expect(ended?.fault).toMatch(reason);
    expect(ended?.fault).not.toContain(folder);
    expect(ended?.endedAt).toBe(5);
  });

  it('continues after its last batch when it was stopped', async () => {
    const { run, ids, catalog } = shop();
    const rows = Array.from({ length: 2500 }, (_, i) =>
      product(`p${i}`, i === 1500 ? { price: '' } : {}),
    );
    const stop = new AbortController();
    let batches = 0;
    const now = (): number => {
      // Called at the beginning and for each batch.
      if (++batches === 3) stop.abort(new Error('stopped'));
      return 5;
    };
    const content = csv(rows);
    const source = 'the same';
    await expect(run(content, { source, signal: stop.signal, now })).rejects.toThrow('stopped');
    expect(store.runs.of(catalog)).toMatchObject([{ created: 1999, refused: 1, endedAt: null }]);
    expect(await run(content, { source })).toMatchObject({
      ...NONE,
      created: 2499,
      refused: 1,
      fault: null,
    });
    expect(store.runs.of(catalog)).toHaveLength(1);
    expect(ids()).toHaveLength(2499);
  });

  it('ends with a catalog that is removed meanwhile', async () => {
    const { run, catalog } = shop();
    const rows = Array.from({ length: 1500 }, (_, i) => product(`p${i}`));
    const running = run(csv(rows));
    store.remove(catalog);
    expect(await running).toBeNull();
    expect(store.products.page(catalog, { group: null, after: 0, limit: 1 })).toEqual([]);
  });

  it('leaves no file behind, and keeps the last ten runs', async () => {
    const { run, catalog } = shop();
    for (let i = 0; i < 12; i++) await run(csv(two));
    expect(store.runs.of(catalog)).toHaveLength(10);
    expect(readdirSync(folder).filter((name) => name.includes('-ids'))).toEqual([]);
  });

  it('has as many rows as were created, updated, unchanged and refused', async () => {
    const { run } = shop();
    const row = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', ' a'),
      price: fc.constantFrom('1 USD', '2 USD', 'free'),
      title: fc.string({ minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const content = csv(rows.map(({ id, ...rest }) => product(id, rest)));
        const first = await run(content);
        const again = await run(content);
        for (const one of [first, again]) {
          const { created = 0, updated = 0, unchanged = 0, refused = 0 } = one ?? {};
          expect(created + updated + unchanged + refused).toBe(rows.length);
        }
        expect(again).toMatchObject({ created: 0, updated: 0, refused: first?.refused });
      }),
      { numRuns: 25 },
    );
  });
});
