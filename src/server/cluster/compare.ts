import { CELL_MS, type Span } from '#core/time/span.ts';
import type { Condition } from '#core/query/ast.ts';
import { formatInstant } from '#contract/instant.ts';
import { BUCKET_MS, ceilTo, floorTo, type Granularity } from '#core/time/bucket.ts';
import type { Db } from '#server/db/driver.ts';
import { postTable } from '#server/posts/store/post-table.ts';
import type { Source } from '#server/posts/index/source.ts';
import { storedTerms } from '#server/posts/store/stored-post.ts';
import { isSame } from './migrate.ts';
import type { ClusterReader } from './reader.ts';
import type { ClusterState } from './state.ts';

/** Posts whose rows are compared at once. */
const ROWS = 8192;
/** Terms whose counts are compared: those of Posts at equal distances. */
const MOST_TERMS = 200;
/** Differences that are listed. */
const SHOWN = 20;

/** The differences of two stores; the first {@link SHOWN} as sentences. */
export interface StoreComparison {
  readonly posts: number;
  readonly differences: number;
  readonly shown: readonly string[];
}

class Differences {
  count = 0;
  readonly shown: string[] = [];

  add(text: string): void {
    this.count += 1;
    if (this.shown.length < SHOWN) this.shown.push(text);
  }
}

/** The spans of pages that cover a time. */
function pagesOf({ start, end }: Span): Span[] {
  const pages: Span[] = [];
  for (let from = floorTo(start, 'day'); from < end; from += CELL_MS) {
    pages.push({ start: from, end: Math.min(from + CELL_MS, ceilTo(end, 'day')) });
  }
  return pages;
}

/** The subjects of a comparison: a source in a file, open twice, and a state of a cluster. */
interface Both {
  readonly source: Source;
  readonly db: Db;
  readonly reader: ClusterReader;
  readonly state: ClusterState;
  readonly signal: AbortSignal;
}

async function compareCounts(
  { source, reader }: Both,
  [name, condition]: readonly [name: string, condition: Condition],
  span: Span,
  granularity: Granularity,
  found: Differences,
): Promise<void> {
  const own = source.index.histogram(condition, span, granularity);
  const other = await reader.histogram(condition, span, granularity);
  const at = own.findIndex((count, i) => count !== other[i]);
  if (at < 0) return;
  const instant = formatInstant(floorTo(span.start, granularity) + at * BUCKET_MS[granularity]);
  found.add(
    `${name}: ${own[at]} Posts in the ${granularity} from ${instant}, and ${other[at]} in ClickHouse.`,
  );
}

/** Terms of Posts at equal distances, so that frequent ones and rare ones are among them. */
function someTerms({ db }: Both): string[] {
  const table = postTable(db);
  const rows = table.count();
  const terms = new Set<string>();
  const step = Math.max(1, Math.floor(rows / 40));
  let after = -1n;
  let seen = 0;
  for (;;) {
    const part = table.times(after, step);
    const last = part.at(-1);
    if (!last || terms.size >= MOST_TERMS || seen++ > 60) break;
    after = last.id;
    const row = table.get(last.id);
    const { words, flags } = row ? storedTerms(row, table.object) : { words: [], flags: [] };
    for (const term of [...words, ...flags]) {
      if (/^(domain|address|geo):/.test(term) || terms.size >= MOST_TERMS) continue;
      terms.add(term);
    }
  }
  return [...terms];
}

async function compareRows(both: Both, found: Differences): Promise<number> {
  const { db, reader, signal } = both;
  const table = postTable(db);
  let after = -1n;
  let posts = 0;
  while (!signal.aborted) {
    const rows = table.after(after, ROWS);
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
    posts += rows.length;
    const versions = await reader.versions(rows.map(({ id }) => id));
    const stored = new Map(versions.map((version) => [version.id, version]));
    for (const row of rows) {
      const version = stored.get(row.id);
      if (!version) found.add(`The Post ${row.id} is not in ClickHouse.`);
      else if (!isSame(row, version)) found.add(`The Post ${row.id} is another one in ClickHouse.`);
    }
  }
  return posts;
}

/**
 * Compares a source in a file with a cluster: each row, the number of Posts by minute, and the counts of some two hundred
 * terms by hour.
 *
 * @returns The result so far, if the signal came.
 */
export async function compareStores(both: Both): Promise<StoreComparison> {
  const { source, state, signal } = both;
  const found = new Differences();
  const { posts, first, last } = source.index;
  if (posts !== state.posts) {
    found.add(`${posts} Posts count in the data folder, and ${state.posts} in ClickHouse.`);
  }
  const rows = await compareRows(both, found);
  const start = Math.min(first ?? Infinity, state.first ?? Infinity);
  const end = Math.max(last ?? -Infinity, state.last ?? -Infinity) + 1;
  if (start < end) {
    const every: Condition = { kind: 'all', of: [] };
    for (const page of pagesOf({ start, end })) {
      if (signal.aborted) break;
      await compareCounts(both, ['Every Post', every], page, 'minute', found);
    }
    const whole = { start: floorTo(start, 'day'), end: ceilTo(end, 'day') };
    for (const term of someTerms(both)) {
      if (signal.aborted) break;
      await compareCounts(both, [`“${term}”`, { kind: 'term', term }], whole, 'hour', found);
    }
  }
  return { posts: rows, differences: found.count, shown: found.shown };
}
