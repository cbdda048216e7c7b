import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, person, type Answered, type Caller } from '#tests/support/service/callers.ts';
import { NOTE_WRITER, noteOrders, requestOf } from '#tests/support/service/notes.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const ELIGIBLE = '/2/notes/search/posts_eligible_for_notes?test_mode=true';

let service: TestService;
let order: ReturnType<typeof noteOrders>;
let ann: Caller;

const writer = (name: string) => person(service, name, { profile: NOTE_WRITER });

beforeAll(() => {
  const post = (id: bigint, lang: string | undefined, minute: number) => ({
    id,
    createdAt: NOW - 3_600_000 + minute * 60_000,
    text: `Post ${id}`,
    ...(lang !== undefined && { lang }),
    authorId: '7',
    username: 'zoe',
  });
  service = startService({
    // The newest is not the one with the highest id.
    posts: [
      post(5n, 'en', 1),
      post(1n, 'en', 5),
      post(2n, 'de', 4),
      post(3n, undefined, 3),
      post(4n, 'en', 2),
      post(6n, 'en', 0),
    ],
    now: () => NOW,
  });
  order = noteOrders(service, () => NOW);
  ann = writer('ann');
  order(requestOf([1, 2, 3, 4, 5]));
});
afterAll(() => service.close());

describe('Posts that are eligible for notes', () => {
  it('are those that notes were requested for, newest first, in the language', async () => {
    expect(await ann.ids(ELIGIBLE)).toEqual(['1', '3', '4', '5']);
    expect(await ann.ids(`${ELIGIBLE}&post_selection=feed_size: small, feed_lang: de`)).toEqual([
      '2',
      '3',
    ]);
    expect(await ann.ids(`${ELIGIBLE}&post_selection=feed_lang:all`)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    const { body } = await ann.get(ELIGIBLE);
    expect(body.meta).toEqual({ result_count: 4, newest_id: '1', oldest_id: '5' });
  });

  it('come in pages that go both ways, also while Posts become eligible', async () => {
    const bob = writer('bob');
    const all = `${ELIGIBLE}&post_selection=feed_lang:all&max_results=2`;
    const first = await bob.get(all);
    order(requestOf([6, 1]));
    const token = ({ body }: Answered, name: 'next_token' | 'previous_token') =>
      `${all}&pagination_token=${body.meta[name]}`;
    const second = await bob.get(token(first, 'next_token'));
    const third = await bob.get(token(second, 'next_token'));
    expect([first, second, third].map(idsOf)).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ]);
    expect(third.body.meta.next_token).toBeUndefined();
    expect(await bob.ids(token(second, 'previous_token'))).toEqual(['1', '2']);
    expect((await ann.get(token(first, 'next_token'))).status).toBe(400);
  });

  it('do not include the own Posts, those with a note of the writer, and those of protected accounts', async () => {
    const eve = writer('eve');
    const fay = writer('fay');
    const { body } = await eve.send('POST', '/2/tweets', {
      text: 'The report of May 2023 names 14 engineers',
    });
    const { id } = body.data;
    order(requestOf([id]));
    const all = `${ELIGIBLE}&post_selection=feed_lang:all`;
    expect(await eve.ids(all)).not.toContain(id);
    expect(await fay.ids(all)).toContain(id);
    const info = {
      text: 'It was April: https://example.com',
      classification: 'misinformed_or_potentially_misleading',
      misleading_tags: ['factual_error'],
      trustworthy_sources: true,
    };
    await fay.send('POST', '/2/notes', { test_mode: true, post_id: '1', info });
    expect(await fay.ids(all)).not.toContain('1');
    service.auth.accounts({ action: 'set', username: 'eve', profile: { protected: true } });
    expect(await fay.ids(all)).not.toContain(id);
  });

  it('have the suggested links with counts and the suggestions in both vocabularies', async () => {
    order(requestOf([4], { link: 'https://a.com/1', suggestion: 'It was 2022' }));
    order(requestOf([4], { link: 'https://a.com/2' }));
    order(requestOf([4], { link: 'https://a.com/2' }));
    const fields = 'author_id,suggested_source_links_with_counts,note_request_suggestions';
    const suggested_source_links_with_counts = [
      { url: 'https://a.com/2', count: 2 },
      { url: 'https://a.com/1', count: 1 },
    ];
    const suggestion_id = expect.stringMatching(/^\d+$/);
    const note_request_suggestions = [
      { suggestion_id, suggestion: 'It was 2022', source_link: 'https://a.com/1' },
      { suggestion_id, source_link: 'https://a.com/2' },
      { suggestion_id, source_link: 'https://a.com/2' },
    ];
    for (const query of [
      `tweet.fields=${fields}&expansions=author_id`,
      `post.fields=${fields.slice(10)}&expansions=author_id`,
    ]) {
      const { body } = await ann.get(`${ELIGIBLE}&${query}`);
      const [post] = body.data.filter(({ id }: { id: string }) => id === '4');
      expect(post).toMatchObject({
        suggested_source_links_with_counts,
        note_request_suggestions,
        author_id: '7',
      });
    }
  });

  it.each(['1', '100'])('may come in pages of %s', async (most) => {
    expect((await ann.get(`${ELIGIBLE}&max_results=${most}`)).status).toBe(200);
  });

  it.each([
    ['test_mode=yes', 'The `test_mode` query parameter value [yes] is not one of [true,false]'],
    ['', 'The `test_mode` query parameter can not be empty'],
    ['test_mode=true&post_selection=feed_size: xl', 'feed_size [xl] is not available in test mode'],
    [
      'test_mode=true&post_selection=feed_size: tiny',
      'feed_size [tiny] is not one of [small,large,xl]',
    ],
    [
      'test_mode=true&post_selection=size',
      '[size] is not of the form feed_size: SIZE or feed_lang: CODE',
    ],
    [
      'test_mode=true&post_selection=feed_lang: e',
      'feed_lang [e] is not the code of a language or all',
    ],
    ['test_mode=true&post_selection=feed_lang: en, feed_lang: de', 'feed_lang is given twice'],
    [
      'test_mode=true&max_results=0',
      'The `max_results` query parameter value [0] is not between 1 and 100',
    ],
    ['test_mode=true&max_results=101', 'value [101] is not between 1 and 100'],
  ])('refuses ?%s', async (query, message) => {
    const { status, body } = await ann.get(`/2/notes/search/posts_eligible_for_notes?${query}`);
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('has larger feeds only for writers with notes that are rated helpful', async () => {
    const path =
      '/2/notes/search/posts_eligible_for_notes?test_mode=false&post_selection=feed_size: large';
    const { status, body } = await ann.get(path);
    expect([status, body.detail]).toEqual([
      403,
      expect.stringContaining('feed_size large needs 100 notes'),
    ]);
  });
});

describe('orders', () => {
  it('request notes for all Posts or none', async () => {
    expect(() => order(requestOf([6, 99]))).toThrow('There is no Post 99 in Your posts.');
  });

  it('rate notes, from which their status follows, and admit writers', async () => {
    const gus = writer('gus');
    expect(() => order({ action: 'admit', username: 'nobody' })).toThrow(
      'There is no account @nobody.',
    );
    person(service, 'hal');
    expect(() => order({ action: 'admit', username: 'hal' })).toThrow(
      '@hal is not an AI developer',
    );
    expect(order({ action: 'admit', username: 'GUS' })).toEqual({
      action: 'admit',
      username: 'gus',
    });
    const info = {
      text: 'All of it is right: https://example.com',
      classification: 'not_misleading',
      trustworthy_sources: true,
    };
    const made = await gus.send('POST', '/2/notes', { test_mode: false, post_id: '1', info });
    const { id } = made.body.data;
    const rate = (rating: 'helpful' | 'not_helpful', count: number) =>
      order({ action: 'rate', note: id, rating, count });
    expect(rate('helpful', 4)).toMatchObject({ status: 'needs_more_ratings' });
    expect(rate('helpful', 1)).toMatchObject({ status: 'currently_rated_helpful' });
    rate('not_helpful', 2);
    const path =
      '/2/notes/search/notes_written?test_mode=false&note.fields=status,scoring_status,test_result';
    const { body } = await gus.get(path);
    const counts = { helpful_count: 5, somewhat_helpful_count: 0, not_helpful_count: 2 };
    expect(body.data).toMatchObject([
      {
        id,
        status: 'currently_rated_helpful',
        scoring_status: {
          rating_counts_per_model: { value: { neutral_factor_bucket_counts: counts } },
        },
      },
    ]);
    expect(body.data[0]).not.toHaveProperty('test_result');
    const test = await gus.send('POST', '/2/notes', { test_mode: true, post_id: '2', info });
    const tested = test.body.data.id;
    expect(() => order({ action: 'rate', note: tested, rating: 'helpful', count: 1 })).toThrow(
      'test notes cannot',
    );
  });

  it('survive a restart, with the notes', async () => {
    await service.restart();
    const gus = writer('gus');
    expect(await gus.ids('/2/notes/search/notes_written?test_mode=false')).toHaveLength(1);
    expect(await gus.ids(ELIGIBLE)).toContain('4');
  });
});
