import * as fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';
import { GRANULARITIES, BUCKET_MS, floorTo } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import { checkPosts } from '#server/maintenance/check.ts';
import { purgeCollections } from '#server/maintenance/purge.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { openDb, type Db } from '#server/db/driver.ts';
import { finish, NEVER } from '#server/index/steps.ts';
import { collectionChanges } from '#server/posts/store/collection-changes.ts';
import {
  CollectionError,
  cleanName,
  MOST_NAME,
  POSTED_HERE,
  RESTORABLE_MS,
} from '#server/posts/store/collections.ts';
import {
  collectionsOf,
  openPosts,
  postTable,
  SUPERSEDED,
  type NewPost,
} from '#server/posts/store/post-table.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

vi.setConfig({ testTimeout: 120_000 });

const file = temporaryFolder();
const random = countingBytes();
const START = Date.UTC(2024, 1, 28);
const SPAN = { start: START, end: START + 4 * DAY_MS };
const WORDS = ['cat', 'dog', 'fox'];

function postOf(id: number): NewPost {
  const text = WORDS.filter((_, i) => ((id >> i) & 1) === 1).join(' ') || 'none';
  const columns = { authorId: null, username: null, text, lang: id % 2 === 0 ? 'en' : 'de' };
  // Spread over the span in an order that is not that of the ids.
  const createdAt = START + ((id * 7919) % 96) * HOUR_MS + id;
  const terms = termsOf({ text, lang: columns.lang });
  return { id: BigInt(id), createdAt, ...columns, rest: null, facts: null, terms };
}

function openQuickly(name: string): Db {
  const db = openPosts(name, { random });
  db.exec('PRAGMA synchronous = OFF');
  return db;
}

/** The counts that a store must have, of a query by a granularity: its rows and collections, read as they are. */
function rawCounts(name: string) {
  const db = openDb(name);
  const named = new Map<string, number>();
  const counting = new Set<number>();
  for (const [id, folded, included, removed] of db
    .prepare('SELECT id, folded, included, removed_at FROM collection')
    .all()) {
    if (removed !== null) continue;
    named.set(String(folded), Number(id));
    if (Number(included) === 1) counting.add(Number(id));
  }
  // More than the file has.
  const all = postTable(db).after(-1n, 500);
  db.close();
  const shown = all
    .filter(({ flags }) => (flags & SUPERSEDED) === 0)
    .map((row) => ({ ...row, own: collectionsOf(row) }))
    .filter(({ own }) => own.some((id) => counting.has(id)));
  return (text: string, granularity: (typeof GRANULARITIES)[number]): number[] => {
    const width = BUCKET_MS[granularity];
    const counts = Array.from({ length: (SPAN.end - SPAN.start) / width }, () => 0);
    // A space joins, a minus negates: enough for the queries of this test.
    const clauses = text.match(/-?(?:in:"[^"]*"|\S+)/g) ?? [];
    for (const { own, ...row } of shown) {
      const isMet = clauses.every((clause) => {
        const bare = clause.replace(/^-/, '');
        const name = /^in:"?([^"]*)"?$/.exec(bare)?.[1];
        const has =
          name !== undefined
            ? own.includes(named.get(name) ?? -1)
            : bare.startsWith('lang:')
              ? row.lang === bare.slice(5)
              : row.text.split(' ').includes(bare);
        return has !== clause.startsWith('-');
      });
      if (isMet) counts[(floorTo(row.createdAt, granularity) - SPAN.start) / width]! += 1;
    }
    return counts;
  };
}

function counted(
  source: Source,
  text: string,
  granularity: (typeof GRANULARITIES)[number],
): number[] {
  const parsed = parse(text, { own: true });
  if (!parsed.ok) throw new Error(parsed.diagnostics[0]?.message);
  source.refresh();
  const wanted = condition(parsed.ast, source.index);
  return [...source.index.histogram(wanted, SPAN, granularity)];
}

const NAMES = ['one', 'two files', 'three'];
const QUERIES = [
  'cat',
  'cat -dog lang:en',
  ...NAMES.map((name) => `in:"${name}"`),
  'in:one in:"two files"',
  'in:three -in:one',
  'dog -in:"two files" -in:three',
  'cat in:one -fox',
];

/** Compares the counts with the rows. */
function compareAll(name: string, source: Source): void {
  const rawCount = rawCounts(name);
  for (const query of QUERIES) {
    for (const granularity of GRANULARITIES) {
      const raw = rawCount(query, granularity);
      expect(counted(source, query, granularity), `${query} by ${granularity}`).toEqual(raw);
    }
  }
}

function importInto(name: string, collection: string, ids: readonly number[]) {
  const writer = openWriter(
    name,
    { random },
    { source: `${collection}.csv`, name: collection, now: () => START },
  );
  try {
    const done = writer.add(ids.map(postOf));
    const into = writer.finish({ read: ids.length, kinds: new Set(['csv']), isWhole: true });
    return { ...done, into };
  } finally {
    writer.close();
  }
}

type Step =
  | { readonly what: 'import'; readonly collection: string; readonly ids: readonly number[] }
  | { readonly what: 'create' | 'remove'; readonly id: number }
  | { readonly what: 'edit'; readonly id: number; readonly next: number }
  | { readonly what: 'switch' | 'drop' | 'restore'; readonly collection: number }
  | { readonly what: 'purge' | 'compact' | 'reindex' };

const ids = fc.integer({ min: 1, max: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('import' as const),
      collection: fc.constantFrom(...NAMES),
      ids: fc.array(ids, { minLength: 1, maxLength: 30 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('create', 'remove'), id: ids }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('edit' as const),
      id: ids,
      next: fc.integer({ min: 61, max: 90 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom('switch', 'drop', 'restore'),
      collection: fc.integer({ min: POSTED_HERE, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('purge', 'compact', 'reindex') }) },
);

/** Makes a change; what it refuses, it refuses without an effect. */
function carryOut(name: string, db: Db, made: Step): void {
  const posts = postChanges(db);
  const collections = collectionChanges(db);
  const refusable = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      const isRefusal =
        error instanceof Error && /CollectionError|PostExistsError/.test(error.name);
      if (!isRefusal) throw error;
    }
  };
  const isIn = (id: number): boolean =>
    Number(db.prepare('SELECT included FROM collection WHERE id = ?').get([id])?.[0]) === 1;
  switch (made.what) {
    case 'import':
      return void importInto(name, made.collection, made.ids);
    case 'create':
      return refusable(() => posts.create(postOf(made.id)));
    case 'remove':
      return void posts.remove(BigInt(made.id));
    case 'edit':
      return refusable(() => posts.edit(BigInt(made.id), postOf(made.next)));
    case 'switch':
      return refusable(() =>
        collections.includeCollection(made.collection, !isIn(made.collection)),
      );
    case 'drop':
      return refusable(() => collections.removeCollection(made.collection, START));
    case 'restore':
      return refusable(() => collections.restoreCollection(made.collection));
    case 'purge':
      for (const _ of purgeCollections(db, START + RESTORABLE_MS));
      return;
    case 'compact':
      for (const _ of compactIndex(db));
      return;
    case 'reindex':
      for (const _ of reindex(db));
  }
}

let files = 0;

describe('whatever happens to Posts and collections', () => {
  it('a count is that of the rows, and changes only where the store says so', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const name = file(`law-${++files}`);
        for (const collection of NAMES) importInto(name, collection, [files % 60]);
        const db = openQuickly(name);
        const source = openSource(name, { random });
        try {
          for (const made of steps) {
            source.refresh();
            const { revision, mark } = source.index;
            const before = counted(source, 'cat', 'hour');
            carryOut(name, db, made);
            source.refresh();
            const spans = source.index.changesSince(revision, mark) ?? [];
            for (const [i, n] of counted(source, 'cat', 'hour').entries()) {
              const [start, end] = [START + i * HOUR_MS, START + (i + 1) * HOUR_MS];
              if (n === before[i]) continue;
              expect(spans.some((span) => span.start < end && span.end > start)).toBe(true);
            }
          }
          const rawCount = rawCounts(name);
          for (const query of ['cat', 'cat -dog lang:en']) {
            expect(counted(source, query, 'hour')).toEqual(rawCount(query, 'hour'));
          }
          for (const each of NAMES) importInto(name, each, [1]);
          compareAll(name, source);
          const shown = new Set<bigint>();
          const all = { kind: 'all', of: [] } as const;
          const found = source.over((state, due) => state.newest(all, SPAN, 500, {}, due))(NEVER);
          if (found.done) for (const { id } of found.value) shown.add(id);
          expect(source.posts.rows([...shown]).length).toBe(shown.size);
          expect(source.index.posts).toBe(shown.size);
        } finally {
          source.close();
          db.close();
        }
        expect(finish(checkPosts(name, { random })).shown).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  it('switching collections out and in again restores every number', { tags: 'long' }, () => {
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.array(ids), { minLength: 3, maxLength: 3 }), order, (lists, out) => {
        const name = file(`switched-${++files}`);
        const made = lists.map((list, i) => importInto(name, NAMES[i]!, [i + 1, ...list]).into!.id);
        const db = openQuickly(name);
        const source = openSource(name, { random });
        const numbers = (): unknown => [
          QUERIES.map((query) => counted(source, query, 'hour')),
          [source.index.posts, source.index.first, source.index.last],
        ];
        const before = numbers();
        const changes = collectionChanges(db);
        for (const i of out) changes.includeCollection(made[i]!, false);
        compareAll(name, source);
        for (const i of out.toReversed()) changes.includeCollection(made[i]!, true);
        expect(numbers()).toEqual(before);
        for (const i of out) changes.removeCollection(made[i]!, START);
        for (const i of out) changes.restoreCollection(made[i]!);
        expect(numbers()).toEqual(before);
        source.close();
        db.close();
      }),
      { numRuns: runs(30) },
    );
  });
});

function listed(name: string) {
  const source = openSource(name, { random });
  const found = source.over(({ collections }, due) => collections.filled(due))(NEVER);
  source.close();
  return found.done ? found.value : [];
}

describe('an import', () => {
  it('is a collection with its source, rows, Posts and span', () => {
    const name = file('facts');
    const { into } = importInto(name, 'June', [1, 2, 3, 3]);
    const [found] = listed(name).filter(({ id }) => id === into?.id);
    const times = [1, 2, 3].map((id) => postOf(id).createdAt);
    expect(found).toMatchObject({
      name: 'June',
      source: 'June.csv',
      kind: 'csv',
      importedAt: START,
      read: 4,
      added: 3,
      posts: 3,
      firstAt: Math.min(...times),
      lastAt: Math.max(...times),
      included: true,
    });
  });

  it('of the same files continues its collection, whatever that is named now', () => {
    const name = file('again');
    const first = importInto(name, 'June', [1, 2]).into!;
    const db = openQuickly(name);
    collectionChanges(db).renameCollection(first.id, 'Summer');
    db.close();
    const writer = openWriter(name, { random }, { source: 'June.csv', now: () => START + 5 });
    expect(writer.add([1, 2, 4].map(postOf))).toEqual({ added: 1, already: 2 });
    expect(writer.finish({ read: 3, kinds: new Set(['csv']), isWhole: true })).toEqual({
      id: first.id,
      name: 'Summer',
    });
    writer.close();
    const [found] = listed(name).filter(({ id }) => id === first.id);
    expect(found).toMatchObject({ read: 3, added: 3, posts: 3, importedAt: START + 5 });
  });

  it('of Posts that another one brought puts them into both, without a second copy', () => {
    const name = file('both');
    importInto(name, 'a', [1, 2, 3]);
    expect(importInto(name, 'b', [2, 3, 4])).toMatchObject({ added: 1, already: 2 });
    const posts = new Map(listed(name).map((each) => [each.name, each.posts]));
    expect(posts.get('a')).toBe(3);
    expect(posts.get('b')).toBe(3);
    const source = openSource(name, { random });
    expect(source.index.posts).toBe(4);
    source.close();
  });

  it('of thousands of Posts that another one brought indexes them again', { tags: 'long' }, () => {
    const name = file('thousands');
    const many = Array.from({ length: 9000 }, (_, i) => i + 1);
    importInto(name, 'a', many);
    importInto(name, 'b', many.slice(500));
    const source = openSource(name, { random });
    const total = (query: string): number =>
      counted(source, query, 'day').reduce((sum, n) => sum + n, 0);
    expect([total('in:a'), total('in:b'), total('in:a -in:b')]).toEqual([9000, 8500, 500]);
    source.close();
  });

  it('without Posts makes no collection', () => {
    const name = file('nothing');
    expect(importInto(name, 'a', []).into).toBeNull();
    expect(listed(name).map(({ id }) => id)).toEqual([POSTED_HERE]);
  });

  it('gets a free name, and a removed one is not continued', () => {
    const name = file('names');
    const first = importInto(name, 'a', [1]).into!;
    const db = openQuickly(name);
    const changes = collectionChanges(db);
    changes.removeCollection(first.id, START);
    const second = importInto(name, 'a', [1]).into!;
    expect(second).toEqual({ id: first.id + 1, name: 'a' });
    changes.restoreCollection(first.id);
    const names = (): string[] => listed(name).flatMap((each) => (each.source ? [each.name] : []));
    expect(names()).toEqual(['a (2)', 'a']);
    expect(() => changes.renameCollection(first.id, 'A')).toThrow(CollectionError);
    expect(() => changes.renameCollection(first.id, 'a "b"')).toThrow(/no quotation marks/);
    expect(() => changes.removeCollection(POSTED_HERE, START)).toThrow(/switch it out/);
    expect(() => changes.restoreCollection(second.id)).toThrow(/no longer be restored/);
    expect(() => changes.includeCollection(99, true)).toThrow(/There is no collection 99/);
    db.close();
  });
});

test('a name is one that a query can contain', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const name = cleanName(text);
      expect(Array.from(name).length).toBeLessThanOrEqual(MOST_NAME);
      expect(parse(`in:"${name}"`, { own: true }).ok).toBe(true);
    }),
  );
});
