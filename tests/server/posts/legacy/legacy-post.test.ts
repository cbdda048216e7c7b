import { randomBytes as random } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { legacyPost } from '#server/posts/legacy/legacy-post.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { foundPost } from '#server/posts/json/post-json.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { freshFolder } from '#tests/server/db/folder.ts';
import { writePosts, type TestPost } from '#tests/support/service/service.ts';

const inFolder = freshFolder();
let source: Source | null = null;
afterEach(() => {
  source?.close();
  source = null;
});

type Objects = Readonly<Record<string, readonly object[]>>;
const KEYS: Readonly<Record<string, string>> = { media: 'media_key' };

/** The first of some stored Posts in the format of version 1.1. */
function legacy(posts: readonly TestPost[], objects: Objects = {}) {
  const file = inFolder('posts.sqlite');
  writePosts(file, posts);
  const db = openPosts(file, { random });
  const stored = Object.entries(objects).flatMap(([kind, list]) =>
    list.map((each) => {
      const key = String((each as Record<string, unknown>)[KEYS[kind] ?? 'id']);
      return { kind, key, json: JSON.stringify(each) };
    }),
  );
  db.write('objects', () => postTable(db).putObjects(stored));
  db.close();
  source = openSource(file, { random });
  const { posts: finder } = source;
  const [row] = finder.rows([BigInt(posts[0]!.id)]);
  return legacyPost(foundPost(row!), { finder, host: 'http://localhost:1234' });
}

const DEFAULT_USER = {
  utc_offset: null,
  time_zone: null,
  geo_enabled: false,
  lang: null,
  contributors_enabled: false,
  is_translator: false,
  is_translation_enabled: false,
  profile_background_color: 'F5F8FA',
  profile_background_image_url: '',
  profile_background_image_url_https: '',
  profile_background_tile: false,
  profile_link_color: '1DA1F2',
  profile_sidebar_border_color: 'C0DEED',
  profile_sidebar_fill_color: 'DDEEF6',
  profile_text_color: '333333',
  profile_use_background_image: true,
  has_extended_profile: false,
  default_profile: true,
  following: null,
  follow_request_sent: null,
  notifications: null,
  translator_type: 'none',
  withheld_in_countries: [],
};

describe('a Post', () => {
  it('has the members of the documented example', () => {
    const post = legacy(
      [
        {
          id: '20',
          createdAt: '2006-03-21T20:50:14Z',
          text: 'just setting up my twttr',
          authorId: '12',
          username: 'jack',
          lang: 'en',
          fields: {
            source: '<a href="http://x.com" rel="nofollow">X Web Client</a>',
            public_metrics: { retweet_count: 122_086, like_count: 263_321, quote_count: 3 },
          },
        },
      ],
      {
        users: [
          {
            id: '12',
            name: 'jack',
            username: 'jack',
            location: '',
            description: 'no state is the best state',
            url: 'https://t.co/ZEpOg6rn5L',
            entities: {
              url: {
                urls: [
                  {
                    start: 0,
                    end: 23,
                    url: 'https://t.co/ZEpOg6rn5L',
                    expanded_url: 'http://primal.net/jack',
                    display_url: 'primal.net/jack',
                  },
                ],
              },
            },
            created_at: '2006-03-21T20:50:14.000Z',
            profile_image_url: 'https://pbs.twimg.com/profile_images/16/azNjKOSH_normal.jpg',
            profile_banner_url: 'https://pbs.twimg.com/profile_banners/12/1742427520',
            public_metrics: {
              followers_count: 6_427_829,
              following_count: 3,
              listed_count: 32_968,
              like_count: 36_306,
              tweet_count: 30_134,
            },
          },
        ],
      },
    );
    expect(post).toEqual({
      created_at: 'Tue Mar 21 20:50:14 +0000 2006',
      id: 20n,
      id_str: '20',
      text: 'just setting up my twttr',
      truncated: false,
      entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] },
      source: '<a href="http://x.com" rel="nofollow">X Web Client</a>',
      in_reply_to_status_id: null,
      in_reply_to_status_id_str: null,
      in_reply_to_user_id: null,
      in_reply_to_user_id_str: null,
      in_reply_to_screen_name: null,
      user: {
        id: 12n,
        id_str: '12',
        name: 'jack',
        screen_name: 'jack',
        location: '',
        description: 'no state is the best state',
        url: 'https://t.co/ZEpOg6rn5L',
        entities: {
          url: {
            urls: [
              {
                url: 'https://t.co/ZEpOg6rn5L',
                expanded_url: 'http://primal.net/jack',
                display_url: 'primal.net/jack',
                indices: [0, 23],
              },
            ],
          },
          description: { urls: [] },
        },
        protected: false,
        followers_count: 6_427_829,
        friends_count: 3,
        listed_count: 32_968,
        created_at: 'Tue Mar 21 20:50:14 +0000 2006',
        favourites_count: 36_306,
        verified: false,
        statuses_count: 30_134,
        ...DEFAULT_USER,
        profile_image_url: 'http://pbs.twimg.com/profile_images/16/azNjKOSH_normal.jpg',
        profile_image_url_https: 'https://pbs.twimg.com/profile_images/16/azNjKOSH_normal.jpg',
        profile_banner_url: 'https://pbs.twimg.com/profile_banners/12/1742427520',
        default_profile_image: false,
      },
      geo: null,
      coordinates: null,
      place: null,
      contributors: null,
      is_quote_status: false,
      quote_count: 3,
      reply_count: 0,
      retweet_count: 122_086,
      favorite_count: 263_321,
      favorited: false,
      retweeted: false,
      lang: 'en',
    });
  });

  it('has the entities of its text, by code points', () => {
    const { entities } = legacy(
      [
        {
          id: '5',
          createdAt: 0,
          text: '😀 #tea $CASH @Ann @who https://example.com/green-tea-of-the-year',
        },
      ],
      { users: [{ id: '7', name: 'Ann Example', username: 'ann' }] },
    );
    expect(entities).toEqual({
      hashtags: [{ text: 'tea', indices: [2, 6] }],
      symbols: [{ text: 'CASH', indices: [7, 12] }],
      user_mentions: [
        { screen_name: 'Ann', name: 'Ann Example', id: 7n, id_str: '7', indices: [13, 17] },
        { screen_name: 'who', name: 'who', id: null, id_str: null, indices: [18, 22] },
      ],
      urls: [
        {
          url: 'https://example.com/green-tea-of-the-year',
          expanded_url: 'https://example.com/green-tea-of-the-year',
          display_url: 'example.com/green-tea-of-t…',
          indices: [23, 64],
        },
      ],
    });
  });

  it('lists media apart from links', () => {
    const link = {
      url: 'https://t.co/a',
      expanded_url: 'https://x.com/ann/status/5/photo/1',
      display_url: 'pic.x.com/a',
      start: 4,
      end: 18,
    };
    const { entities, extended_entities } = legacy(
      [
        {
          id: '5',
          createdAt: 0,
          text: 'tea https://t.co/a',
          fields: {
            attachments: { media_keys: ['3_91', '13_92', '3_93'] },
            entities: {
              urls: [
                { ...link, media_key: '3_91' },
                { ...link, media_key: '13_92' },
              ],
            },
          },
        },
      ],
      {
        media: [
          {
            media_key: '3_91',
            type: 'photo',
            url: 'https://pbs.twimg.com/media/a.jpg',
            width: 640,
            height: 480,
            alt_text: 'A cup',
          },
          {
            media_key: '13_92',
            type: 'video',
            preview_image_url: '/media/b.jpg',
            duration_ms: 1500,
            variants: [
              { bit_rate: 832_000, content_type: 'video/mp4', url: '/media/b.mp4' },
              { content_type: 'application/x-mpegURL', url: 'https://video.example/b.m3u8' },
            ],
          },
        ],
      },
    );
    const where = {
      url: 'https://t.co/a',
      expanded_url: 'https://x.com/ann/status/5/photo/1',
      display_url: 'pic.x.com/a',
      indices: [4, 18],
    };
    const photo = {
      id: 91n,
      id_str: '91',
      media_url: 'https://pbs.twimg.com/media/a.jpg',
      media_url_https: 'https://pbs.twimg.com/media/a.jpg',
      ...where,
      type: 'photo',
      sizes: { large: { w: 640, h: 480, resize: 'fit' } },
      ext_alt_text: 'A cup',
    };
    expect(entities).toMatchObject({ urls: [], media: [photo] });
    expect(extended_entities).toEqual({
      media: [
        photo,
        {
          id: 92n,
          id_str: '92',
          media_url: 'http://localhost:1234/media/b.jpg',
          media_url_https: 'http://localhost:1234/media/b.jpg',
          ...where,
          type: 'video',
          sizes: {},
          video_info: {
            duration_millis: 1500,
            variants: [
              {
                bitrate: 832_000,
                content_type: 'video/mp4',
                url: 'http://localhost:1234/media/b.mp4',
              },
              { content_type: 'application/x-mpegURL', url: 'https://video.example/b.m3u8' },
            ],
          },
        },
      ],
    });
  });

  it('keeps the link to a medium whose file is unknown', () => {
    const link = { url: 'https://t.co/a', display_url: 'pic.x.com/a', start: 4, end: 18 };
    const post = legacy(
      [
        {
          id: '5',
          createdAt: 0,
          text: 'tea https://t.co/a',
          fields: {
            attachments: { media_keys: ['3_9'] },
            entities: { urls: [{ ...link, media_key: '3_9' }] },
          },
        },
      ],
      { media: [{ media_key: '3_9', type: 'photo' }] },
    );
    expect(post['entities']).toMatchObject({
      urls: [{ url: 'https://t.co/a', display_url: 'pic.x.com/a', indices: [4, 18] }],
    });
    expect(post).not.toHaveProperty('extended_entities');
  });

  it('puts a medium without a link at the end of the text', () => {
    const { entities } = legacy(
      [{ id: '5', createdAt: 0, text: 'tea ☕', fields: { attachments: { media_keys: ['3_9'] } } }],
      { media: [{ media_key: '3_9', type: 'photo', url: '/media/a.jpg' }] },
    );
    const address = 'http://localhost:1234/media/a.jpg';
    expect(entities).toMatchObject({
      media: [{ url: address, expanded_url: address, display_url: address, indices: [5, 5] }],
    });
  });

  it('has its point in both orders, and its place', () => {
    const { geo, coordinates, place } = legacy(
      [
        {
          id: '5',
          createdAt: 0,
          text: 'tea',
          fields: {
            geo: { place_id: '01a', coordinates: { type: 'Point', coordinates: [-0.1, 51.5] } },
          },
        },
      ],
      {
        places: [
          {
            id: '01a',
            name: 'London',
            full_name: 'London, England',
            place_type: 'city',
            country: 'United Kingdom',
            country_code: 'GB',
            geo: { type: 'Feature', bbox: [-0.5, 51.3, 0.3, 51.7], properties: {} },
          },
        ],
      },
    );
    expect([geo, coordinates]).toEqual([
      { type: 'Point', coordinates: [51.5, -0.1] },
      { type: 'Point', coordinates: [-0.1, 51.5] },
    ]);
    expect(place).toEqual({
      id: '01a',
      place_type: 'city',
      name: 'London',
      full_name: 'London, England',
      country_code: 'GB',
      country: 'United Kingdom',
      bounding_box: {
        type: 'Polygon',
        coordinates: [
          [
            [-0.5, 51.3],
            [-0.5, 51.7],
            [0.3, 51.7],
            [0.3, 51.3],
          ],
        ],
      },
      attributes: {},
    });
  });

  it('has the full text of a long Post whose own text was cut', () => {
    const full = `long ${'tea '.repeat(100)}#end`;
    const post = legacy([
      {
        id: '5',
        createdAt: 0,
        text: 'long tea…',
        fields: {
          note_tweet: {
            text: full,
            entities: { hashtags: [{ start: 405, end: 409, tag: 'end' }] },
          },
        },
      },
    ]);
    expect(post).toMatchObject({
      text: 'long tea…',
      truncated: true,
      extended_tweet: {
        full_text: full,
        display_text_range: [0, 409],
        entities: { hashtags: [{ text: 'end', indices: [405, 409] }] },
      },
    });
  });

  it('says where it is withheld, and whether it may be sensitive', () => {
    const post = legacy([
      {
        id: '5',
        createdAt: 0,
        text: 'tea',
        fields: { withheld: { country_codes: ['DE'], copyright: true }, possibly_sensitive: true },
      },
    ]);
    expect(post).toMatchObject({
      withheld_in_countries: ['DE'],
      withheld_copyright: true,
      possibly_sensitive: true,
    });
  });
});

describe('the Posts that a Post shows', () => {
  const quoting = (id: number, of: number, more: Partial<TestPost> = {}): TestPost => ({
    id: BigInt(id),
    createdAt: 0,
    text: `quote ${id}`,
    isQuote: true,
    quoteOfId: String(of),
    ...more,
  });
  const repost: TestPost = {
    id: 9n,
    createdAt: 0,
    text: 'RT @ann: quote 8',
    isRetweet: true,
    repostOfId: '8',
  };

  it('end with the quote in a reposted Post, of which a further one is only named', () => {
    const post = legacy([repost, quoting(8, 7), quoting(7, 6), quoting(6, 5)]);
    expect(post).toMatchObject({
      id: 9n,
      is_quote_status: false,
      retweeted_status: {
        id: 8n,
        quoted_status_id: 7n,
        quoted_status: { id: 7n, quoted_status_id: 6n, quoted_status_id_str: '6' },
      },
    });
    const quoted = (post['retweeted_status'] as { quoted_status: object }).quoted_status;
    expect(quoted).not.toHaveProperty('quoted_status');
  });

  it('leave out those that are gone or that not everybody may see', () => {
    const hidden = { authorId: '4', username: 'carl' };
    const post = legacy([repost, quoting(8, 7), quoting(7, 6, hidden)], {
      users: [{ id: '4', username: 'carl', name: 'Carl', protected: true }],
    });
    const { retweeted_status: shown } = post;
    expect(shown).toMatchObject({ id: 8n, is_quote_status: true, quoted_status_id: 7n });
    expect(shown).not.toHaveProperty('quoted_status');
  });
});

describe('the author', () => {
  const authorOf = (more: Partial<TestPost>, objects?: Objects) =>
    legacy([{ id: '5', createdAt: 0, text: 'tea', ...more }], objects)['user'];

  it('is null if nothing is known of it', () => {
    expect(authorOf({})).toBeNull();
  });

  it('has the username as its name if no more is known', () => {
    expect(authorOf({ authorId: '7', username: 'ann' })).toMatchObject({
      id: 7n,
      name: 'ann',
      screen_name: 'ann',
      statuses_count: 1,
      created_at: null,
      default_profile_image: true,
    });
  });

  it.each([
    [{ username: 'ann' }, { id: null, id_str: null, name: 'ann', screen_name: 'ann' }],
    [{ authorId: '7' }, { id: 7n, id_str: '7', name: null, screen_name: null }],
  ])('of %j has what is known', (more, expected) => {
    expect(authorOf(more)).toMatchObject(expected);
  });
});
