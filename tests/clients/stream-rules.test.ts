import { Client } from '@xdevplatform/xdk';
import { describe, expect, it } from 'vitest';
import { listeningService, v2ClientOf } from '#tests/support/service/clients.ts';

const { service, url } = await listeningService();

function tokenOf(name: string): string {
  return String(service.auth.apps({ action: 'add', name, settings: {} }).secrets?.bearer_token);
}

describe('twitter-api-v2', () => {
  it('adds, lists, tries and deletes rules', async () => {
    const client = v2ClientOf(url, tokenOf('One'));
    const added = await client.updateStreamRules({
      add: [{ value: 'cat has:media', tag: 'cats' }, { value: 'h:m' }],
    });
    expect(added.meta.summary).toEqual({ created: 1, not_created: 1, valid: 1, invalid: 1 });
    expect(added.errors).toMatchObject([{ title: 'UnprocessableEntity', value: 'h:m' }]);
    const tried = await client.updateStreamRules({ add: [{ value: 'dog' }] }, { dry_run: true });
    expect(tried.data).toMatchObject([{ value: 'dog' }]);
    const { data } = await client.streamRules();
    expect(data).toEqual([{ id: added.data[0]?.id, value: 'cat has:media', tag: 'cats' }]);
    expect((await client.streamRules({ ids: data[0]?.id ?? '' })).data).toEqual(data);
    const gone = await client.updateStreamRules({ delete: { ids: [data[0]?.id ?? ''] } });
    expect(gone.meta.summary).toEqual({ deleted: 1, not_deleted: 0 });
    expect((await client.streamRules()).data).toBeUndefined();
  });
});

describe('xdk', () => {
  it('adds, lists, counts and deletes rules', async () => {
    const { stream } = new Client({ baseUrl: url, bearerToken: tokenOf('Two') });
    const { data: [cat] = [] } = await stream.updateRules({ add: [{ value: 'cat' }] });
    expect(cat).toMatchObject({ value: 'cat' });
    const again = await stream.updateRules({ add: [{ value: 'cat' }, { value: 'dog' }] });
    expect(again.errors).toMatchObject([{ title: 'DuplicateRule', id: cat?.id }]);
    const page = await stream.getRules({ maxResults: 1 });
    expect(page.data).toMatchObject([{ value: 'cat' }]);
    const next = await stream.getRules({ paginationToken: String(page.meta?.nextToken) });
    expect(next.data).toMatchObject([{ value: 'dog' }]);
    const { data: counts } = await stream.getRuleCounts();
    expect(counts).toMatchObject({ capPerClientApp: 1000, clientAppRulesCount: { ruleCount: 2 } });
    const gone = await stream.updateRules({}, { deleteAll: true });
    expect(gone.meta?.summary).toMatchObject({ deleted: 2 });
  });
});
