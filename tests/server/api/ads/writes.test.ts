import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { png } from '#tests/support/data/media.ts';
import type { Answered } from '#tests/support/service/callers.ts';
import { adsStage } from './ads-stage.ts';

// The creations of advertisers besides campaigns: media, Posts to be published, targeting, audiences and tags.

const { on, alice, account, add, below, addAccount, order } = adsStage();
const at = `/12/accounts/${account}`;
const send = (
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  fields?: Readonly<Record<string, string>>,
) => order(method, `${at}/${path}`, fields);
const data = ({ status, body }: Answered) => {
  expect([status < 300, body.errors]).toEqual([true, undefined]);
  return body.data;
};
const refusal = ({ status, body }: Answered) => {
  const [{ code, parameter }] = body.errors;
  return [status, code, parameter];
};

describe('targeting', () => {
  const [item] = add('LINE_ITEM', { name: 'L' });
  const criterion = (type: string, value: string, operator?: string) =>
    send('POST', 'targeting_criteria', {
      line_item_id: item?.id ?? '',
      targeting_type: type,
      targeting_value: value,
      ...(operator !== undefined && { operator_type: operator }),
    });

  it('adds and removes criteria of a line item', async () => {
    const made = data(await criterion('BROAD_KEYWORD', 'tea time', 'NE'));
    expect(made).toMatchObject({
      line_item_id: item?.id,
      name: 'tea time',
      operator_type: 'NE',
      targeting_type: 'BROAD_KEYWORD',
      targeting_value: 'tea time',
      deleted: false,
    });
    const listed = await alice.get(`${at}/targeting_criteria?line_item_ids=${item?.id}`);
    expect(listed.body.data).toEqual([made]);
    expect(data(await send('DELETE', `targeting_criteria/${made.id}`)).deleted).toBe(true);
    expect(refusal(await send('DELETE', `targeting_criteria/${made.id}`))).toEqual([
      404,
      'TARGETING_CRITERION_NOT_FOUND',
      'targeting_criterion_id',
    ]);
  });

  it.each<[type: string, value: string, operator: string | undefined, parameter: string]>([
    ['ODD', 'a', undefined, 'targeting_type'],
    ['GENDER', '3', undefined, 'targeting_value'],
    ['FOLLOWERS_OF_USER', 'alice', undefined, 'targeting_value'],
    ['AGE', '20', undefined, 'targeting_value'],
    ['BROAD_KEYWORD', 'a', 'GTE', 'operator_type'],
    ['APP_LIST', 'a1', 'EQ', 'operator_type'],
    ['LOCATION', 'x', 'ODD', 'operator_type'],
    ['TV_SHOW', '10', undefined, 'targeting_type'],
  ])('%s %s %s: 400 for %s', async (type, value, operator, parameter) => {
    const answer = await criterion(type, value, operator);
    expect(refusal(answer)).toEqual([400, 'INVALID_PARAMETER', parameter]);
  });

  it('allows one age and each criterion once', async () => {
    data(await criterion('AGE', 'AGE_21_TO_34'));
    expect(refusal(await criterion('AGE', 'AGE_35_TO_49'))[2]).toBe('targeting_type');
    data(await criterion('LOCATION', '5122804691e5fecc'));
    expect(refusal(await criterion('LOCATION', '5122804691e5fecc'))[2]).toBe('targeting_value');
    expect(data(await criterion('TV_SHOW', '10')).targeting_type).toBe('TV_SHOW');
  });

  it('targets audiences that can be targeted', async () => {
    const made = data(await send('POST', 'custom_audiences', { name: 'Readers' }));
    expect(made).toMatchObject({
      targetable: false,
      reasons_not_targetable: ['TOO_SMALL'],
      audience_size: null,
      owner_account_id: account,
      permission_level: 'READ_WRITE',
    });
    expect(refusal(await send('POST', 'custom_audiences', { name: 'Readers' }))).toEqual([
      400,
      'INVALID_PARAMETER',
      'name',
    ]);
    const path = `custom_audiences/${made.id}`;
    expect(data(await send('PUT', path, { name: 'Readers', description: 'x' })).description).toBe(
      'x',
    );
    expect(refusal(await criterion('CUSTOM_AUDIENCE', made.id))).toEqual([
      400,
      'INVALID_PARAMETER',
      'targeting_value',
    ]);
    expect(data(await criterion('CUSTOM_AUDIENCE', made.id, 'NE')).operator_type).toBe('NE');
    expect(refusal(await criterion('CUSTOM_AUDIENCE', 'none'))[1]).toBe(
      'TAILORED_AUDIENCE_NOT_FOUND',
    );
    expect(data(await send('DELETE', path)).deleted).toBe(true);
  });

  it('tags line items', async () => {
    const url = 'https://tags.example/a;b=1';
    const made = data(
      await send('POST', 'tracking_tags', {
        line_item_id: item?.id ?? '',
        tracking_tag_type: 'IMPRESSION_TAG',
        tracking_tag_url: url,
      }),
    );
    expect(made).toMatchObject({ tracking_tag_url: url, tracking_tag_type: 'IMPRESSION_TAG' });
    const changed = await send('PUT', `tracking_tags/${made.id}`, { tracking_tag_url: `${url}2` });
    expect(data(changed).tracking_tag_url).toBe(`${url}2`);
    expect(data(await send('DELETE', `tracking_tags/${made.id}`)).deleted).toBe(true);
  });
});

const PNG = png(4, 4);

/** Uploads an image. @returns Its media key. */
async function upload(): Promise<string> {
  const body = { media: PNG.toString('base64'), media_category: 'tweet_image' };
  return (await on.user('alice').send('POST', '/2/media/upload', body)).body.data.media_key;
}

describe('the media library', () => {
  it('has uploaded media for as long as they are in it', async () => {
    const key = await upload();
    const made = data(await send('POST', 'media_library', { media_key: key, name: 'Red dot' }));
    const file = createHash('sha256').update(PNG).digest('hex');
    expect(made).toMatchObject({
      media_key: key,
      name: 'Red dot',
      media_category: 'TWEET_IMAGE',
      media_type: 'IMAGE',
      media_status: 'TRANSCODE_COMPLETED',
      tweeted: false,
      deleted: false,
    });
    expect(made.media_url).toContain(`/media/${file}.png`);
    expect(made).not.toHaveProperty('id');
    on.now += 3 * DAY_MS;
    on.service.media.sweep();
    const listed = await alice.get(`${at}/media_library?media_type=IMAGE&q=RED`);
    expect(listed.body.data).toEqual([made]);
    expect((await alice.get(`${at}/media_library?media_type=VIDEO`)).body.data).toEqual([]);
    const one = await alice.get(`${at}/media_library/${key}`);
    expect(one.body.data).toEqual(made);
    const banner = data(
      await send('POST', 'account_media', { media_id: key.slice(2), creative_type: 'BANNER' }),
    );
    expect(banner.media_url).toBe(made.media_url);
    const [item] = add('LINE_ITEM', {});
    const creative = { line_item_id: item?.id ?? '', account_media_id: banner.id };
    expect(data(await send('POST', 'media_creatives', creative)).creative_type).toBe('BANNER');
    expect(data(await send('DELETE', `media_library/${key}`)).deleted).toBe(true);
    expect(refusal(await send('DELETE', `media_library/${key}`))[1]).toBe('MEDIA_NOT_FOUND');
    // A medium that was let go can be taken again for a day.
    expect(data(await send('POST', 'media_library', { media_key: key })).deleted).toBe(false);
    await send('DELETE', `media_library/${key}`);
    on.now += 3 * DAY_MS;
    on.service.media.sweep();
    expect(refusal(await send('POST', 'media_library', { media_key: key }))).toEqual([
      404,
      'MEDIA_NOT_FOUND',
      'media_key',
    ]);
  });

  it('refuses what is not there or does not fit', async () => {
    const key = await upload();
    const bob = on.signer('bob');
    const own = `/5/accounts/${addAccount(bob.id).id}`;
    const other = await bob.send('POST', `${own}/media_library?media_key=${key}`);
    expect(refusal(other)).toEqual([404, 'MEDIA_NOT_FOUND', 'media_key']);
    const title = await send('POST', 'media_library', { media_key: key, title: 'x' });
    expect(refusal(title)).toEqual([400, 'INVALID_PARAMETER', 'title']);
    expect(refusal(await send('POST', 'account_media', { creative_type: 'BANNER' }))).toEqual([
      400,
      'MISSING_PARAMETER',
      'media_url',
    ]);
    const missing = { media_id: key.slice(2), creative_type: 'BANNER' };
    expect(refusal(await send('POST', 'account_media', missing))[1]).toBe('MEDIA_NOT_FOUND');
  });
});

describe('scheduled Posts', () => {
  const soon = () => new Date(on.now + HOUR_MS).toISOString();
  const schedule = (fields: Readonly<Record<string, string>>) =>
    send('POST', 'scheduled_tweets', { scheduled_at: soon(), ...fields });

  it('are published when their time comes, once', async () => {
    const key = await upload();
    await send('POST', 'media_library', { media_key: key });
    const made = data(
      await schedule({ text: 'From the future', media_keys: key, as_user_id: alice.id }),
    );
    expect(made).toMatchObject({
      text: 'From the future',
      user_id: alice.id,
      scheduled_status: 'SCHEDULED',
      completed_at: null,
      tweet_id: null,
      nullcast: true,
      media_keys: [key],
    });
    expect(made.id).toMatch(/^\d+$/);
    expect(made.scheduled_at).toMatch(/:00Z$/);
    await on.service.tick();
    expect((await alice.get(`${at}/scheduled_tweets/${made.id}`)).body.data).toEqual(made);
    on.now += HOUR_MS;
    await on.service.tick();
    await on.service.tick();
    const { body } = await alice.get(`${at}/scheduled_tweets/${made.id}`);
    expect(body.data).toMatchObject({ scheduled_status: 'SUCCESS', tweet_id: expect.any(String) });
    const post = await alice.get(
      `/2/tweets/${body.data.tweet_id}?tweet.fields=attachments,scopes,author_id`,
    );
    expect(post.body.data).toMatchObject({
      text: expect.stringContaining('From the future'),
      author_id: alice.id,
      attachments: { media_keys: [key] },
      scopes: { followers: false },
    });
    expect((await alice.get(`${at}/media_library/${key}`)).body.data.tweeted).toBe(true);
    expect(refusal(await send('PUT', `scheduled_tweets/${made.id}`, { text: 'x' }))[0]).toBe(400);
    expect(data(await send('DELETE', `scheduled_tweets/${made.id}`)).tweet_id).not.toBeNull();
  });

  it('can be changed and removed until then', async () => {
    const made = data(await schedule({ text: 'a', nullcast: 'false', name: 'One' }));
    const path = `scheduled_tweets/${made.id}`;
    const changed = await send('PUT', path, { text: 'b', name: '', media_keys: '' });
    expect(data(changed)).toMatchObject({ text: 'b', name: null, media_keys: [], nullcast: false });
    expect(refusal(await send('PUT', path, { text: '' }))).toEqual([
      400,
      'MISSING_PARAMETER',
      'text',
    ]);
    // As it is while it is being published.
    const stored = on.service.ads.find('SCHEDULED_TWEET', made.id);
    if (!stored) throw new Error('expected the scheduled Post');
    on.service.ads.put(stored, { ...stored.fields, reserved_id: '1' }, on.now);
    expect(refusal(await send('PUT', path, { text: 'c' }))[2]).toBe('scheduled_tweet_id');
    on.service.ads.put(stored, stored.fields, on.now);
    expect(data(await send('DELETE', path)).scheduled_status).toBe('DELETED');
    expect(refusal(await send('DELETE', path))[1]).toBe('TWEET_NOT_FOUND');
    const gone = await alice.get(`${at}/${path}?with_deleted=true`);
    expect(gone.status).toBe(404);
    on.now += HOUR_MS;
    await on.service.tick();
    expect((await alice.get(`${at}/scheduled_tweets?user_id=${alice.id}`)).body.data).toEqual([]);
  });

  it('are published after a restart, without a second Post of the same', async () => {
    const [made] = [data(await schedule({ text: 'Once only' }))];
    on.now += HOUR_MS;
    await on.service.tick();
    const { body } = await alice.get(`${at}/scheduled_tweets/${made.id}`);
    // As a process leaves it that ends between the Post and its record.
    const stored = on.service.ads.find('SCHEDULED_TWEET', made.id);
    if (!stored) throw new Error('expected the scheduled Post');
    const { tweet_id, completed_at: _, ...fields } = stored.fields;
    const before = { ...fields, scheduled_status: 'SCHEDULED', reserved_id: tweet_id ?? null };
    on.service.ads.put(stored, before, on.now);
    await on.service.restart();
    on.now += DAY_MS;
    await on.service.tick();
    const again = await alice.get(`${at}/scheduled_tweets/${made.id}`);
    expect(again.body.data).toMatchObject({
      scheduled_status: 'SUCCESS',
      tweet_id: body.data.tweet_id,
    });
  });

  it('fail if the rules of Posts refuse them then', async () => {
    data(await schedule({ text: 'Twice' }));
    const second = data(await schedule({ text: 'Twice' }));
    on.now += HOUR_MS;
    await on.service.tick();
    const { body } = await alice.get(`${at}/scheduled_tweets/${second.id}`);
    expect(body.data).toMatchObject({ scheduled_status: 'FAILED', tweet_id: null });
    expect(on.service.log.join('\n')).toContain('duplicate content');
  });

  it('are paid by the app that scheduled them', async () => {
    const app = { access: 'pay-per-use', limited: false, credits: 5_000_000 } as const;
    const payer = on.signer('alice', app);
    await payer.send('POST', `${at}/scheduled_tweets?scheduled_at=${soon()}&text=Paid`);
    expect(await on.charged()).toBe(0);
    on.now += HOUR_MS;
    await on.service.tick();
    expect(await on.charged()).toBe(15_000);
  });

  it.each<[fields: Readonly<Record<string, string>>, code: string, parameter: string]>([
    [{}, 'MISSING_PARAMETER', 'text'],
    [{ text: 'a', scheduled_at: '2020-01-01' }, 'INVALID_PARAMETER', 'scheduled_at'],
    [{ text: 'a', scheduled_at: '2099-01-01' }, 'INVALID_PARAMETER', 'scheduled_at'],
    [{ text: 'x'.repeat(281) }, 'INVALID_PARAMETER', 'text'],
    [{ text: 'a', media_keys: '3_1' }, 'MEDIA_NOT_FOUND', 'media_keys'],
    [{ text: 'a', as_user_id: '1' }, 'USER_NOT_FOUND', 'as_user_id'],
    [{ text: 'a', card_uri: 'card://1' }, 'INVALID_PARAMETER', 'card_uri'],
  ])('%j: %s', async (fields, code, parameter) => {
    expect(refusal(await schedule(fields)).slice(1)).toEqual([code, parameter]);
  });

  it('are drafted', async () => {
    const made = data(await send('POST', 'draft_tweets', { text: 'Draft', name: 'N' }));
    expect(made).toMatchObject({ text: 'Draft', name: 'N', user_id: alice.id, nullcast: true });
    const path = `draft_tweets/${made.id}`;
    expect(data(await send('PUT', path, { text: 'Better' })).text).toBe('Better');
    expect((await alice.get(`${at}/draft_tweets`)).body.data).toHaveLength(1);
    expect(data(await send('DELETE', path)).status).toBe('DELETED');
    expect((await alice.get(`${at}/draft_tweets`)).body.data).toEqual([]);
  });
});

describe('batches', () => {
  const batch = (kind: string, body: object) =>
    alice.send('POST', `/11/batch/accounts/${account}/${kind}`, body);

  it('create, change and delete together', async () => {
    const [instrument] = add('FUNDING_INSTRUMENT', { currency: 'USD' });
    const params = { funding_instrument_id: instrument?.id, name: 'A', standard_delivery: false };
    const create = { operation_type: 'Create', params };
    const made = await batch('campaigns', [
      create,
      { ...create, params: { ...params, name: 'B' } },
    ]);
    expect(data(made)).toMatchObject([{ name: 'A', standard_delivery: false }, { name: 'B' }]);
    expect(made.body.request[0]).toEqual({
      operation_type: 'Create',
      params: { ...params, account_id: account },
    });
    const [a, b] = made.body.data;
    const changed = await batch('campaigns', [
      { operation_type: 'Update', params: { campaign_id: a.id, name: 'C' } },
      { operation_type: 'Delete', params: { campaign_id: b.id } },
    ]);
    expect(data(changed)).toMatchObject([{ name: 'C' }, { deleted: true }]);
  });

  it('do nothing if one operation is not possible', async () => {
    const [item] = below('LINE_ITEM', '', {});
    const params = { line_item_id: item?.id, targeting_type: 'GENDER', targeting_value: 1 };
    const good = { operation_type: 'Create', params };
    const odd = { ...good, params: { ...params, targeting_type: 'ODD' } };
    const { status, body } = await batch('targeting_criteria', [good, odd]);
    expect(status).toBe(400);
    expect(body.errors).toEqual([]);
    expect(body.operation_errors).toMatchObject([
      [],
      [{ code: 'INVALID_PARAMETER', parameter: 'targeting_type', value: 'ODD' }],
    ]);
    expect(body.request).toHaveLength(2);
    const listed = await alice.get(`${at}/targeting_criteria?line_item_ids=${item?.id}`);
    expect(listed.body.data).toEqual([]);
    const update = { operation_type: 'Update', params: {} };
    const none = await batch('targeting_criteria', [update]);
    expect(none.body.operation_errors[0][0].parameter).toBe('operation_type');
    expect(refusal(await batch('campaigns', []))[1]).toBe('REQUEST_TOO_COMPLEX');
    const many = Array.from({ length: 41 }, () => good);
    expect(refusal(await batch('campaigns', many))[1]).toBe('REQUEST_TOO_COMPLEX');
    expect((await batch('campaigns', { a: 1 })).status).toBe(400);
  });
});
