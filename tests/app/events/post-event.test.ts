import { describe, expect, it } from 'vitest';
import type { SearchedPost } from '#app/api/search-api.ts';
import { ownPostEvent } from '#app/events/post-event.ts';

const postOf = (raw: object, over: Partial<SearchedPost> = {}): SearchedPost => ({
  id: '7',
  at: 0,
  text: 'Tea',
  lang: null,
  author: { name: 'Tea', username: 'tea' },
  url: null,
  reposts: null,
  likes: null,
  replies: null,
  ...over,
  raw: { id: '7', text: 'Tea', created_at: new Date(0).toISOString(), ...raw },
});

const links = (...urls: object[]): object => ({ entities: { urls } });

describe('a Post as an event', () => {
  it.each<[string, object]>([
    ['', {}],
    ['link', links({ url: 'https://t.co/a', expanded_url: 'https://tea.example/' })],
    ['link', links({ url: 'https://t.co/a' })],
    ['link', links({ expanded_url: 'https://x.com/other/status/8' })],
    [
      'media',
      {
        ...links({ expanded_url: 'https://twitter.com/tea/status/7/photo/1', media_key: '3_1' }),
        attachments: { media_keys: ['3_1'] },
      },
    ],
    ['', links({ expanded_url: 'https://twitter.com/tea/status/7/photo/1' })],
    ['', links({ url: 'https://pic.twitter.com/abc' })],
    ['', { attachments: { poll_ids: ['1'] } }],
    [
      'quote',
      {
        ...links({ expanded_url: 'https://x.com/cup/status/5' }),
        referenced_tweets: [{ type: 'quoted', id: '5' }],
      },
    ],
    ['reply, quote', { referenced_tweets: [{ type: 'quoted' }, { type: 'replied_to' }] }],
    ['repost', { referenced_tweets: [{ type: 'retweeted', id: '5' }] }],
    ['paid partnership', { paid_partnership: true }],
    ['', { paid_partnership: false, edit_history_tweet_ids: ['7'] }],
    ['edited', { edit_history_tweet_ids: ['6', '7'] }],
    ['1204 views', { public_metrics: { impression_count: 1204 } }],
    ['1 view', { public_metrics: { impression_count: 1 } }],
    ['', { public_metrics: { impression_count: 0 } }],
    ['', { entities: 'none', attachments: 3, referenced_tweets: {}, public_metrics: [] }],
  ])('says “%s” of %j', (detail, raw) => {
    expect(ownPostEvent(postOf(raw)).detail).toBe(detail);
  });

  it('has its marks, then the numbers that are known', () => {
    const raw = { paid_partnership: true, public_metrics: { impression_count: 90 } };
    expect(ownPostEvent(postOf(raw, { likes: 1, replies: 0 }))).toEqual({
      kind: 'post',
      id: '7',
      start: 0,
      end: null,
      title: 'Tea',
      detail: 'paid partnership, 90 views, 1 like, 0 replies',
      source: '@tea',
      url: undefined,
    });
  });
});
