import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import {
  isCondition,
  readFilter,
  type ProductCondition,
  type Filter,
} from '#core/catalog/filter.ts';
import type { FeedFormat } from '#server/catalog/feed/product-file.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import type { FeedCost, FeedJob } from './feed-child.ts';
import { writeFeed } from './feed-files.ts';
import { digits, fact, goal, milliseconds, shown, table, timing } from './measure.ts';

const FORMATS: readonly FeedFormat[] = ['CSV', 'TSV', 'XML'];
const LEAST: Readonly<Record<FeedFormat, number>> = { CSV: 20_000, TSV: 20_000, XML: 8000 };
/** One product of so many has another price in the second run. */
const CHANGED = 100;
const FILTERS = 30;
const PAGE = 100;

/** Builds the program that runs a feed, so that its memory is that of the service's code alone. */
async function buildChild(folder: string): Promise<string> {
  const source = fileURLToPath(new URL('./feed-child.ts', import.meta.url));
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['libsql'] },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { input: { 'feed-child': source } },
    },
  });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  return join(folder, 'feed-child.js');
}

async function runIn(program: string, job: FeedJob): Promise<FeedCost> {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const cost = JSON.parse(out) as FeedCost;
  if (cost.run.fault !== null) throw new Error(`expected a whole feed, got: ${cost.run.fault}`);
  return cost;
}

const rowsOf = ({ run }: FeedCost): number =>
  run.created + run.updated + run.unchanged + run.refused;

/** The rows of a run per second. */
const rate = (cost: FeedCost): number => (rowsOf(cost) * 1000) / cost.ms;

/** The rows per second of the time in which other processes did not use its processor. */
const rateAlone = (cost: FeedCost): number =>
  cost.waited === null ? NaN : rowsOf(cost) / (cost.ms / 1000 - cost.waited);

const rowOf = (format: FeedFormat, name: string, cost: FeedCost): string[] => [
  format,
  name,
  String(cost.run.created),
  String(cost.run.updated),
  String(cost.run.unchanged),
  (cost.ms / 1000).toFixed(1),
  cost.user.toFixed(1),
  cost.system.toFixed(1),
  cost.waited?.toFixed(1) ?? '–',
  rate(cost).toFixed(0),
  cost.memory.toFixed(0),
];

function conditionsOf(filters: readonly Filter[]): ProductCondition[] {
  const read = filters.map(readFilter);
  if (!read.every(isCondition)) throw new Error('expected filters that can be used');
  return read;
}

/** Sets of 30 filters: one that most products meet, one that few meet, and one that none does. */
function sets(): readonly (readonly [string, readonly ProductCondition[]])[] {
  const texts = Array.from({ length: FILTERS - 2 }, (_, i) => ({
    attribute: (['product_type', 'google_product_category', 'custom_label_0'] as const)[i % 3]!,
    operator: 'NOT_CONTAINS' as const,
    value: `other ${i}`,
  }));
  const price = { attribute: 'price', operator: 'GREATER_THAN', value: '11.00 USD' } as const;
  const stock = (value: string) =>
    ({ attribute: 'inventory', operator: 'GREATER_THAN', value }) as const;
  return [
    ['that most products meet', conditionsOf([...texts, price, stock('1')])],
    [
      'that one of 25,000 meets',
      conditionsOf([
        ...texts,
        stock('499'),
        { attribute: 'product_type', operator: 'CONTAINS', value: 'type 17' },
      ]),
    ],
    ['that none meets', conditionsOf([...texts, price, stock('500')])],
  ];
}

/** Times the first page of each set, each after the file was opened. */
async function pages(file: string, rounds: number): Promise<void> {
  const rows = [];
  for (const [name, conditions] of sets()) {
    const times: number[] = [];
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const store = openCatalogs(file);
      const catalog = store.of('1')?.id ?? 0;
      times.push(
        await milliseconds(() => {
          const page = store.sets.matching(catalog, conditions, { after: 0, limit: PAGE });
          found = page.length;
        }),
      );
      store.close();
    }
    rows.push([name, found, timing(times)] as const);
  }
  table(`first page of a set of ${FILTERS} filters, right after a start, ms`, [
    ['set', 'products', 'median (min–max)'],
    ...rows.map(([name, found, time]) => [name, String(found), shown(time)]),
  ]);
  for (const [name, , time] of rows) goal(`a set ${name}`, time.median, '≤', 50, ' ms');
}

/**
 * Reads generated feeds of CSV, TSV and XML into empty catalogs, and again with 1 % of the prices changed; then pages of
 * sets of the products.
 *
 * @param bytes - Size of a feed.
 */
export async function benchFeed(folder: string, bytes: number, rounds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const program = await buildChild(folder);
  const path = join(folder, 'feed');
  const rows = [];
  for (const format of FORMATS) {
    const store = join(folder, `${format}.sqlite`);
    const products = writeFeed(path, format, bytes, 0);
    const first = await runIn(program, { store, path, format, source: '1' });
    writeFeed(path, format, bytes, CHANGED);
    const second = await runIn(program, { store, path, format, source: '2' });
    rows.push({ format, products, first, second });
    if (format !== 'CSV') rmSync(store);
  }
  table(`feeds of ${digits(bytes / 2 ** 20)} MiB`, [
    [
      '',
      'run',
      'created',
      'updated',
      'unchanged',
      's',
      'user s',
      'system s',
      'waited s',
      'rows/s',
      'MiB',
    ],
    ...rows.flatMap(({ format, first, second }) => [
      rowOf(format, 'first', first),
      rowOf(format, '1 % changed', second),
    ]),
  ]);
  for (const { format, first, second } of rows) {
    goal(`${format}: first run`, rate(first), '≥', LEAST[format], ' rows/s');
    fact(
      `${format}: first run without waiting for a processor: ${digits(rateAlone(first))} rows/s`,
    );
    goal(`${format}: second run : first`, second.ms / first.ms, '≤', 0.4);
    goal(`${format}: memory`, Math.max(first.memory, second.memory), '≤', 300, ' MiB');
  }
  fact(`products: ${rows.map(({ format, products }) => `${format} ${products}`).join(', ')}`);
  await pages(join(folder, 'CSV.sqlite'), rounds);
}
