import { Client } from '@xdevplatform/xdk';
import { describe, expect, it } from 'vitest';
import { newsPosts } from '#tests/support/data/stories.ts';
import { listeningService, v2ClientOf } from '#tests/support/service/clients.ts';

const END = Date.parse('2026-11-20T00:00:00Z');

const { service, url } = await listeningService({
  posts: newsPosts(END),
  now: () => END + 3_600_000,
});
const token = service.auth.issueToken({ access: 'pay-per-use', limited: true });

describe('@xdevplatform/xdk', () => {
  it('finds news and reads a story', async () => {
    const { news } = new Client({ baseUrl: url, bearerToken: token });
    const newsFields = ['name', 'summary', 'hook', 'cluster_posts_results', 'updated_at'] as const;
    const options = { maxResults: 5, maxAgeHours: 72, newsFields: [...newsFields] };
    const { data, meta } = await news.search('harbour', options);
    expect(meta).toMatchObject({ resultCount: 1 });
    const [story] = data ?? [];
    expect(story).toMatchObject({ lastUpdatedAtMs: '2026-11-18T10:22:00.000Z' });
    expect(story?.clusterPostsResults).toContainEqual({ postId: '9000000' });
    // Its types name the id as the newer documents do.
    const one = await news.get(String(story?.id), { newsFields: ['summary'] });
    expect(one.data).toMatchObject({ restId: story?.id, summary: story?.summary });
  });
});

describe('twitter-api-v2', () => {
  // It has no methods for news, but sends any request.
  it('reads news through its own requests', async () => {
    const client = v2ClientOf(url, token);
    const found = await client.get('news/search', { query: 'nordvik', 'news.fields': 'keywords' });
    expect(found).toMatchObject({ meta: { result_count: 1 } });
  });
});
