import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { activityFeed, type ActivityFeed } from '#server/api/streams/activity/feed.ts';
import { openService, type Service } from '#server/auth/store.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openLog, type LogEntry, type OpenLog } from '#server/streams/log.ts';
import type { NewSubscription } from '#server/streams/subscription-reader.ts';
import { peopleOf } from '#server/users/people.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { writePosts } from '#tests/support/service/service.ts';

const file = temporaryFolder();
const random = (n: number): Uint8Array => randomBytes(n);
const NOW = Date.UTC(2026, 10, 21);
const OF = { stream: 'posts', app: '1' } as const;
let files = 0;
let service: Service;
let source: Source;
let log: OpenLog;
let feed: ActivityFeed;
/** Searches for subscriptions. */
let searches: number;
beforeEach(() => {
  const name = join(file(`feed-${(files += 1)}`));
  writePosts(`${name}-posts`, [{ id: 1n, createdAt: NOW, text: 'tea' }]);
  service = openService(`${name}-service`, { random });
  source = openSource(`${name}-posts`, { random });
  log = openLog(() => openPosts(`${name}-posts`, { random }));
  searches = 0;
  const { subscriptions } = service;
  feed = activityFeed({
    stream: 'posts',
    log,
    table: {
      ...subscriptions,
      to: (...of) => {
        searches += 1;
        return subscriptions.to(...of);
      },
    },
    finder: () => peopleOf('posts', service, null)(source.posts),
    changes: service.changes,
    now: () => NOW,
  });
});
afterEach(() => {
  log.close();
  source.close();
  service.close();
});

const ENTRY: LogEntry = {
  number: 1,
  at: NOW,
  type: 'spaces.start',
  users: ['7'],
  post: null,
  body: { broadcast_id: '1' },
};
function subscribe(subject: string, more: Partial<NewSubscription> = {}): string {
  const none = { direction: null, directionName: null, tag: null, webhook: null };
  const wanted = { type: 'spaces.start', name: 'spaces.start', subject, ...none, ...more } as const;
  const result = service.subscriptions.add(OF, wanted, 10, { firstId: 1n, now: NOW });
  if (result === 'too-many' || !('added' in result)) throw new Error('expected a new subscription');
  return result.added.id;
}
const receivers = (): string[] =>
  feed.deliveries(ENTRY, () => true).flatMap(({ subscription }) => subscription?.id ?? []);

it('searches the subscriptions to an entry once for all connections', () => {
  const id = subscribe('7');
  subscribe('8');
  for (let connection = 0; connection < 20; connection++) expect(receivers()).toEqual([id]);
  expect(searches).toBe(1);
});

it('sees each change of the subscriptions at once', () => {
  expect(receivers()).toEqual([]);
  const id = subscribe('7');
  expect(receivers()).toEqual([id]);
  const of = service.subscriptions.find(OF, id)!;
  service.subscriptions.put({ ...of, tag: 'new' });
  expect(feed.deliveries(ENTRY, () => true)[0]?.subscription?.tag).toBe('new');
  service.subscriptions.remove(OF, id);
  expect(receivers()).toEqual([]);
});
