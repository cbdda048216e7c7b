import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/terms.json', import.meta.url), 'utf8'),
) as { text: string }[];

/** Texts of all scripts, with what queries match in a text, and what a text column cannot store. */
export const text: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      unicodeText({ maxLength: 6 }),
      fc.constantFrom(...vectors.map((vector) => vector.text)),
      fc.constantFrom('#tag', '@Ann', '$TSLA', '🎉', 'https://t.co/Xy1', 'pic.twitter.com/Zz'),
      fc.constantFrom('RT @bob: hey', '\0', '\ud83c', '\udf89'),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(' '));

const flag = fc.boolean();
const name = fc.constantFrom('Ann', 'bob', 'Zoë', '12', 'n\0n');
const id = fc.constantFrom('1', '2', '3', '12');
const number = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 40));
const lon = fc.double({ min: -180, max: 180, noNaN: true });
const lat = fc.double({ min: -90, max: 90, noNaN: true });
const some = { requiredKeys: [] };

/** The properties that queries match, from any source. */
export const indexable = fc.record(
  {
    text,
    username: name,
    authorId: id,
    lang: fc.constantFrom('en', 'de', ''),
    isRetweet: flag,
    isQuote: flag,
    isReply: flag,
    isRepostUnknown: flag,
    isReplyUnknown: flag,
    isQuoteUnknown: flag,
    isVerified: flag,
    isNullcast: flag,
    inReplyToUsername: name,
    inReplyToUserId: id,
    conversationId: id,
    repostOfUsername: name,
    repostOfUserId: id,
    repostOfId: id,
    replyToId: id,
    quoteOfId: id,
    hashtags: fc.array(name, { maxLength: 2 }),
    mentions: fc.array(name, { maxLength: 2 }),
    cashtags: fc.array(name, { maxLength: 2 }),
    urls: fc.array(fc.webUrl(), { maxLength: 2 }),
    hasMedia: flag,
    hasImages: flag,
    hasVideo: flag,
    hasGeo: flag,
    places: fc.array(text, { maxLength: 2 }),
    country: fc.constantFrom('GB', 'us'),
    boxes: fc.array(fc.record({ west: lon, south: lat, east: lon, north: lat }), { maxLength: 2 }),
    contexts: fc.array(fc.constantFrom('1.2', '1.3'), { maxLength: 2 }),
    entities: fc.array(text, { maxLength: 2 }),
    likes: number,
    replies: number,
    reposts: number,
  },
  { requiredKeys: ['text'] },
);

const TIME = '2022-10-03T17:57:11.000Z';
const list = (key: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.array(value, { maxLength: 2 }).map((values) => values.map((each) => ({ [key]: each })));
const entities = fc.record(
  {
    hashtags: list('tag', name),
    cashtags: list('tag', name),
    mentions: list('username', name),
    urls: list('expanded_url', fc.webUrl()),
    annotations: list('normalized_text', text),
  },
  some,
);
const geo = fc.record(
  {
    place_id: fc.constantFrom('p', 'q'),
    full_name: text,
    country_code: fc.constant('FR'),
    geo: fc.record({ bbox: fc.tuple(lon, lat, lon, lat) }),
    coordinates: fc.record({ coordinates: fc.tuple(lon, lat) }),
  },
  some,
);
const user = fc.record({ id, username: name, verified: flag }, { requiredKeys: ['id'] });
const tweet = fc.record({ id, author_id: id, text }, { requiredKeys: ['id', 'text'] });
const mediaKey = fc.constantFrom('3_1', '7_2', '13_3', '16_4', 'x');
const medium = fc.record({
  media_key: mediaKey,
  type: fc.constantFrom('photo', 'video', 'animated_gif'),
});

/** v2 Posts, plain or with what twarc adds; none has an id, so one is made. */
export const v2Post = fc.record(
  {
    created_at: fc.constant(TIME),
    text,
    author_id: id,
    author: user,
    lang: fc.constantFrom('en', 'und', ''),
    nullcast: flag,
    geo: fc.oneof(geo, fc.jsonValue({ maxDepth: 1 })),
    referenced_tweets: fc.array(
      fc
        .tuple(fc.constantFrom('replied_to', 'quoted', 'retweeted'), id, fc.option(tweet))
        .map(([type, id, inside]) => ({ type, ...inside, id })),
      { maxLength: 3 },
    ),
    in_reply_to_user_id: id,
    in_reply_to_user: user,
    conversation_id: id,
    entities: fc.oneof(entities, fc.jsonValue({ maxDepth: 2 })),
    note_tweet: fc.record({ text, entities }, some),
    context_annotations: fc.array(
      fc.record({ domain: fc.record({ id }), entity: fc.record({ id }) }, some),
      { maxLength: 2 },
    ),
    public_metrics: fc.record({ like_count: number, reply_count: number }, some),
    attachments: fc.record(
      { media_keys: fc.array(mediaKey, { maxLength: 2 }), media: fc.array(medium) },
      some,
    ),
    columns: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: ['created_at', 'text'] },
);

/** The includes of an answer. */
export const included = fc.record({
  users: fc.uniqueArray(user, { selector: (each) => each.id, maxLength: 3 }),
  tweets: fc.uniqueArray(tweet, { selector: (each) => each.id, maxLength: 2 }),
  media: fc.uniqueArray(medium, { selector: (each) => each.media_key, maxLength: 3 }),
  places: fc.constantFrom(
    [],
    [{ id: 'p', name: 'Paris', country_code: 'FR', geo: { bbox: [2.2, 48.8, 2.4, 48.9] } }],
  ),
});

const v1User = fc.record({ id_str: id, screen_name: name, verified: flag }, some);
const digits = number.map(String);

/** Entries of an archive, or Posts of the interface before v2; none has an id. */
export const archiveEntry = fc.record(
  {
    created_at: fc.constant('Mon Oct 23 12:30:10 +0000 2017'),
    full_text: text,
    retweeted: fc.constant(false),
    lang: fc.constantFrom('en', 'und'),
    user: v1User,
    entities: fc.record(
      {
        hashtags: list('text', name),
        symbols: list('text', name),
        user_mentions: list('screen_name', name),
        urls: list('expanded_url', fc.webUrl()),
        media: list('type', fc.constantFrom('photo', 'video', 'animated_gif')),
      },
      some,
    ),
    extended_entities: fc.record({ media: list('type', fc.constantFrom('photo', 'video')) }),
    retweeted_status: fc.record({ id_str: id, user: v1User }, some),
    quoted_status_id_str: id,
    is_quote_status: flag,
    in_reply_to_status_id_str: id,
    in_reply_to_user_id_str: id,
    in_reply_to_screen_name: name,
    coordinates: fc.record({ coordinates: fc.tuple(lon, lat) }),
    place: fc.record({ id, full_name: text, country_code: fc.constant('FR') }, some),
    retweet_count: digits,
    favorite_count: digits,
    reply_count: number,
  },
  {
    requiredKeys: [
      'created_at',
      'full_text',
      'retweeted',
      'entities',
      'retweet_count',
      'favorite_count',
    ],
  },
);
