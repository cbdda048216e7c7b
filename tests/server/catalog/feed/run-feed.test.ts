import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readProductFeed, type FeedReading } from '#server/catalog/feed/run-feed.ts';
import type { FeedFormat } from '#server/catalog/feed/product-file.ts';
import { STORED_ROWS, type FeedRun } from '#server/catalog/feed/run-table.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { product } from '#tests/support/data/products.ts';
import { runs } from '#tests/support/run/runs.ts';

const file = temporaryFolder();
const store = openCatalogs(file('catalog.sqlite'));
afterAll(() => store.close());

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

const xml = (rows: readonly Fields[]): string =>
  `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\n${rows
    .map((row) => Object.entries(row).map(([name, value]) => `<g:${name}>${value}</g:${name}>`))
    .map((elements) => `<item>${elements.join('')}</item>\n`)
    .join('')}</channel></rss>`;

let made = 0;

/** A catalog and runs of feeds into it. */
function shop() {
  const catalog = store.add(`user ${(made += 1)}`, 'Shop', 0).id;
  const path = file(`feed-${made}`);
  const run = (
    content: string | Buffer,
    {
      source = String((made += 1)),
      format = 'CSV' as FeedFormat,
      signal = new AbortController().signal,
      now = (): number => 5,
      onProgress = undefined as ((progress: FeedReading) => void) | undefined,
    } = {},
  ): Promise<FeedRun | null> => {
    // A file that is the same has the same time.
    if (!existsSync(path) || !Buffer.from(content).equals(readFileSync(path))) {
      writeFileSync(path, content);
    }
    const idFile = `${path}-ids`;
    return readProductFeed({
      store,
      catalog,
      path,
      format,
      source,
      idFile,
      now,
      signal,
      ...(onProgress && { onProgress }),
    });
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
    ['TSV', csv(two, COLUMNS, '\t')],
    ['XML', xml(two)],
  ] as const)('in %s creates products', async (format, content) => {
    const { run, ids } = shop();
    expect(await run(content, { format })).toMatchObject({ ...NONE, created: 2, fault: null });
    expect(await run(gzipSync(content), { format })).toMatchObject({ ...NONE, unchanged: 2 });
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
    expect(store.runs.rows(id, { after: null, limit: 10 })).toMatchObject([
      { number: 2, line: 3, product: 'b', errors: [{ parameter: 'price', value: 'x' }] },
      { number: 4, line: 5, product: null, errors: [{ parameter: 'row' }] },
      { number: 5, line: 6, product: 'd', errors: [{ parameter: 'id' }] },
      { number: 6, line: 7, product: 'd', errors: [{ parameter: 'id' }] },
      { number: 7, line: 8, product: 'e', errors: [{ value: 'y' }] },
      { number: 3, line: 4, product: 'c', errors: [], warnings: [{ value: 'In_Stock' }] },
    ]);
    const repeated = '"id" occurs more than once in the feed; every occurrence was ignored';
    expect(store.runs.rules(id)).toEqual([
      { kind: 'error', rule: repeated, rows: 2 },
      {
        kind: 'error',
        rule: '"price" must be a number with a decimal point, a space and a currency, such as 20.00 USD',
        rows: 2,
      },
      { kind: 'error', rule: 'The row has another number of fields than the header', rows: 1 },
      { kind: 'warning', rule: '"availability" was read as "in stock"', rows: 1 },
    ]);
    expect(store.runs.of(catalog)).toEqual([ended]);
  });

  it('ignores repeated ids however far apart they are', { tags: 'long' }, async () => {
    const { run, ids } = shop();
    const rows = Array.from({ length: 4500 }, (_, i) => product(`p${i % 4400}`));
    const known = rows.slice(50, 150);
    expect(await run(csv(known))).toMatchObject({ ...NONE, created: 100 });
    // Also those that the catalog already has.
    const figures = { ...NONE, created: 4250, unchanged: 50, refused: 200 };
    expect(await run(csv(rows))).toMatchObject(figures);
    expect(ids()).not.toContain('p5');
  });

  it(
    'ends with the reason where it cannot be read on, after its complete rows',
    { tags: 'long' },
    async () => {
      const { run, ids } = shop();
      const whole = xml(Array.from({ length: 2500 }, (_, i) => product(`p${i}`)));
      const ended = await run(whole.slice(0, -200), { format: 'XML' });
      expect(ended).toMatchObject({ ...NONE, created: 2499, endedAt: 5 });
      expect(ended?.fault).toMatch(
        /^is cut off: the XML ends on line \d+ before "rss" is complete\.$/,
      );
      expect(ids()).toHaveLength(2499);
      const table = csv(Array.from({ length: 2400 }, (_, i) => product(`p${i}`)));
      expect(await run(`${table}\n"p2400","cut`)).toMatchObject({
        ...NONE,
        unchanged: 2400,
        refused: 1,
        fault: 'is cut off in line 2402: a quote is never closed.',
      });
      const other = await run(whole);
      expect(other).toMatchObject({ ...NONE, fault: 'is declared as CSV, but the file is XML.' });
    },
  );

  it('distinguishes ids that a database could confuse', async () => {
    const { run, ids } = shop();
    const rows = ['a', 'a\0', 'a\0b', 'a\0c', 'b\ud800', 'b\ud801', 'b\ufffd', 'A'];
    const content = Buffer.from(`\ufeff${csv(rows.map((id) => product(id)))}`, 'utf16le');
    const ended = await run(content);
    expect(ended).toMatchObject({ ...NONE, created: 3, refused: 5 });
    expect(ids()).toEqual(['a', 'b\ufffd', 'A']);
    const rule = '"id" must not contain U+0000 or half of a surrogate pair';
    expect(store.runs.rules(ended?.id ?? 0)).toContainEqual({ kind: 'error', rule, rows: 5 });
  });

  it('says once what it ignores', async () => {
    const { run } = shop();
    const rows = Array.from({ length: 2500 }, (_, i) => product(`p${i}`, { weight: i }));
    const ended = await run(csv(rows, [...COLUMNS, 'weight']));
    const message = 'Columns or elements that are not attributes of a product were ignored';
    const rules = [{ kind: 'warning', rule: message, rows: 1 }];
    expect(store.runs.rules(ended?.id ?? 0)).toEqual(rules);
    const empty = await run('id,weight\n');
    expect(empty).toMatchObject({ ...NONE, fault: null });
    expect(store.runs.rules(empty?.id ?? 0)).toEqual(rules);
    expect(store.runs.rows(ended?.id ?? 0, { after: null, limit: 10 })).toEqual([
      {
        number: 0,
        line: 1,
        product: null,
        errors: [],
        warnings: [{ code: 'INVALID_PARAMETER', parameter: 'feed', value: 'weight', message }],
      },
    ]);
  });

  it('restores a product that was changed or removed otherwise, though its row is the same', async () => {
    const { run, catalog } = shop();
    const content = csv(two);
    await run(content);
    const stored = () => store.products.page(catalog, { group: null, after: 0, limit: 10 });
    const [a, b] = stored();
    if (!a || !b) throw new Error('expected two products');
    const changed = { ...a.product, price: '1.00 USD' };
    store.products.put(catalog, [{ product: changed, digest: null }], 7);
    store.products.remove(catalog, b.key);
    expect(await run(content, { now: () => 9 })).toMatchObject({ ...NONE, created: 1, updated: 1 });
    expect(stored().map(({ product }) => product)).toEqual([a.product, b.product]);
    expect(store.products.history(a.key)).toMatchObject([
      { until: 7, price: '20.00 USD' },
      { until: 9, price: '1.00 USD' },
    ]);
    expect(await run(content)).toMatchObject({ ...NONE, unchanged: 2 });
  });

  it('keeps earlier prices, availability and sale periods', async () => {
    const { run, catalog } = shop();
    const sale = {
      sale_price: '9 USD',
      sale_price_effective_date: '2026-12-01T00:00+01:00/2026-12-24T18:00+01:00',
    };
    const steps = [{}, { price: '21 USD', ...sale }, { availability: 'out of stock' }];
    for (const [at, changes] of steps.entries()) {
      const row = product('a', changes);
      await run(csv([row], [...COLUMNS, ...Object.keys(sale)]), { now: () => at });
    }
    const [{ key } = { key: 0 }] = store.products.page(catalog, {
      group: null,
      after: 0,
      limit: 1,
    });
    const none = { salePrice: null, salePeriod: null, availability: 'in stock' };
    expect(store.products.history(key)).toEqual([
      { ...none, until: 1, price: '20.00 USD' },
      {
        until: 2,
        price: '21.00 USD',
        salePrice: '9.00 USD',
        salePeriod: sale.sale_price_effective_date,
        availability: 'in stock',
      },
    ]);
  });

  it('continues after its last batch when it was stopped', async () => {
    const { run, ids, catalog } = shop();
    const rows = Array.from({ length: 2500 }, (_, i) =>
      product(`p${i}`, i === 1500 ? { price: '' } : {}),
    );
    const stop = new AbortController();
    const onProgress = ({ state }: FeedReading): void => {
      if (state === 'writing') stop.abort(new Error('stopped'));
    };
    const content = csv(rows);
    const source = 'the same';
    const stopped = run(content, { source, signal: stop.signal, onProgress });
    await expect(stopped).rejects.toThrow('stopped');
    expect(store.runs.of(catalog)).toMatchObject([{ created: 1999, refused: 1, endedAt: null }]);
    const progress: FeedReading[] = [];
    const again = await run(content, { source, onProgress: (each) => progress.push(each) });
    expect(again).toMatchObject({ ...NONE, created: 2499, refused: 1, fault: null });
    expect(progress).toEqual([{ state: 'writing', rows: 2500, total: 2500 }]);
    expect(store.runs.of(catalog)).toHaveLength(1);
    expect(ids()).toHaveLength(2499);
  });

  it.each([
    ['the same file', false],
    ['another file, from its beginning,', true],
  ])('stopped while it reads, goes on with %s', async (_, isOther) => {
    const { run } = shop();
    const rows = Array.from({ length: 4500 }, (_, i) => product(`p${i}`));
    const size = csv(rows).length;
    const stop = new AbortController();
    const seen: FeedReading[] = [];
    const onProgress = (progress: FeedReading): void => {
      seen.push(progress);
      if (progress.rows > 2500) stop.abort(new Error('stopped'));
    };
    const stopped = run(csv(rows), { source: 'one', signal: stop.signal, onProgress });
    await expect(stopped).rejects.toThrow('stopped');
    expect(seen[0]).toMatchObject({ state: 'reading', bytes: 65_536, total: size });
    seen.length = 0;
    const next = csv(isOther ? rows.map((row) => ({ ...row, title: 'Other' })) : rows);
    const ended = await run(next, { source: 'one', onProgress: (each) => seen.push(each) });
    expect(ended).toMatchObject({ ...NONE, created: 4500, fault: null });
    expect((seen[0]?.rows ?? 0) >= 2000).toBe(!isOther);
    expect(seen.at(-1)).toEqual({ state: 'writing', rows: 4500, total: 4500 });
  });

  it('has room for rows with errors and for each rule, however many warnings there are', async () => {
    const { run } = shop();
    const count = STORED_ROWS + 2000;
    const rows = Array.from({ length: count }, (_, i) =>
      product(`p${i}`, { availability: 'In_Stock', ...(i >= count - 150 && { price: 'free' }) }),
    );
    rows[count - 200] = product('rare', { inventory: '1', availability: 'discontinued' });
    const id = (await run(csv(rows, [...COLUMNS, 'inventory'])))?.id ?? 0;
    const stored = store.runs.rows(id, { after: null, limit: 2 * count });
    expect(stored.filter(({ errors }) => errors.length > 0)).toHaveLength(150);
    expect(stored.slice(0, 150).every(({ errors }) => errors.length > 0)).toBe(true);
    expect(stored).toHaveLength(STORED_ROWS + 150 + 1);
    const rule = store.runs.rules(id).find(({ rows }) => rows === 1) ?? null;
    const broken = store.runs.rows(id, { after: null, limit: 10, rule });
    expect(broken).toMatchObject([{ product: 'rare', warnings: [{ parameter: 'inventory' }] }]);
  });

  it('ends with a catalog that is removed meanwhile', async () => {
    const { run, catalog } = shop();
    const other = shop();
    const remove = (): void => {
      if (store.has(other.catalog)) store.remove(other.catalog);
    };
    expect(await other.run(csv(two), { onProgress: remove })).toBeNull();
    expect(store.runs.of(other.catalog)).toEqual([]);
    const rows = Array.from({ length: 150 }, (_, i) => product(`p${i}`));
    const running = run(csv(rows));
    store.remove(catalog);
    expect(await running).toBeNull();
    expect(store.products.page(catalog, { group: null, after: 0, limit: 1 })).toEqual([]);
  });

  it('leaves no file behind, and keeps the last ten runs', async () => {
    const { run, catalog } = shop();
    for (let i = 0; i < 12; i++) await run(csv(two));
    expect(store.runs.of(catalog)).toHaveLength(10);
    expect(readdirSync(file('')).filter((name) => name.includes('-ids'))).toEqual([]);
  });

  it('has as many rows as were created, updated, unchanged and refused', async () => {
    const { run } = shop();
    const row = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', ' a', 'a\u007fb', 'ä😀'),
      price: fc.constantFrom('1 USD', '2 USD', 'free'),
      title: fc.string({ minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const content = csv(rows.map(({ id, ...rest }) => product(id, rest)));
        const first = await run(content);
        const again = await run(content);
        for (const run of [first, again]) {
          const { created = 0, updated = 0, unchanged = 0, refused = 0 } = run ?? {};
          expect(created + updated + unchanged + refused).toBe(rows.length);
        }
        expect(again).toMatchObject({ created: 0, updated: 0, refused: first?.refused });
      }),
      { numRuns: runs(25) },
    );
  });
});
