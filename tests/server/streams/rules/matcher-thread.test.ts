import { randomBytes as random } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openService, type Service } from '#server/auth/store.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { openMatcher, type RuleMatcher } from '#server/streams/rules/matcher-thread.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import { freshFolder } from '#tests/server/db/folder.ts';
import { threadEntry } from '#tests/support/service/threads.ts';
import { writePosts, type TestPost } from '#tests/support/service/service.ts';

const AT = { firstId: 1n, now: 0 };

const inFolder = freshFolder();
const file = (name: string): string => inFolder(`${name}.sqlite`);
let service: Service;
let matcher: RuleMatcher;

beforeEach(() => {
  service = openService(file('service'), { random });
  for (const stream of ['posts', 'sample'] as const) openPosts(file(stream), { random }).close();
  const files = { posts: file('posts'), sample: file('sample') };
  matcher = openMatcher({
    host: threadEntry(),
    files,
    rules: [service.rules, service.powerRules],
  });
});
afterEach(async () => {
  await matcher.close();
  service.close();
});

const post = (id: number, text: string, more: Partial<TestPost> = {}): TestPost => ({
  id: BigInt(id),
  createdAt: Date.UTC(2026, 0, 1) + id,
  text,
  ...more,
});

function add(stream: RuleStream, ...values: string[]): string[] {
  const rules = values.map((value) => ({ value, tag: null }));
  return service.rules.change({ stream, app: '1' }, { add: rules }, AT).added.map(({ id }) => id);
}

describe('matching in a thread', () => {
  it('finds the rules of each Post, of its own stream', async () => {
    writePosts(file('posts'), [post(1, 'a cat'), post(2, 'a dog'), post(3, 'café')]);
    writePosts(file('sample'), [post(1, 'a cat')]);
    const [cat, animal, cafe, noCafe] = add('posts', 'cat', 'cat OR dog', 'café', 'cafe');
    const [other] = add('sample', 'cat');
    expect(await matcher.match('posts', ['2', '1', '7', '3', 'x'])).toEqual([
      [animal],
      [cat, animal],
      [],
      [cafe],
      [],
    ]);
    expect(noCafe).toBeDefined();
    expect(await matcher.match('sample', ['1'])).toEqual([[other]]);
  });

  it('finds the rules of powerstream too, by their own operators', async () => {
    writePosts(file('posts'), [post(1, 'a cat'), post(2, 'cats AND dogs')]);
    const addPower = (...values: string[]): string[] => {
      const rules = values.map((value) => ({ value, tag: null }));
      const of = { stream: 'posts', app: '1' } as const;
      return service.powerRules.change(of, { add: rules }, AT).added.map(({ id }) => id);
    };
    const [before] = addPower('contains:cat AND -dogs');
    const [cat] = add('posts', 'cat');
    expect(await matcher.match('posts', ['1', '2'])).toEqual([[cat, before], []]);
    const [both] = addPower('contains:cat');
    // It is no rule of the filtered stream, so there it matches nothing.
    add('posts', 'contains:cat');
    expect(await matcher.match('posts', ['1', '2'])).toEqual([[cat, before, both], [both]]);
    const remove = [before ?? ''];
    service.powerRules.change({ stream: 'posts', app: '1' }, { remove }, AT);
    expect(await matcher.match('posts', ['1'])).toEqual([[cat, both]]);
  });

  it('knows every change of rules that was made before a call', async () => {
    writePosts(file('posts'), [post(1, 'a cat')]);
    const [first] = add('posts', 'cat');
    expect(await matcher.match('posts', ['1'])).toEqual([[first]]);
    const [second] = add('posts', 'cat -dog');
    const both = matcher.match('posts', ['1']);
    service.rules.change({ stream: 'posts', app: '1' }, { remove: [first ?? ''] }, AT);
    const rest = matcher.match('posts', ['1']);
    expect(await both).toEqual([[first, second]]);
    expect(await rest).toEqual([[second]]);
  });

  it('sees Posts that were added after it opened the file, and no deleted ones', async () => {
    const [rule] = add('posts', 'cat');
    expect(await matcher.match('posts', ['1'])).toEqual([[]]);
    writePosts(file('posts'), [post(1, 'a cat')]);
    expect(await matcher.match('posts', ['1'])).toEqual([[rule]]);
    const db = openPosts(file('posts'), { random });
    db.write('remove', () => postTable(db).remove(1n));
    db.close();
    expect(await matcher.match('posts', ['1'])).toEqual([[]]);
  });

  it('reads a file that was replaced once it is opened again', async () => {
    const [rule] = add('sample', 'cat');
    expect(await matcher.match('sample', ['1'])).toEqual([[]]);
    rmSync(file('sample'));
    for (const more of ['-wal', '-shm']) rmSync(file('sample') + more, { force: true });
    writePosts(file('sample'), [post(1, 'a cat')]);
    await matcher.reopen('sample');
    expect(await matcher.match('sample', ['1'])).toEqual([[rule]]);
  });

  it('reads what only rules look for: the quoted Post, the author and the linked pages', async () => {
    writePosts(file('posts'), [
      post(1, 'grumpy cat'),
      post(2, 'look', {
        authorId: '5',
        username: 'ann',
        quoteOfId: '1',
        isQuote: true,
        fields: {
          entities: {
            urls: [{ url: 'https://t.co/a', title: 'Snow today', description: 'Heavy snow' }],
          },
        },
      }),
    ]);
    const db = openPosts(file('posts'), { random });
    const ann = {
      id: '5',
      name: 'Ann PhD',
      username: 'ann',
      description: 'Data engineer',
      location: 'Zürich',
      affiliation: { user_id: '9' },
      public_metrics: { followers_count: 70, following_count: 2, listed_count: 3, tweet_count: 9 },
    };
    const nasa = { id: '9', name: 'NASA', username: 'NASA' };
    db.write('users', () =>
      postTable(db).putObjects(
        [ann, nasa].map((user) => ({ kind: 'users', key: user.id, json: JSON.stringify(user) })),
      ),
    );
    db.close();
    const met = add(
      'posts',
      'look grumpy',
      'bio:"data engineer"',
      'bio_name:phd',
      'bio_location:zürich',
      'followers_count:70',
      'followers_count:60..80 following_count:2..2 listed_count:3 tweets_count:9',
      'url_title:snow',
      'url_description:"heavy snow"',
      'from_affiliate_of:nasa',
      'from_affiliate_of:9',
    );
    add(
      'posts',
      'bio_location:zurich',
      'min_followers:71',
      'to_affiliate_of:nasa',
      'url_title:rain',
    );
    expect(await matcher.match('posts', ['2'])).toEqual([met]);
  });

  it('reports a file that cannot be read, and goes on', async () => {
    const [rule] = add('sample', 'cat');
    add('posts', 'cat');
    writePosts(file('sample'), [post(1, 'a cat')]);
    const files = { posts: inFolder(''), sample: file('sample') };
    const other = openMatcher({
      host: threadEntry(),
      files,
      rules: [service.rules, service.powerRules],
    });
    await expect(other.match('posts', ['1'])).rejects.toThrow();
    expect(await other.match('sample', ['1'])).toEqual([[rule]]);
    await other.close();
  });
});
