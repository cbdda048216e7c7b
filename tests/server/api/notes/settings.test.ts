import { afterAll, describe, expect, it } from 'vitest';
import { callerOf, person } from '#tests/support/service/callers.ts';
import { NOTE_WRITER } from '#tests/support/service/notes.ts';
import { startService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

const service = startService({
  posts: Array.from({ length: 120 }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: NOW - 86_400_000 + i * 1000,
    text: `Post ${i + 1}`,
    authorId: '7',
    username: 'zoe',
  })),
  now: () => NOW,
  outgoing: { resolve: async () => [] },
});
afterAll(() => service.close());

const { send: call } = callerOf(service);

const request = (posts: readonly number[], link: string | null = null) =>
  call('POST', '/notes/requests', { posts: posts.map(String), link, suggestion: null });

describe('requests for notes', () => {
  it('are listed by the time of their Posts, in pages, with their sources', async () => {
    const all = Array.from({ length: 120 }, (_, i) => i + 1);
    expect((await request(all)).body).toEqual({ requested: all.map(String) });
    await request([120], 'https://a.com/1');
    const ids: string[] = [];
    let path: string | null = '/notes/requests';
    while (path !== null) {
      const { body } = await call('GET', path);
      expect(body.count).toBe(120);
      ids.push(...body.requests.map(({ id }: { id: string }) => id));
      if (ids[0] === ids.at(-50)) {
        expect(body.requests[0]).toEqual({
          id: '120',
          post: { id: '120', text: 'Post 120', username: 'zoe' },
          created_at: new Date(NOW - 86_400_000 + 119_000).toISOString(),
          requests: 2,
          links: [{ url: 'https://a.com/1', count: 1 }],
        });
      }
      path = body.next === null ? null : `/notes/requests?after=${body.next}`;
    }
    expect(ids).toEqual(all.reverse().map(String));
  });

  it('are removed and restored as they were', async () => {
    const before = (await call('GET', '/notes/requests')).body;
    expect((await call('DELETE', '/notes/requests/120')).body).toEqual({ deleted: true });
    expect((await call('GET', '/notes/requests')).body.count).toBe(119);
    expect((await call('DELETE', '/notes/requests/120')).status).toBe(404);
    const restored = await call('POST', '/notes/requests/120/restore');
    expect(restored.body).toEqual({ restored: true });
    expect((await call('GET', '/notes/requests')).body).toEqual(before);
    expect((await call('POST', '/notes/requests/120/restore')).status).toBe(404);
  });

  it.each<[string, object, number, string]>([
    ['an unknown Post', { posts: ['1', '999'], link: null, suggestion: null }, 404, 'no Post 999'],
    ['another kind of address', { posts: ['1'], link: 'a.com', suggestion: null }, 400, 'link'],
    ['no Post', { posts: [], link: null, suggestion: null }, 400, 'posts'],
  ])('refuse %s', async (_, body, status, message) => {
    const answer = await call('POST', '/notes/requests', body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(message);
  });

  it('refuse a place that is not the end of a page', async () => {
    expect((await call('GET', '/notes/requests?after=x')).status).toBe(400);
  });
});

describe('note writers', () => {
  it('have their limit, what admission lacks, and their notes by kind', async () => {
    const ann = person(service, 'ann');
    const { id } = ann;
    expect((await call('POST', `/notes/writers/${id}/admit`)).status).toBe(409);
    service.auth.accounts({ action: 'set', username: 'ann', profile: NOTE_WRITER });
    const info = {
      text: 'It opened on 3 May 2023: https://example.com',
      classification: 'not_misleading',
      trustworthy_sources: true,
    };
    const write = (test_mode: boolean, post_id: string) =>
      ann.send('POST', '/2/notes', { test_mode, post_id, info });
    expect((await write(true, '1')).status).toBe(200);
    expect((await call('GET', `/notes/writers/${id}`)).body).toEqual({
      admitted: false,
      missing: ['50 test notes, of which there are 1'],
      limit: 10,
      written: 0,
    });
    const writers = async () => (await call('GET', '/notes/writers')).body;
    expect(await writers()).toEqual({ writers: [{ id, admitted: false }] });
    expect((await write(false, '2')).status).toBe(403);
    const admit = await call('POST', `/notes/writers/${id}/admit`);
    expect(admit.body).toEqual({ admitted: true });
    expect(await writers()).toEqual({ writers: [{ id, admitted: true }] });
    expect((await write(false, '2')).status).toBe(200);
    expect((await call('GET', `/notes/writers/${id}`)).body).toEqual({
      admitted: true,
      missing: [],
      limit: 10,
      written: 1,
    });
    const listed = async (test: boolean) =>
      (await call('GET', `/notes/writers/${id}/notes?test=${test}`)).body;
    expect(await listed(true)).toMatchObject({
      notes: [
        {
          post: { id: '1', text: 'Post 1', username: 'zoe' },
          text: info.text,
          status: 'unknown',
          test_result: { UrlValidity: 'unknown', HarassmentAbuse: 'High', ClaimOpinion: 'High' },
        },
      ],
      next: null,
    });
    expect(await listed(false)).toMatchObject({
      notes: [{ post: { id: '2' }, test_result: null }],
    });
  });

  it('refuse an unknown account and a query without its kind', async () => {
    expect((await call('GET', '/notes/writers/5')).status).toBe(404);
    const { id } = person(service, 'bob');
    expect((await call('GET', `/notes/writers/${id}/notes`)).status).toBe(400);
  });
});
