import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectionsApi } from '#app/api/collections-api.ts';
import { pathWith } from '#app/api/endpoint-path.ts';
import { feedsApi } from '#app/api/feeds-api.ts';
import { notesApi } from '#app/api/notes-api.ts';
import { streamsApi } from '#app/api/streams-api.ts';

test('a value of a parameter stays one part of the path, whatever its characters', () => {
  const endpoint = { path: '/a/:id/runs/:run' };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string(), (id, run) => {
      const parts = pathWith(endpoint, { id, run }).split('/');
      expect(parts.map(decodeURIComponent)).toEqual(['', 'a', id, 'runs', run]);
    }),
  );
});

test('every call of the dashboard with an id escapes it', async () => {
  const paths: string[] = [];
  const client = {
    json: async (path: string) => {
      paths.push(path);
      return {};
    },
    send: async (_: string, path: string) => {
      paths.push(path);
      return {};
    },
  } as unknown as Parameters<typeof notesApi>[0];
  const id = 'a/b?c#d$&';
  const [collections, feeds] = [collectionsApi(client), feedsApi(client)];
  const [notes, streams] = [notesApi(client), streamsApi(client)];
  await Promise.all([
    collections.rename(id, 'x'),
    collections.include(id, true),
    collections.remove(id),
    collections.restore(id),
    collections.added(id, { start: 0, end: 1 }, 'q'),
    feeds.run(id),
    feeds.cancel(id),
    feeds.rows(id, '1', null),
    notes.withdraw(id),
    notes.restore(id),
    notes.writer(id),
    notes.admit(id),
    notes.written(id, true, null),
    streams.unsubscribe(id),
    streams.resubscribe(id),
    streams.end(id),
  ]);
  expect(paths).toHaveLength(16);
  for (const path of paths) expect(path.split(/[/?]/)).toContain('a%2Fb%3Fc%23d%24%26');
});
