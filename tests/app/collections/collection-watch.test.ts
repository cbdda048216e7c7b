import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { addedWords } from '#app/collections/added-words.ts';
import { CollectionWatch } from '#app/collections/collection-watch.svelte.ts';
import { collectionNames } from '#app/editor/collection-names.ts';
import { Formatter } from '#app/format/formatter.ts';
import { COLLECTIONS, type CollectionInfo } from '#contract/posts/collections.ts';
import { invalidRequest } from '#contract/fault.ts';

function info(id: string, posts: number, over: Partial<CollectionInfo> = {}): CollectionInfo {
  const facts = {
    kind: 'csv',
    imported_at: null,
    read: posts,
    added: posts,
    first: null,
    last: null,
  };
  const name = `file ${id}`;
  return { id, name, source: name, posts, ...facts, included: true, removable: true, ...over };
}

/** A watch over collections that a test changes. */
function watching(
  first: readonly CollectionInfo[],
  series: readonly { name: string; query: string }[] = [],
) {
  let all = first;
  let changed = 0;
  const sent: string[] = [];
  let isAway = false;
  const watch = new CollectionWatch({
    client: {
      json: async (path, schema) => {
        if (isAway) throw new TypeError('away');
        const { pathname, searchParams } = new URL(path, 'https://service.test');
        if (pathname === COLLECTIONS.list.path)
          return v.parse(schema, { collections: all, removed: [] });
        const id = pathname.split('/')[2];
        const query = searchParams.get('query');
        const start = Date.parse(searchParams.get('start_time') ?? '');
        sent.push(`added ${id} from ${start}${query ? ` to ${query}` : ''}`);
        if (query === 'in:nowhere') throw invalidRequest('query', query, 'There is no collection');
        const posts = query ? 2 : (all.find((each) => each.id === id)?.posts ?? 0);
        return v.parse(schema, { posts });
      },
      send: async (_, path, body, schema) => {
        const id = path.split('/')[2];
        const { included = true } = v.parse(COLLECTIONS.change.body, body);
        sent.push(`include ${id} ${included}`);
        all = all.map((each) => (each.id === id ? { ...each, included } : each));
        return v.parse(schema, { changed: true });
      },
    },
    span: () => ({ start: 7, end: 9 }),
    series: () => series,
    onchanged: () => (changed += 1),
  });
  return {
    watch,
    sent,
    changed: () => changed,
    set: (next: readonly CollectionInfo[]) => (all = next),
    setAway: (now: boolean) => (isAway = now),
  };
}

describe('a board that is open', () => {
  it('takes what is there at first for known, and offers its names', async () => {
    const { watch, changed } = watching([info('3', 5)]);
    await watch.look();
    expect([watch.arrivals, changed()]).toEqual([[], 0]);
    expect(collectionNames()).toEqual(['file 3']);
  });

  it('announces nothing when the first Posts come, but reads the sources again', async () => {
    const { watch, set, sent, changed } = watching([]);
    await watch.look();
    set([info('3', 5)]);
    await watch.look();
    expect([watch.arrivals, sent, changed()]).toEqual([[], [], 1]);
    expect(collectionNames()).toEqual(['file 3']);
  });

  it('announces a new collection and one with more Posts, with what they add to its range', async () => {
    const { watch, set, sent, changed } = watching([info('3', 5)]);
    await watch.look();
    set([info('3', 6), info('4', 10)]);
    await watch.look();
    expect(watch.arrivals).toEqual([
      { id: '3', name: 'file 3', isNew: false, adds: { posts: 6, series: [] } },
      { id: '4', name: 'file 4', isNew: true, adds: { posts: 10, series: [] } },
    ]);
    expect(sent).toEqual(['added 3 from 7', 'added 4 from 7']);
    expect(changed()).toBe(1);
    await watch.look();
    expect(watch.arrivals).toHaveLength(2);
  });

  it('says what a collection adds to each series, without those that the service refuses', async () => {
    const tea = { name: 'Tea', query: 'tea' };
    const { watch, set, sent } = watching(
      [info('3', 5)],
      [tea, { name: 'x', query: 'in:nowhere' }],
    );
    await watch.look();
    set([info('3', 5), info('4', 10)]);
    await watch.look();
    expect(sent).toEqual([
      'added 4 from 7',
      'added 4 from 7 to tea',
      'added 4 from 7 to in:nowhere',
    ]);
    const [{ adds } = { adds: null }] = watch.arrivals;
    expect(adds && addedWords(adds, true, new Formatter('en-GB'))).toBe(
      ': adds 10 Posts to this range (Tea +2).',
    );
  });

  it('does not announce Posts that were made here, nor what is switched out', async () => {
    const { watch, set } = watching([]);
    await watch.look();
    set([info('2', 1, { source: null }), info('4', 3, { included: false })]);
    await watch.look();
    expect(watch.arrivals).toEqual([]);
  });

  it('keeps a collection, or leaves it out and takes that back without announcing it again', async () => {
    const { watch, set, sent } = watching([]);
    await watch.look();
    set([info('3', 5), info('4', 10)]);
    await watch.look();
    watch.keep('3');
    await watch.leaveOut('4');
    expect(watch.arrivals).toEqual([]);
    await watch.include('4', true);
    expect(watch.arrivals).toEqual([]);
    expect(sent.filter((text) => text.startsWith('include'))).toEqual([
      'include 4 false',
      'include 4 true',
    ]);
  });

  it('takes the notice of a removed collection away, and does not announce its restoration', async () => {
    const { watch, set } = watching([info('3', 5)]);
    await watch.look();
    set([info('3', 5), info('4', 10)]);
    await watch.look();
    set([info('3', 5)]);
    await watch.look();
    expect(watch.arrivals).toEqual([]);
    set([info('3', 5), info('4', 10)]);
    await watch.look();
    expect(watch.arrivals).toEqual([]);
  });

  it('forgets nothing while the service is away', async () => {
    const { watch, set, setAway } = watching([info('3', 5)]);
    await watch.look();
    setAway(true);
    await watch.look();
    setAway(false);
    set([info('3', 5), info('4', 1)]);
    await watch.look();
    expect(watch.arrivals.map(({ id }) => id)).toEqual(['4']);
  });
});
