import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { POST_PARAMETERS } from '#contract/posts/selection.ts';
import { stage, type As } from '#tests/support/service/conformance.ts';
import { runs } from '#tests/support/run/runs.ts';

// Laws that hold for every request, with generated examples.

const on = stage([
  {
    id: '11',
    createdAt: '2026-11-21T08:00:00Z',
    text: 'green tea for @alice #tea https://tea.example/',
    authorId: '7',
    username: 'ann',
    likes: 3,
  },
  {
    id: '12',
    createdAt: '2026-11-21T08:10:00Z',
    text: '@ann black tea',
    authorId: '8',
    username: 'ben',
    isReply: true,
    replyToId: '11',
    inReplyToUserId: '7',
  },
]);
const alice = on.user('alice', { subscription_type: 'Premium', verified_type: 'blue' });
const bob = on.user('bob');
const carl = on.user('carl');

/** One caller of each kind; the accounts are unrelated to the Posts. */
const KINDS: Readonly<Record<string, As>> = {
  app: on.app(),
  oauth1: on.signer('carl'),
  oauth2: carl,
  session: on.dashboard('carl'),
};

async function posted(as: As, body: object): Promise<string> {
  on.now += 60_000;
  const { status, body: answer } = await as.send('POST', '/2/tweets', body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer.data.id;
}

const poll = await posted(alice, {
  text: 'tea or coffee?',
  poll: { options: ['tea', 'coffee'], duration_minutes: 5 },
});
const quote = await posted(bob, { text: 'tea, of course', quote_tweet_id: '11' });
const edited = await posted(alice, { text: 'tee' });
on.now += 1000;
const latest = await posted(alice, {
  text: 'tea, edited',
  edit_options: { previous_post_id: edited },
});
const long = await posted(alice, { text: 'a long text about tea '.repeat(30).trim() });
on.now += 60_000;

/** The names that a parameter takes, as the description of the interface states them. */
function namesOf(parameter: keyof typeof POST_PARAMETERS): readonly string[] {
  const { values } = v.getMetadata(POST_PARAMETERS[parameter].wrapped);
  return values as readonly string[];
}

/** Expansions in post names (platform-facts-additions, section 0). */
const POST_EXPANSIONS = [
  'attachments.media_keys',
  'attachments.poll_ids',
  'author_id',
  'edit_history_post_ids',
  'entities.mentions.username',
  'in_reply_to_user_id',
  'referenced_posts',
];

const some = (names: readonly string[]) => fc.subarray([...names]).map((chosen) => chosen.join());

/** Query parameters that choose fields, in one vocabulary. */
const selection = fc.constantFrom('tweet.fields', 'post.fields').chain((parameter) =>
  fc
    .record({
      [parameter]: some(namesOf(parameter as 'tweet.fields')),
      expansions: some(parameter === 'tweet.fields' ? namesOf('expansions') : POST_EXPANSIONS),
      // The relation of the caller to a user differs by caller.
      'user.fields': some(namesOf('user.fields').filter((name) => name !== 'connection_status')),
      'media.fields': some(namesOf('media.fields')),
      'poll.fields': some(namesOf('poll.fields')),
    })
    .map((all) => Object.entries(all).flatMap(([name, names]) => (names ? `${name}=${names}` : [])))
    .map((pairs) => pairs.join('&')),
);

const POSTS = ['11', '12', poll, quote, latest, long];
const READS = [
  `/2/tweets?ids=${POSTS.join()}&`,
  ...POSTS.map((id) => `/2/tweets/${id}?`),
  '/2/tweets/search/recent?query=tea&',
  '/2/users/7/tweets?',
  '/2/tweets/11/quote_tweets?',
];

/** An answer without what a search shows the dashboard alone. */
const withoutOrigin = (body: object) =>
  JSON.parse(JSON.stringify(body, (name, value) => (name === 'origin' ? undefined : value)));

describe('Any two kinds of token see a public Post alike', () => {
  it('whatever operation reads it, and whatever it shows of it, in both vocabularies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...READS), selection, async (path, chosen) => {
        // Libraries sign an empty pair in different ways.
        const url = `${path}${chosen}`.replace(/[?&]$/, '');
        const seen = await Promise.all(
          Object.entries(KINDS).map(async ([kind, as]) => {
            const { status, body } = await as.get(url);
            expect(status, `${kind} ${url} ${JSON.stringify(body)}`).toBe(200);
            return withoutOrigin(body);
          }),
        );
        for (const body of seen) expect(body).toEqual(seen[0]);
        expect(seen[0].data).toBeDefined();
      }),
      { numRuns: runs(150) },
    );
  });
});

/** An action and its undo, which the same account makes. */
interface Action {
  readonly name: string;
  readonly as: As;
  readonly path: string;
  readonly body: object;
  readonly undo: string;
}

const list: string = (await alice.send('POST', '/2/lists', { name: 'Tea' })).body.data.id;

/** All actions of some accounts on another and its Posts. */
const ACTIONS: readonly Action[] = [bob, carl].flatMap((as) => {
  const own = `/2/users/${as.id}`;
  const on = (name: string, path: string, member: string, target: string): Action => ({
    name: `${name} ${target} by ${as.id}`,
    as,
    path,
    body: { [member]: target },
    undo: `${path}/${target}`,
  });
  return [
    on('follow', `${own}/following`, 'target_user_id', alice.id),
    on('mute', `${own}/muting`, 'target_user_id', alice.id),
    on('follow the list', `${own}/followed_lists`, 'list_id', list),
    on('pin the list', `${own}/pinned_lists`, 'list_id', list),
    { ...on('list', `/2/lists/${list}/members`, 'user_id', as.id), as: alice },
    ...[latest, '11'].flatMap((id) => [
      on('like', `${own}/likes`, 'tweet_id', id),
      on('bookmark', `${own}/bookmarks`, 'tweet_id', id),
      on('repost', `${own}/retweets`, 'tweet_id', id),
    ]),
  ];
});

/** Everything about the accounts, Posts and lists that an action could change. */
async function state(): Promise<unknown[]> {
  const ofPost = [latest, '11'].flatMap((id) =>
    ['liking_users', 'retweeted_by'].map((name) => `/2/tweets/${id}/${name}`),
  );
  const ofUser = [bob, carl].flatMap((as) =>
    [
      'followers',
      'following',
      'muting',
      'liked_tweets',
      'bookmarks',
      'followed_lists',
      'pinned_lists',
      'list_memberships',
      'tweets',
    ].map((name) => [as, `/2/users/${as.id}/${name}`] as const),
  );
  const reads: (readonly [As, string])[] = [
    ...ofUser,
    ...ofPost.map((path) => [bob, path] as const),
    [alice, `/2/users/${alice.id}/followers`],
    [alice, `/2/lists/${list}/members`],
    [alice, `/2/lists/${list}/followers`],
    [alice, `/2/lists/${list}?list.fields=follower_count,member_count`],
    [bob, `/2/tweets?ids=${latest},11&tweet.fields=public_metrics`],
    [
      bob,
      `/2/users?ids=${alice.id},${bob.id},${carl.id}&user.fields=public_metrics,most_recent_tweet_id`,
    ],
    [KINDS['app']!, '/2/tweets/counts/recent?query=tea&granularity=day'],
  ];
  return await Promise.all(
    reads.map(async ([as, path]) => {
      const { status, body } = await as.get(path);
      expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
      return [path, body];
    }),
  );
}

async function done({ as, path, body, name }: Action): Promise<void> {
  const { status, body: answer } = await as.send('POST', path, body);
  expect(status, `${name}: ${JSON.stringify(answer)}`).toBe(200);
}

async function undone({ as, undo, name }: Action): Promise<void> {
  const { status, body } = await as.send('DELETE', undo);
  expect(status, `undo ${name}: ${JSON.stringify(body)}`).toBe(200);
}

describe('Undoing an action restores the state before it', () => {
  it('whatever else was done, in any order', async () => {
    const actions = fc.shuffledSubarray([...ACTIONS], { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(actions, async ([action, ...before]) => {
        for (const each of before) await done(each);
        const previous = await state();
        await done(action!);
        expect(await state()).not.toEqual(previous);
        await undone(action!);
        expect(await state()).toEqual(previous);
        for (const each of before) await undone(each);
      }),
      { numRuns: runs(40) },
    );
  });
});

const NUMBERS = { likes: 'like_count', replies: 'reply_count', reposts: 'retweet_count' } as const;

/** A found Post. */
interface Shown {
  readonly id: string;
  readonly public_metrics: Readonly<Record<string, number>>;
}

/** Ids of the Posts that a query finds, of which the counts must tell as many. */
async function matched(query: string): Promise<string[]> {
  const asked = `recent?query=${encodeURIComponent(query)}`;
  const { body } = await KINDS['app']!.get(`/2/tweets/search/${asked}&max_results=100`);
  const counted = await KINDS['app']!.get(`/2/tweets/counts/${asked}`);
  const ids = (body.data ?? []).map(({ id }: { id: string }) => id).sort();
  expect([query, counted.body.meta.total_tweet_count]).toEqual([query, ids.length]);
  return ids;
}

describe('A query finds Posts by what they show', () => {
  it('of likes, replies and reposts, whatever was done here', async () => {
    let texts = 0;
    let own = '';
    let replies: string[] = [];
    const text = () => `a word about tea ${(texts += 1)}`;
    const relate = (method: 'POST' | 'DELETE', as: As, name: string, id: string) =>
      method === 'POST'
        ? as.send(method, `/2/users/${as.id}/${name}`, { tweet_id: id })
        : as.send(method, `/2/users/${as.id}/${name}/${id}`);
    const relating = fc.record({
      method: fc.constantFrom('POST', 'DELETE'),
      as: fc.constantFrom(bob, carl),
      name: fc.constantFrom('likes', 'retweets'),
      id: fc.constantFrom('11', quote, 'own'),
    });
    const action = fc.oneof(
      relating.map(({ method, as, name, id }) => async () => {
        await relate(method, as, name, id === 'own' ? own : id);
      }),
      fc.constantFrom('11', 'own').map((id) => async () => {
        const reply = { in_reply_to_tweet_id: id === 'own' ? own : id };
        replies.push(await posted(carl, { text: text(), reply }));
      }),
      fc.constant(async () => {
        const gone = replies.pop();
        if (gone !== undefined) await carl.send('DELETE', `/2/tweets/${gone}`);
      }),
      fc.constant(async () => {
        const edit_options = { previous_post_id: own };
        const edit = await alice.send('POST', '/2/tweets', { text: text(), edit_options });
        if (edit.status === 201) own = edit.body.data.id;
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 8 }), async (actions) => {
        own = await posted(alice, { text: text() });
        replies = [];
        for (const act of actions) await act();
        on.now += 60_000;
        const { body } = await KINDS['app']!.get(
          '/2/tweets/search/recent?query=min_likes:0%20-is:retweet&max_results=100&tweet.fields=public_metrics',
        );
        for (const [name, member] of Object.entries(NUMBERS)) {
          for (const least of [1, 2, 3, 4]) {
            const shown = body.data.flatMap(({ id, public_metrics: metrics }: Shown) =>
              metrics[member]! >= least ? [id] : [],
            );
            expect(await matched(`min_${name}:${least} -is:retweet`)).toEqual(shown.sort());
          }
        }
        for (const id of replies) await carl.send('DELETE', `/2/tweets/${id}`);
        await alice.send('DELETE', `/2/tweets/${own}`);
      }),
      { numRuns: runs(20) },
    );
  });

  it('of verified accounts, whatever they post', async () => {
    await posted(alice, { text: 'so it is', reply: { in_reply_to_tweet_id: '12' } });
    await posted(carl, { text: 'so it is not', reply: { in_reply_to_tweet_id: '12' } });
    await alice.send('POST', `/2/users/${alice.id}/retweets`, { tweet_id: '12' });
    on.now += 60_000;
    expect(await matched('from:alice -is:verified')).toEqual([]);
    const byAll = '(from:alice OR from:bob OR from:carl) is:verified';
    expect(await matched(`${byAll} -is:retweet`)).toEqual(await matched('from:alice -is:retweet'));
    const counts = `/2/tweets/counts/recent?query=${encodeURIComponent(byAll)} is:retweet`;
    expect((await KINDS['app']!.get(counts)).body.meta.total_tweet_count).toBe(1);
  });
});
