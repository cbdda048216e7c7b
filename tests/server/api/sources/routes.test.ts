import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import { ChangesAnswer, SourcesAnswer } from '#contract/counts/source.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService({
  posts: [
    { id: 1n, createdAt: '2020-01-01T00:00:00.250Z', text: 'tea' },
    { id: 2n, createdAt: '2021-01-01T00:00:00Z', text: 'tea' },
  ],
});
afterAll(() => service.close());

async function markOf(source: 'posts' | 'sample'): Promise<string> {
  const { data } = v.parse(SourcesAnswer, await (await service.request('/sources')).json());
  return data.find(({ id }) => id === source)?.mark ?? '';
}

describe('GET /sources', () => {
  it('lists the sources with their Posts and coverage', async () => {
    const answer = v.parse(SourcesAnswer, await (await service.request('/sources')).json());
    expect(answer.data).toEqual([
      expect.objectContaining({
        id: 'sample',
        posts: 0,
        revision: 0,
        first: null,
        last: null,
        coverage: [],
      }),
      expect.objectContaining({
        id: 'posts',
        posts: 2,
        revision: 1,
        first: '2020-01-01T00:00:00.250Z',
        last: '2021-01-01T00:00:00.000Z',
        coverage: [{ start: '2020-01-01T00:00:00.000Z', end: '2021-01-01T00:01:00.000Z' }],
      }),
    ]);
    expect(new Set(answer.data.map(({ store }) => store)).size).toBe(2);
  });

  it('accepts no parameters', async () => {
    const answer = await service.request('/sources?x=1');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      errors: [{ parameters: { x: ['1'] }, message: 'The query parameter [x] is not one of []' }],
    });
  });
});

describe('GET /changes', () => {
  it('lists the spans changed since a revision, under the prefix of the source', async () => {
    const mark = await markOf('posts');
    const before = await service.request(`/changes?since=1&mark=${mark}`);
    expect(v.parse(ChangesAnswer, await before.json()).spans).toEqual([]);
    service.add('posts', [{ id: 3n, createdAt: '2019-05-05T12:00:00Z', text: 'milk' }]);
    const after = await service.request(`/changes?since=1&mark=${mark}`);
    const answer = v.parse(ChangesAnswer, await after.json());
    expect(answer.revision).toBe(2);
    expect(answer.spans).toEqual([
      { start: '2019-05-05T12:00:00.000Z', end: '2019-05-05T12:01:00.000Z' },
    ]);
    expect(answer.coverage).toEqual([
      { start: '2019-05-05T12:00:00.000Z', end: '2019-05-05T12:01:00.000Z' },
      { start: '2020-01-01T00:00:00.000Z', end: '2021-01-01T00:01:00.000Z' },
    ]);
    expect(after.headers.get('x-store-id')).toBe(answer.store);
    expect(after.headers.get('x-store-revision')).toBe('2');
    expect(after.headers.get('x-store-mark')).toBe(answer.mark);
    expect(answer.mark).toMatch(/^[0-9a-f]{16}$/);
    const sample = await service.request(`/sample/changes?since=0&mark=${await markOf('sample')}`);
    expect((await sample.json()).store).not.toBe(answer.store);
  });

  it.each(['?since=99', '?since=99&mark=0', '?since=1', '?since=1&mark=', '?since=1&mark=0'])(
    'is 410 with the current revision if the given one is unknown: %s',
    async (search) => {
      const answer = await service.request(`/changes${search}`);
      expect(answer.status).toBe(410);
      expect(answer.headers.get('x-store-revision')).toBe('2');
      expect(await answer.json()).toMatchObject({ title: 'Gone', status: 410 });
    },
  );

  it.each([
    '',
    '?since=',
    '?since=-1',
    '?since=1.5',
    '?since=x',
    '?since=1&since=2',
    '?since=1&a=b',
    `?since=1&mark=${'0'.repeat(65)}`,
  ])('%s is 400', async (search) => {
    expect((await service.request(`/changes${search}`)).status).toBe(400);
  });
});
