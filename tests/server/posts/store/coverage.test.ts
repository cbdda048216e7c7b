import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { purgeCollections } from '#server/maintenance/purge.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { collectionChanges } from '#server/posts/store/collection-changes.ts';
import { POSTED_HERE, RESTORABLE_MS } from '#server/posts/store/collections.ts';
import { coverageTable } from '#server/posts/store/coverage.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

vi.setConfig({ testTimeout: 120_000 });

const file = temporaryFolder();
const random = countingBytes();
const START = Date.UTC(2024, 1, 28);
const HOURS = 48;

/** A Post of an hour of the model. */
function postAt(id: number, hour: number): NewPost {
  const columns = { authorId: null, username: null, text: 'cat', lang: 'en' };
  const createdAt = START + hour * HOUR_MS + 1000;
  const terms = termsOf({ text: 'cat', lang: 'en' });
  return { id: BigInt(id), createdAt, ...columns, rest: null, facts: null, terms };
}

/** The minutes of the model that spans cover: two of each hour, that of its Post and the one after it. */
function minutesIn(spans: readonly Span[]): boolean[] {
  return Array.from({ length: 2 * HOURS }, (_, i) => {
    const at = START + Math.floor(i / 2) * HOUR_MS + (i % 2) * MINUTE_MS;
    return spans.some(({ start, end }) => start <= at && at < end);
  });
}

const hour = fc.integer({ min: 0, max: HOURS - 1 });
const actions = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('import' as const),
      into: fc.integer({ min: 0, max: 2 }),
      files: fc.array(fc.array(hour, { minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 3,
      }),
      covers: fc.option(fc.tuple(hour, hour)),
      isWhole: fc.boolean(),
    }),
    fc.record({
      what: fc.constant('include' as const),
      into: fc.integer({ min: 0, max: 3 }),
      included: fc.boolean(),
    }),
    fc.record({
      what: fc.constantFrom('remove' as const, 'restore' as const),
      into: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({ what: fc.constant('create' as const), hour }),
    fc.record({ what: fc.constant('delete' as const), which: fc.nat() }),
    fc.record({ what: fc.constant('rebuild' as const) }),
  ),
  { maxLength: 8 },
);

interface Modelled {
  readonly spans: Span[];
  included: boolean;
  removed: boolean;
}

describe('coverage', () => {
  it('is the union of what imports and Posts made here cover that count, and each change of it is reported', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (list) => {
        const name = file(`law-${random(4).join('-')}`);
        const source = openSource(name, { random });
        const db = openPosts(name, { random });
        db.exec('PRAGMA synchronous = OFF');
        const collections = collectionChanges(db);
        const posts = postChanges(db);
        /** By number; one that was removed gets a new number with the next import. */
        const model = new Map<number, Modelled>();
        const numbers = new Map<number, number>();
        const created: NewPost[] = [];
        let isHereIn = true;
        let ids = 0;
        let before: Span[] = [];
        const covered = (): Span[] => [
          ...[...model.values()].flatMap(({ spans, included, removed }) =>
            included && !removed ? spans : [],
          ),
          ...(isHereIn ? created : []).map(({ createdAt }) => ({
            start: Math.floor(createdAt / MINUTE_MS) * MINUTE_MS,
            end: Infinity,
          })),
        ];
        for (const action of list) {
          const { revision, mark } = source.index;
          if (action.what === 'import') {
            const [a = 0, b = 0] = (action.covers ?? []).toSorted((x, y) => x - y);
            const covers = action.covers
              ? { start: START + a * HOUR_MS, end: START + (b + 1) * HOUR_MS }
              : undefined;
            const target = { source: `file ${action.into}`, covers, now: () => START };
            const writer = openWriter(name, { random }, target);
            const read = action.files.map((hours, i) => {
              writer.add(
                hours.map((at) => postAt(++ids, at)),
                `file ${i}`,
              );
              return {
                start: START + Math.min(...hours) * HOUR_MS,
                end: START + Math.max(...hours) * HOUR_MS + MINUTE_MS,
              };
            });
            const end = { read: 1, kinds: new Set(['csv']), isWhole: action.isWhole };
            const { id = -1 } = writer.finish(end) ?? {};
            writer.close();
            numbers.set(action.into, id);
            const of = model.get(id) ?? { spans: [], included: true, removed: false };
            model.set(id, of);
            if (!covers) of.spans.push(...read);
            else if (action.isWhole) of.spans.push(covers);
            else {
              for (const span of read) {
                const start = Math.max(span.start, covers.start);
                of.spans.push({ start, end: Math.max(start, Math.min(span.end, covers.end)) });
              }
            }
          } else if (action.what === 'create') {
            const post = postAt(++ids, action.hour);
            posts.create(post);
            created.push(post);
          } else if (action.what === 'delete') {
            const [gone] = created.splice(action.which % Math.max(1, created.length), 1);
            if (gone) posts.remove(gone.id);
          } else if (action.what === 'rebuild') {
            for (const _ of reindex(db)) continue;
          } else if (action.what === 'include' && action.into === 3) {
            collections.includeCollection(POSTED_HERE, action.included);
            isHereIn = action.included;
          } else {
            const id = numbers.get(action.into);
            const of = id === undefined ? undefined : model.get(id);
            if (id === undefined || !of || of.removed !== (action.what === 'restore')) continue;
            if (action.what === 'include') {
              collections.includeCollection(id, action.included);
              of.included = action.included;
            } else if (action.what === 'remove') collections.removeCollection(id, START);
            else collections.restoreCollection(id);
            if (action.what !== 'include') of.removed = action.what === 'remove';
          }
          source.refresh();
          const expected = minutesIn(covered());
          expect(minutesIn(source.index.covered)).toEqual(expected);
          const changed = minutesIn(source.index.changesSince(revision, mark) ?? []);
          minutesIn(before).forEach((was, i) => {
            if (was !== expected[i]) expect(changed[i]).toBe(true);
          });
          before = [...source.index.covered];
          before.forEach(({ start, end }, i) => {
            expect([start % MINUTE_MS, end === Infinity ? 0 : end % MINUTE_MS]).toEqual([0, 0]);
            expect(start).toBeGreaterThan(before[i - 1]?.end ?? -Infinity);
          });
        }
        for (const _ of purgeCollections(db, START + RESTORABLE_MS)) continue;
        source.refresh();
        expect(minutesIn(source.index.covered)).toEqual(minutesIn(covered()));
        db.close();
        source.close();
        const reopened = openSource(name, { random });
        expect(minutesIn(reopened.index.covered)).toEqual(minutesIn(covered()));
        reopened.close();
      }),
      { numRuns: runs(40) },
    );
  });

  it('grows while an import runs by what is committed, and is the same after it ran again', () => {
    const name = file('again');
    const source = openSource(name, { random });
    const target = { source: 'a.csv', now: () => START };
    const read = (hours: readonly number[], isWhole: boolean): void => {
      const writer = openWriter(name, { random }, target);
      writer.add(
        hours.map((at) => postAt(at + 1, at)),
        'a.csv',
      );
      writer.finish({ read: hours.length, kinds: new Set(['csv']), isWhole });
      writer.close();
      source.refresh();
    };
    const until = (at: number) => [{ start: START, end: START + at * HOUR_MS + MINUTE_MS }];
    read([0, 1], false);
    expect(source.index.covered).toEqual(until(1));
    read([0, 1, 5], true);
    expect(source.index.covered).toEqual(until(5));
    const { revision } = source.index;
    read([0, 1, 5], true);
    expect(source.index.covered).toEqual(until(5));
    expect(source.index.revision).toBe(revision);
    source.close();
  });

  it('is nothing where every row was refused, whatever the files were said to cover', () => {
    const name = file('refused');
    const source = openSource(name, { random });
    const covers = { start: START, end: START + DAY_MS };
    const writer = openWriter(name, { random }, { source: 'a.csv', covers, now: () => START });
    expect(writer.finish({ read: 5, kinds: new Set(['csv']), isWhole: true })).toBeNull();
    writer.close();
    const db = openPosts(name, { random });
    expect(coverageTable(db).parts()).toEqual([]);
    db.close();
    source.refresh();
    expect(source.index.changesSince(0, source.index.mark)).toEqual([]);
    source.close();
  });

  it('ends with the newest Post that was imported live, without a gap between such Posts', () => {
    const name = file('live');
    const source = openSource(name, { random });
    const db = openPosts(name, { random });
    const posts = postChanges(db);
    for (const at of [0, 3, 7]) posts.addImported(postAt(at + 1, at), START + 1000);
    source.refresh();
    expect(source.index.covered).toEqual([{ start: START, end: START + 7 * HOUR_MS + MINUTE_MS }]);
    db.close();
    source.close();
  });

  it('of a Post that was edited is that of its first version, until the Post is deleted', () => {
    const name = file('edited');
    const source = openSource(name, { random });
    const db = openPosts(name, { random });
    const posts = postChanges(db);
    posts.create(postAt(1, 2));
    posts.edit(1n, postAt(2, 5));
    source.refresh();
    expect(source.index.covered).toEqual([{ start: START + 2 * HOUR_MS, end: Infinity }]);
    posts.remove(2n);
    posts.remove(1n);
    source.refresh();
    expect(source.index.covered).toEqual([]);
    db.close();
    source.close();
  });
});
