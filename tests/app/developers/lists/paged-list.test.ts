import { expect, it } from 'vitest';
import { PagedList } from '#app/developers/lists/paged-list.svelte.ts';
import { plainProblem } from '#contract/fault.ts';

/** A list of `ids`, two on a page. */
function setUp(ids: readonly string[]) {
  const state = { ids, fails: null as Error | null, loads: [] as (string | undefined)[] };
  const list = new PagedList(async (after) => {
    state.loads.push(after);
    if (state.fails) throw state.fails;
    const left = state.ids.filter((id) => after === undefined || BigInt(id) > BigInt(after));
    return {
      entries: left.slice(0, 2).map((id) => ({ id })),
      next: left.length > 2 ? (left[1] ?? null) : null,
    };
  });
  return { list, state, ids: () => list.entries?.map(({ id }) => id) ?? null };
}

it('loads page after page', async () => {
  const { list, state, ids } = setUp(['1', '2', '10']);
  await list.restart();
  expect([ids(), list.hasMore]).toEqual([['1', '2'], true]);
  await list.more();
  expect([ids(), list.hasMore]).toEqual([['1', '2', '10'], false]);
  expect(state.loads).toEqual([undefined, '2']);
});

it('loads again what failed, in place of what was visible if it is the first page', async () => {
  const { list, state, ids } = setUp(['1', '2', '3']);
  await list.restart();
  state.fails = plainProblem(503, 'Service Unavailable', 'The store is busy.');
  await list.restart();
  expect([ids(), list.fault]).toEqual([
    ['1', '2'],
    'The service could not do this: The store is busy.',
  ]);
  state.fails = null;
  await list.more();
  expect([ids(), list.fault, state.loads]).toEqual([
    ['1', '2'],
    '',
    [undefined, undefined, undefined],
  ]);
});

it('drops the answer of a load that another one replaced', async () => {
  const { list, state, ids } = setUp(['1', '2', '3']);
  await list.restart();
  const next = list.more();
  state.ids = ['7'];
  await Promise.all([next, list.restart()]);
  expect([ids(), list.isLoading]).toEqual([['7'], false]);
});

it('puts an entry in its place, unless a page that is not loaded has it', async () => {
  const { list, ids } = setUp(['1', '3', '5']);
  await list.restart();
  list.insert({ id: '4' });
  expect(ids()).toEqual(['1', '3']);
  list.insert({ id: '2' });
  list.insert({ id: '2' });
  expect(ids()).toEqual(['1', '2', '3']);
  list.remove('2');
  await list.more();
  list.insert({ id: '10' });
  expect(ids()).toEqual(['1', '3', '5', '10']);
});
