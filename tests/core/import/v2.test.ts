import { describe, expect, it, test } from 'vitest';
import { readArchiveEntry } from '#core/import/archive.ts';
import type { Draft } from '#core/import/draft.ts';
import { Includes } from '#core/import/includes.ts';
import { readV2Post } from '#core/import/v2.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';

const BASE = { id: '1576994789110992896', text: 'hey', created_at: '2022-10-03T17:57:11.000Z' };

function read(post: object, included: object = {}): { draft: Draft; retained: StoredObject[] } {
  const includes = new Includes();
  const retained = includes.addAll(included);
  const draft = readV2Post({ ...BASE, ...post }, includes, retained);
  if (typeof draft === 'string') throw new Error(draft);
  return { draft, retained };
}

describe('a v2 Post', () => {
  it('stores every field without a separate column', () => {
    const more = {
      public_metrics: { like_count: 3 },
      edit_history_tweet_ids: ['1'],
      withheld: { copyright: false },
      x: null,
    };
    const { draft } = read({ ...more, author_id: '7', lang: 'en', __twarc: { version: '2' } });
    expect(JSON.parse(draft.rest ?? '')).toEqual(more);
    expect(draft).toMatchObject({
      id: 1576994789110992896n,
      createdAt: Date.UTC(2022, 9, 3, 17, 57, 11),
      text: 'hey',
    });
    expect(read({}).draft.rest).toBe(null);
  });

  const FIELDS: readonly [name: string, post: object, expected: object][] = [
    [
      'a retweet',
      { referenced_tweets: [{ type: 'retweeted', id: '1' }] },
      { isRetweet: true, repostOfId: '1' },
    ],
    [
      'whose Post it reposts, by what is included',
      { referenced_tweets: [{ type: 'retweeted', id: '2' }] },
      { isRetweet: true, repostOfId: '2', repostOfUserId: '8', repostOfUsername: 'Bob' },
    ],
    [
      'whose Post it reposts, by its text',
      { text: 'RT @cat: hey', referenced_tweets: [{ type: 'retweeted', id: '1' }] },
      { text: 'RT @cat: hey', isRetweet: true, repostOfId: '1', repostOfUsername: 'cat' },
    ],
    [
      'a quote',
      { referenced_tweets: [{ type: 'quoted', id: '1' }] },
      { isQuote: true, quoteOfId: '1' },
    ],
    [
      'a reply',
      { referenced_tweets: [{ type: 'replied_to', id: '1' }], in_reply_to_user_id: '8' },
      { isReply: true, replyToId: '1', inReplyToUserId: '8', inReplyToUsername: 'Bob' },
    ],
    [
      'a reply to someone whose Post is gone',
      { in_reply_to_user_id: '5' },
      { isReply: true, inReplyToUserId: '5' },
    ],
    ['its author', { author_id: '7' }, { authorId: '7', username: 'Ann', isVerified: true }],
    [
      'entities',
      {
        entities: {
          hashtags: [{ tag: 'A' }],
          cashtags: [{ tag: 'B' }],
          mentions: [{ username: 'c', id: '1' }],
          urls: [{ url: 'https://t.co/1', expanded_url: 'https://a.example' }],
        },
      },
      {
        hashtags: ['A'],
        cashtags: ['B'],
        mentions: ['c'],
        urls: ['https://t.co/1', 'https://a.example'],
      },
    ],
    [
      'entities of one kind: there are none of the others',
      { entities: { hashtags: [{ tag: 'A' }] } },
      { hashtags: ['A'], cashtags: [], mentions: [], urls: [] },
    ],
    [
      'media by included type',
      { attachments: { media_keys: ['3_1'] } },
      { hasMedia: true, hasImages: false, hasVideo: true },
    ],
    [
      'media by key',
      { attachments: { media_keys: ['3_9'] } },
      { hasMedia: true, hasImages: true, hasVideo: false },
    ],
    ['a poll is no media', { attachments: { poll_ids: ['1'] } }, {}],
    ['geo', { geo: { place_id: 'x' } }, { hasGeo: true, places: ['x'] }],
    [
      'the place that is included, and its own point',
      { geo: { place_id: 'p', coordinates: { type: 'Point', coordinates: [-74, 40.7] } } },
      {
        hasGeo: true,
        places: ['p', 'Manhattan', 'Manhattan, NY'],
        country: 'US',
        boxes: [
          { west: -74.03, south: 40.68, east: -73.91, north: 40.88 },
          { west: -74, south: 40.7, east: -74, north: 40.7 },
        ],
      },
    ],
    [
      'a place as twarc flattens it',
      { geo: { place_id: 'q', id: 'q', full_name: 'Q', geo: { bbox: [1, 2, 3, 4] } } },
      { hasGeo: true, places: ['q', 'Q'], boxes: [{ west: 1, south: 2, east: 3, north: 4 }] },
    ],
    [
      'no box off the map',
      { geo: { place_id: 'q', geo: { bbox: [1, 2, 3, 94] } } },
      { hasGeo: true, places: ['q'] },
    ],
    [
      'annotations',
      {
        context_annotations: [{ domain: { id: '10', name: 'Person' }, entity: { id: '7' } }],
        entities: { annotations: [{ normalized_text: 'Michael Jordan', type: 'Person' }] },
      },
      {
        contexts: ['10.7'],
        entities: ['Michael Jordan'],
        hashtags: [],
        mentions: [],
        cashtags: [],
        urls: [],
      },
    ],
    [
      'metrics',
      { public_metrics: { like_count: 3, reply_count: 0, retweet_count: 12, quote_count: 5 } },
      { likes: 3, reposts: 12 },
    ],
    ['conversation', { conversation_id: '12' }, { conversationId: '12' }],
    [
      'a long Post is found by its whole text',
      { note_tweet: { text: 'hey, and more', entities: { hashtags: [{ tag: 'Z' }] } } },
      { text: 'hey, and more', hashtags: ['Z'], cashtags: [], mentions: [], urls: [] },
    ],
  ];
  test.each(FIELDS)('says %s', (_, post, expected) => {
    const included = {
      users: [
        { id: '7', username: 'Ann', verified: true },
        { id: '8', username: 'Bob' },
      ],
      media: [{ media_key: '3_1', type: 'video' }],
      tweets: [{ id: '2', author_id: '8' }],
      places: [
        {
          id: 'p',
          name: 'Manhattan',
          full_name: 'Manhattan, NY',
          country_code: 'US',
          geo: { type: 'Feature', bbox: [-74.03, 40.68, -73.91, 40.88] },
        },
      ],
    };
    expect(read(post, included).draft.post).toEqual({ text: 'hey', ...expected });
  });

  it('stores included objects, complete and by key', () => {
    const included = {
      users: [{ id: '7', username: 'Ann', description: 'd' }],
      tweets: [{ id: '1', text: 't' }],
      media: [{ media_key: '3_1', type: 'photo' }],
      places: [{ id: 'p' }],
      polls: [{ id: '5' }],
      topics: [{ id: '6' }],
    };
    const { retained } = read({}, included);
    expect(retained.map(({ kind, key }) => [kind, key])).toEqual([
      ['users', '7'],
      ['tweets', '1'],
      ['media', '3_1'],
      ['places', 'p'],
      ['polls', '5'],
    ]);
    expect(JSON.parse(retained[0]?.json ?? '')).toEqual(included.users[0]);
  });

  it('flattened by twarc is restored', () => {
    const { draft, retained } = read({
      author_id: '7',
      author: { id: '7', username: 'Ann' },
      attachments: { media_keys: ['7_1'], media: [{ media_key: '7_1', type: 'video' }] },
      referenced_tweets: [{ type: 'quoted', id: '3', text: 'other', author: { id: '8' } }],
    });
    expect(draft.post).toMatchObject({ username: 'Ann', hasVideo: true, isQuote: true });
    expect(JSON.parse(draft.rest ?? '')).toEqual({
      attachments: { media_keys: ['7_1'] },
      referenced_tweets: [{ type: 'quoted', id: '3' }],
    });
    expect(retained.map(({ kind, key }) => [kind, key])).toEqual([
      ['users', '7'],
      ['media', '7_1'],
      ['tweets', '3'],
    ]);
  });

  test.each([
    [{ id: 1576994789110992896 }, /^its id 1576994789110993000 is a number too large to be exact/],
    [{ id: 'abc' }, /^the id "abc"/],
    [{ created_at: 'now' }, /^the time "now"/],
    [{ text: undefined }, /^has no text$/],
  ])('%j is refused', (post, reason) => {
    expect(readV2Post({ ...BASE, ...post }, new Includes(), [])).toMatch(reason);
  });
});

describe('an entry of an archive', () => {
  const ENTRY = {
    id_str: '922440008971292672',
    id: '922440008971292672',
    created_at: 'Mon Oct 23 12:30:10 +0000 2017',
    full_text: 'hey',
    lang: 'en',
    retweeted: false,
  };
  const readEntry = (more: object): Draft => {
    const draft = readArchiveEntry(
      { tweet: { ...ENTRY, ...more } },
      { id: '42', username: 'quietteapot' },
    );
    if (typeof draft === 'string') throw new Error(draft);
    return draft;
  };

  it('belongs to the owner, with numbers read from text', () => {
    const draft = readEntry({
      retweet_count: '3',
      favorite_count: '5',
      source: '<a href="x">App</a>',
      odd: 1,
    });
    expect(draft).toMatchObject({
      id: 922440008971292672n,
      createdAt: Date.UTC(2017, 9, 23, 12, 30, 10),
    });
    expect(draft.post).toEqual({
      text: 'hey',
      lang: 'en',
      authorId: '42',
      username: 'quietteapot',
      likes: 5,
      reposts: 3,
    });
    expect(JSON.parse(draft.rest ?? '')).toEqual({
      public_metrics: { retweet_count: 3, like_count: 5 },
      source: 'App',
      archive: { retweeted: false, odd: 1 },
    });
  });

  it('is a repost if its text begins like one, since archives mark it in no other way', () => {
    expect(readEntry({ full_text: 'RT @ann: hey' }).post.isRetweet).toBe(true);
    expect(readEntry({ full_text: 'say RT @ann: hey' }).post.isRetweet).toBe(undefined);
  });

  it('names the reposted author', () => {
    expect(readEntry({ full_text: 'RT @ann: hey' }).post).toMatchObject({
      repostOfUsername: 'ann',
    });
    const original = { id_str: '5', user: { id_str: '6', screen_name: 'Bo' } };
    expect(readEntry({ retweeted_status: original }).post).toMatchObject({
      isRetweet: true,
      repostOfId: '5',
      repostOfUserId: '6',
      repostOfUsername: 'Bo',
    });
  });

  it('has its quote, point and place', () => {
    const { post } = readEntry({
      quoted_status_id_str: '77',
      coordinates: { type: 'Point', coordinates: [2, 48] },
      place: {
        id: 'p1',
        name: 'Paris',
        full_name: 'Paris, France',
        country_code: 'FR',
        bounding_box: {
          type: 'Polygon',
          coordinates: [
            [
              [2.2, 48.8],
              [2.4, 48.8],
              [2.4, 48.9],
              [2.2, 48.9],
            ],
          ],
        },
      },
    });
    expect(post).toMatchObject({
      isQuote: true,
      quoteOfId: '77',
      hasGeo: true,
      places: ['p1', 'Paris', 'Paris, France'],
      country: 'FR',
      boxes: [
        { west: 2.2, south: 48.8, east: 2.4, north: 48.9 },
        { west: 2, south: 48, east: 2, north: 48 },
      ],
    });
  });

  it('has replies, entities and media in the form of v2', () => {
    const draft = readEntry({
      in_reply_to_status_id_str: '5',
      in_reply_to_user_id_str: '8',
      in_reply_to_screen_name: 'Bob',
      entities: {
        hashtags: [{ text: 'A', indices: ['0', '2'] }],
        symbols: [],
        user_mentions: [{ screen_name: 'c', id_str: '9', indices: ['3', '5'] }],
        urls: [
          {
            url: 'https://t.co/1',
            expanded_url: 'https://a.example',
            display_url: 'a.example',
            indices: ['6', '9'],
          },
        ],
      },
      extended_entities: { media: [{ type: 'photo' }] },
    });
    expect(draft.post).toMatchObject({
      isReply: true,
      inReplyToUserId: '8',
      inReplyToUsername: 'Bob',
      hashtags: ['A'],
      mentions: ['c'],
      cashtags: [],
      urls: ['https://t.co/1', 'https://a.example'],
      hasImages: true,
    });
    expect(JSON.parse(draft.rest ?? '')).toMatchObject({
      in_reply_to_user_id: '8',
      referenced_tweets: [{ type: 'replied_to', id: '5' }],
      entities: {
        hashtags: [{ start: 0, end: 2, tag: 'A' }],
        mentions: [{ start: 3, end: 5, username: 'c', id: '9' }],
      },
    });
  });
});
