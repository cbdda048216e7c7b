import { ApiError, Client } from '@xdevplatform/xdk';
import { describe, expect, it } from 'vitest';
import { NOTE_WRITER, noteOrders, requestOf } from '#tests/support/service/notes.ts';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

const { service, url } = await listeningService({
  posts: ['1', '2', '3'].map((id) => ({
    id,
    createdAt: NOW - 60_000 + Number(id),
    text: 'The harbour bridge of Nordvik collapsed',
    lang: 'en',
    authorId: '7',
  })),
  // Nothing outside of this machine is asked.
  outgoing: { resolve: async () => [] },
});
const order = noteOrders(service, Date.now);
order(requestOf(['1', '2', '3'], { link: 'https://example.com/source' }));

function writer(name: string, oauth1 = false) {
  const profile = NOTE_WRITER;
  service.auth.accounts({ action: 'add', username: name, profile });
  return service.auth.issueUserToken({ name, limited: true, oauth1 });
}

const TEXT = 'On 3 May 2023 the council of Nordvik named 14 engineers: https://example.com/source';

describe('@xdevplatform/xdk', () => {
  it('lists eligible Posts, evaluates, writes, lists and deletes a note', async () => {
    const { communityNotes } = new Client({ baseUrl: url, accessToken: writer('ann').token });
    const eligible = await communityNotes.searchEligiblePosts(true, {
      maxResults: 2,
      postSelection: 'feed_size: small, feed_lang: en',
      postFields: ['created_at', 'suggested_source_links_with_counts'],
    });
    expect(eligible.meta).toMatchObject({ resultCount: 2 });
    expect(eligible.data?.[0]).toMatchObject({
      id: '3',
      suggestedSourceLinksWithCounts: [{ url: 'https://example.com/source', count: 1 }],
    });
    const { data } = await communityNotes.evaluate({ postId: '3', noteText: TEXT });
    expect(data?.claimOpinionScore).toBeGreaterThan(0);
    const info = {
      text: TEXT,
      classification: 'misinformed_or_potentially_misleading' as const,
      misleadingTags: ['factual_error' as const],
      trustworthySources: true,
    };
    const request = { testMode: true, postId: '3', info };
    const made = await communityNotes.create(request);
    const id = made.data?.id ?? '';
    const again = await refusal(ApiError, communityNotes.create(request));
    expect(again.message).toContain('User already created a note for this post.');
    const noteFields = ['id', 'info', 'status', 'test_result'] as const;
    const written = await communityNotes.searchWritten(true, { noteFields: [...noteFields] });
    expect(written.data).toMatchObject([
      {
        id,
        status: 'unknown',
        info: { text: TEXT, misleadingTags: ['factual_error'] },
        testResult: {
          evaluationOutcome: [
            { evaluatorType: 'UrlValidity', evaluatorScoreBucket: 'unknown' },
            { evaluatorType: 'HarassmentAbuse', evaluatorScoreBucket: 'High' },
            { evaluatorType: 'ClaimOpinion', evaluatorScoreBucket: 'High' },
          ],
        },
      },
    ]);
    expect((await communityNotes.delete(id)).data).toEqual({ deleted: true });
  });
});

describe('twitter-api-v2', () => {
  // It has no methods for notes, but sends any request.
  it('signs requests for notes', async () => {
    const { token, signing } = writer('bob', true);
    const client = v2ClientOf(url, {
      appKey: signing?.api_key ?? '',
      appSecret: signing?.api_key_secret ?? '',
      accessToken: token,
      accessSecret: signing?.access_token_secret ?? '',
    });
    const found = await client.get('notes/search/posts_eligible_for_notes', { test_mode: true });
    expect(found).toMatchObject({ meta: { result_count: 3 } });
    const scored = await client.post('evaluate_note', { post_id: '1', note_text: TEXT });
    expect(scored).toMatchObject({ data: { claim_opinion_score: expect.any(Number) } });
  });
});
