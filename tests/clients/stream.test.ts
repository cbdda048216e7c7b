import { Client } from '@xdevplatform/xdk';
import { ETwitterStreamEvent, ApiResponseError } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import type { AppSettings } from '#contract/accounts/apps.ts';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';

let elapsed = 0;
const { service, url } = await listeningService({ elapsed: () => elapsed });
const clientOf = (token: string) => v2ClientOf(url, token);
const author = clientOf(service.auth.issueUserToken({ name: 'alice', limited: false }).token);

let apps = 0;
function tokenOf(access: AppSettings['access'] = 'enterprise'): string {
  const name = `App ${(apps += 1)}`;
  const { secrets } = service.auth.apps({ action: 'add', name, settings: { access } });
  return String(secrets?.bearer_token);
}

describe('twitter-api-v2', () => {
  it('streams Posts, with keep-alive signals, and reconnects after a disconnect', async () => {
    const client = clientOf(tokenOf());
    await client.updateStreamRules({ add: [{ value: 'tea', tag: 'hot' }] });
    const stream = await client.searchStream({
      autoConnect: false,
      expansions: ['author_id'],
      'tweet.fields': ['author_id'],
    });
    const events: string[] = [];
    for (const event of [
      ETwitterStreamEvent.DataKeepAlive,
      ETwitterStreamEvent.Reconnected,
      ETwitterStreamEvent.TweetParseError,
    ]) {
      stream.on(event, () => events.push(event));
    }
    const posts: unknown[] = [];
    stream.on(ETwitterStreamEvent.Data, (post) => posts.push(post));
    const errors: unknown[] = [];
    stream.on(ETwitterStreamEvent.DataError, (error) => errors.push(error));
    await stream.connect({ autoReconnect: true, nextRetryTimeout: () => 1 });

    const { data: first } = await author.tweet('green tea');
    await expect.poll(() => posts.length).toBe(1);
    expect(posts[0]).toMatchObject({
      data: { id: first.id, text: 'green tea', author_id: expect.any(String) },
      includes: { users: [{ username: 'alice' }] },
      matching_rules: [{ tag: 'hot' }],
    });
    elapsed += 18_000;
    await service.tick();
    await expect.poll(() => events).toEqual([ETwitterStreamEvent.DataKeepAlive]);

    const open = await client.get('connections');
    expect(open.data).toMatchObject([{ endpoint_name: 'filtered_stream' }]);
    const killed = await client.delete('connections/all');
    expect(killed.data).toMatchObject({ successful_kills: 1 });
    await expect
      .poll(() => errors)
      .toMatchObject([{ errors: [{ disconnect_type: 'ForceDisconnect' }] }]);
    await expect.poll(() => events.at(-1)).toBe(ETwitterStreamEvent.Reconnected);
    await author.tweet('black tea');
    await expect.poll(() => posts.length).toBe(2);
    stream.close();
    await expect
      .poll(async () => (await client.get('connections', { status: 'inactive' })).data)
      .toMatchObject([
        { disconnect_reason: 'client_disconnect' },
        { disconnect_reason: 'operator_disconnect' },
      ]);
    expect(events).not.toContain(ETwitterStreamEvent.TweetParseError);
  });

  it('receives the errors of the stream', async () => {
    const client = clientOf(tokenOf('self-service'));
    const errorOf = () => refusal(ApiResponseError, client.searchStream());
    expect(await errorOf()).toMatchObject({
      code: 409,
      data: { connection_issue: 'RuleConfigurationIssue' },
    });
    await client.updateStreamRules({ add: [{ value: 'tea' }] });
    const stream = await client.searchStream();
    expect(await errorOf()).toMatchObject({
      code: 429,
      data: { connection_issue: 'TooManyConnections' },
    });
    stream.close();
  });
});

describe('xdk', () => {
  it('streams Posts, lists connections and ends them', async () => {
    const { stream, connections } = new Client({ baseUrl: url, bearerToken: tokenOf() });
    await stream.updateRules({ add: [{ value: 'coffee', tag: 'mug' }] });
    const { data: early } = await author.tweet('coffee first');
    const opened = await stream.posts({ backfillMinutes: 5, tweetFields: ['author_id'] });
    const lines: { readonly data?: { readonly id: string }; readonly errors?: unknown[] }[] = [];
    let closed = false;
    opened.on('data', (line: (typeof lines)[0]) => lines.push(line));
    opened.on('close', () => {
      closed = true;
    });
    const { data: late } = await author.tweet('more coffee');
    const ids = () => lines.flatMap(({ data }) => data?.id ?? []);
    await expect.poll(ids).toEqual([early.id, late.id]);
    expect(lines.at(-1)).toMatchObject({ matching_rules: [{ tag: 'mug' }] });

    const { data: [open] = [] } = await connections.getConnectionHistory({ status: 'active' });
    expect(open).toMatchObject({ endpointName: 'filtered_stream', clientIp: '127.0.0.1' });
    const ended = await connections.deleteByUuids({ uuids: [String(open?.id)] });
    expect(ended.data).toMatchObject({ successfulKills: 1 });
    await expect.poll(() => closed).toBe(true);
    expect(lines.at(-1)?.errors).toMatchObject([{ disconnect_type: 'ForceDisconnect' }]);

    await stream.posts();
    expect((await connections.deleteByEndpoint('filtered_stream')).data).toMatchObject({
      successfulKills: 1,
    });
    expect((await connections.deleteAll()).data).toMatchObject({ successfulKills: 0 });
    const { data: past } = await connections.getConnectionHistory({ status: 'inactive' });
    expect(past).toMatchObject([
      { disconnectReason: 'operator_disconnect' },
      { disconnectReason: 'operator_disconnect' },
    ]);
  });

  it('reads a past period', async () => {
    const { stream } = new Client({ baseUrl: url, bearerToken: tokenOf() });
    await stream.updateRules({ add: [{ value: 'cocoa' }] });
    const startTime = new Date(Date.now() - 60_000).toISOString();
    const { data } = await author.tweet('hot cocoa');
    const ids: string[] = [];
    const past = await stream.posts({ startTime });
    await new Promise<void>((resolve) => {
      past.on('data', ({ data: post }: { data?: { id: string } }) => {
        if (post) ids.push(post.id);
      });
      past.on('close', resolve);
    });
    expect(ids).toEqual([data.id]);
  });
});
