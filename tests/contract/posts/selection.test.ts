import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { POST_PARAMETERS, withSelection, type Selection } from '#contract/posts/selection.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

const Request = v.pipe(v.strictObject(POST_PARAMETERS), withSelection());
const selection = (request: Record<string, string>): Selection =>
  v.parse(Request, request).selection;
const messages = (request: Record<string, string>): string[] =>
  v.safeParse(Request, request).issues?.map(({ message }) => message) ?? [];

describe('the names of a request', () => {
  // The platform's openapi.json, version 2.166 of 2026-06-12.
  it.each([
    [
      'tweet.fields',
      'article,attachments,author_id,card_uri,community_id,context_annotations,conversation_id,created_at,display_text_range,edit_controls,edit_history_tweet_ids,entities,geo,id,in_reply_to_user_id,lang,matched_media_notes,media_metadata,non_public_metrics,note_request_suggestions,note_tweet,organic_metrics,paid_partnership,possibly_sensitive,promoted_metrics,public_metrics,referenced_tweets,reply_settings,scopes,source,suggested_source_links,suggested_source_links_with_counts,text,withheld',
    ],
    [
      'expansions',
      'article.cover_media,article.media_entities,attachments.media_keys,attachments.media_source_tweet,attachments.poll_ids,author_id,edit_history_tweet_ids,entities.mentions.username,geo.place_id,in_reply_to_user_id,entities.note.mentions.username,referenced_tweets.id,referenced_tweets.id.attachments.media_keys,referenced_tweets.id.author_id',
    ],
    [
      'user.fields',
      'affiliation,confirmed_email,connection_status,created_at,description,entities,id,is_identity_verified,location,most_recent_tweet_id,name,parody,pinned_tweet_id,profile_banner_url,profile_image_url,protected,public_metrics,receives_your_dm,subscription,subscription_type,url,username,verified,verified_followers_count,verified_type,withheld',
    ],
    [
      'media.fields',
      'alt_text,duration_ms,height,media_key,non_public_metrics,organic_metrics,preview_image_url,promoted_metrics,public_metrics,type,url,variants,width',
    ],
    ['poll.fields', 'duration_minutes,end_datetime,id,options,voting_status'],
    ['place.fields', 'contained_within,country,country_code,full_name,geo,id,name,place_type'],
  ])('of %s include all that the platform describes', (parameter, names) => {
    expect(messages({ [parameter]: names })).toEqual([]);
  });

  // The lists of @xdevplatform/xdk 0.6.6.
  it('include all that a newer client requests by default', () => {
    const request = {
      'post.fields':
        'article,article_title,attachments,card_uri,community_id,context_annotations,conversation_id,created_at,display_text_range,edit_controls,entities,geo,id,lang,matched_media_notes,media_metadata,non_public_metrics,note_post,note_request_suggestions,organic_metrics,paid_partnership,possibly_sensitive,promoted_metrics,public_metrics,reply_settings,scopes,source,suggested_source_links,suggested_source_links_with_counts,text,withheld',
      expansions:
        'article.cover_media,article.media_entities,attachments.media_keys,attachments.media_source_tweet,attachments.poll_ids,author_id,edit_history_post_ids,entities.mentions.username,geo.place_id,in_reply_to_user_id,referenced_posts,username',
      'user.fields': 'name,subscribes_to_you,username,verified_type',
    };
    expect(messages(request)).toEqual([]);
    expect(selection(request).fields).toContain('note_tweet');
  });

  it('that no vocabulary has are refused, with those of the parameter', () => {
    expect(messages({ 'post.fields': 'id,likes' })).toEqual([
      expect.stringMatching(
        /^The `post.fields` query parameter value \[likes\] is not one of \[article,/,
      ),
    ]);
    expect(messages({ 'post.fields': 'likes' })[0]).not.toContain('author_id');
    expect(messages({ expansions: 'author' })[0]).toContain('[author]');
  });
});

describe('the vocabulary of a request', () => {
  it.each([
    [{}, 'tweet'],
    [{ expansions: 'author_id,attachments.media_source_tweet' }, 'tweet'],
    [{ 'tweet.fields': 'note_post' }, 'tweet'],
    [{ 'post.fields': 'referenced_tweets' }, 'post'],
    [{ expansions: 'referenced_posts' }, 'post'],
    [{ expansions: 'edit_history_post_ids' }, 'post'],
  ])('of %j is that of %s names', (request, vocabulary) => {
    expect(selection(request).vocabulary).toBe(vocabulary);
  });

  it.each([
    [{ 'tweet.fields': 'id', 'post.fields': 'id' }, '`tweet.fields`', '`post.fields`', 2],
    [
      { 'post.fields': 'id', expansions: 'referenced_tweets.id' },
      'referenced_tweets.id',
      '`post.fields`',
      2,
    ],
    [
      { expansions: 'referenced_posts,edit_history_tweet_ids' },
      'edit_history_tweet_ids',
      'referenced_posts',
      1,
    ],
  ])('cannot be both in %j', (request, tweet, post, errors) => {
    const got = messages(request);
    expect(got).toHaveLength(errors);
    for (const message of got) {
      expect(message).toContain(tweet);
      expect(message).toContain(post);
      expect(message).toMatch(/can not be used in one request$/);
    }
  });

  it('ignores fields of the other one, as the platform does', () => {
    expect(selection({ 'tweet.fields': 'id,note_post' }).fields).toEqual(['id']);
    expect(selection({ 'post.fields': 'id,author_id,referenced_posts' }).fields).toEqual(['id']);
  });
});

it('adds the fields that expansions follow', () => {
  expect(selection({ expansions: 'author_id,referenced_tweets.id.author_id' }).fields).toEqual([
    'author_id',
    'referenced_tweets',
  ]);
});

describe('an answer in post names', () => {
  it('renames what differs and nothing else', () => {
    const post = {
      id: '1',
      edit_history_tweet_ids: ['1'],
      note_tweet: { text: 'x' },
      attachments: { media_source_tweet_id: ['2'] },
      public_metrics: { retweet_count: 1, like_count: 2 },
    };
    expect(inVocabulary(post, 'tweet')).toBe(post);
    expect(inVocabulary(post, 'post')).toEqual({
      id: '1',
      edit_history_post_ids: ['1'],
      note_post: { text: 'x' },
      attachments: { media_source_tweet_id: ['2'] },
      public_metrics: { repost_count: 1, like_count: 2 },
    });
    const user = { id: '7', pinned_tweet_id: '1', public_metrics: { tweet_count: 3 } };
    expect(inVocabulary(user, 'post')).toEqual({
      id: '7',
      pinned_post_id: '1',
      public_metrics: { post_count: 3 },
    });
  });
});
