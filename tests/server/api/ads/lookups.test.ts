import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import type { Answered } from '#tests/support/service/callers.ts';
import { adsStage } from './ads-stage.ts';

const { on, alice, account, add, below, order, pages } = adsStage();
const at = `/12/accounts/${account}`;

/** All that a listing has. */
const walk = async (path: string) => (await pages(path)).flat();

const refusal = ({ status, body }: Answered) => [
  status,
  body.errors[0].code,
  body.errors[0].message,
];

describe('what can be targeted', () => {
  it('languages and countries have their codes and English names', async () => {
    const english = await alice.get('/12/targeting_criteria/languages?q=english');
    expect(english.body).toEqual({
      request: { params: { q: 'english' } },
      next_cursor: null,
      data: [{ name: 'English', targeting_type: 'LANGUAGE', targeting_value: 'en' }],
    });
    const { body } = await alice.get('/12/targeting_criteria/locations?country_code=de');
    expect(body.data).toEqual([
      {
        name: 'Germany',
        targeting_type: 'LOCATION',
        targeting_value: 'DE',
        country_code: 'DE',
        location_type: 'COUNTRIES',
      },
    ]);
    const countries = await walk(
      '/12/targeting_criteria/locations?location_type=COUNTRIES&count=100',
    );
    const codes = countries.map((each) => String(each['targeting_value']));
    expect(new Set(codes).size).toBe(codes.length);
    // The 249 of ISO 3166-1 and Kosovo; none that was withdrawn, and no union.
    expect(codes).toHaveLength(250);
    expect(['US', 'JP', 'XK', 'SU', 'EU'].filter((code) => codes.includes(code))).toEqual([
      'US',
      'JP',
      'XK',
    ]);
    expect(
      (await alice.get('/12/targeting_criteria/locations?location_type=CITIES')).body.data,
    ).toEqual([]);
  });

  it('of other types are the values that line items of the user target', async () => {
    const [item] = add('LINE_ITEM', {});
    const criteria = ['Tea', 'Coffee'].map((name, i) => ({
      targeting_type: 'INTEREST',
      targeting_value: `10${i}`,
      name,
    }));
    below('TARGETING_CRITERION', item?.id ?? '', ...criteria);
    const { body } = await alice.get('/12/targeting_criteria/interests?q=tea');
    expect(body.data).toEqual([
      { name: 'Tea', targeting_type: 'INTEREST', targeting_value: '100' },
    ]);
    expect(await walk('/12/targeting_criteria/interests?count=1')).toHaveLength(2);
    for (const name of [
      'conversations',
      'events?event_types=HOLIDAY',
      'network_operators',
      'tv_shows',
    ]) {
      const { status, body } = await alice.get(`/12/targeting_criteria/${name}`);
      expect([name, status, body.data]).toEqual([name, 200, []]);
    }
    expect((await alice.get('/12/targeting_criteria/tv_shows?count=51')).status).toBe(400);
  });

  it('categories are the first tier of the IAB', async () => {
    const all = await walk('/12/iab_categories?count=10');
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 26 }, (_, i) => `IAB${i + 1}`));
    expect(all[0]).toEqual({ id: 'IAB1', parent_id: null, name: 'Arts & Entertainment' });
    const { body } = await alice.get('/12/iab_categories?count=1&with_total_count=true');
    expect(body.total_count).toBe(26);
  });
});

describe('what belongs to an ad account', () => {
  it('apps are those that line items advertise, each once', async () => {
    const [campaign] = add('CAMPAIGN', { name: 'C' });
    for (let i = 0; i < 2; i++) {
      const { status } = await order('POST', `${at}/line_items`, {
        campaign_id: campaign?.id ?? '',
        objective: 'APP_INSTALLS',
        product_type: 'PROMOTED_TWEETS',
        placements: 'ALL_ON_TWITTER',
        android_app_store_identifier: 'com.example.tea',
      });
      expect(status).toBe(201);
    }
    const { body } = await alice.get(`${at}/account_apps`);
    expect(body.data).toEqual([
      expect.objectContaining({
        app_store_identifier: 'com.example.tea',
        os_type: 'Android',
        deleted: false,
      }),
    ]);
  });

  it('the user is promoted by a line item, and nobody else', async () => {
    const [item] = add('LINE_ITEM', {});
    const promote = (user: string) =>
      alice.send('POST', `${at}/promoted_accounts?line_item_id=${item?.id}&user_id=${user}`);
    const { status, body } = await promote(alice.id);
    expect([status, body.data.user_id]).toEqual([201, alice.id]);
    expect(refusal(await promote('1')).slice(0, 2)).toEqual([403, 'USER_NOT_FOUND']);
    const { body: found } = await alice.get(`${at}/promoted_accounts?line_item_ids=${item?.id}`);
    expect(found.data).toEqual([body.data]);
  });

  it('a call to action is created, changed and deleted', async () => {
    const [item] = add('LINE_ITEM', {});
    const path = `${at}/preroll_call_to_actions`;
    const fields = `line_item_id=${item?.id}&call_to_action=SHOP&call_to_action_url=https://example.com`;
    const { id } = (await alice.send('POST', `${path}?${fields}`)).body.data;
    const changed = await alice.send('PUT', `${path}/${id}?call_to_action=GO_TO`);
    expect(changed.body.data.call_to_action).toBe('GO_TO');
    await alice.send('DELETE', `${path}/${id}`);
    expect((await alice.get(`${path}/${id}`)).status).toBe(404);
  });

  it('a scheduled Post is promoted once it is published, and its minute counts', async () => {
    const [item] = add('LINE_ITEM', {});
    const schedule = (time: string) =>
      alice.send('POST', `${at}/scheduled_tweets?text=soon&scheduled_at=${time}`);
    // It is 10:30:20.
    expect(refusal(await schedule('2026-11-21T10:30:50Z'))).toEqual([
      400,
      'INVALID_PARAMETER',
      'Expected a minute after now and at most a year ahead, whose seconds are ignored, got "2026-11-21T10:30:50Z" for scheduled_at',
    ]);
    const { data: scheduled } = (await schedule('2026-11-21T10:31:50Z')).body;
    expect(scheduled.scheduled_at).toBe('2026-11-21T10:31:00Z');
    const query = `line_item_id=${item?.id}&scheduled_tweet_id=${scheduled.id}`;
    const { body } = await alice.send('POST', `${at}/scheduled_promoted_tweets?${query}`);
    expect(body.data.tweet_id).toBeNull();
    const other = `line_item_id=${item?.id}&scheduled_tweet_id=1`;
    const unknown = await alice.send('POST', `${at}/scheduled_promoted_tweets?${other}`);
    expect(unknown.status).toBe(404);
    const waiting = await alice.get(`${at}/tweets?tweet_type=SCHEDULED`);
    expect(waiting.body.data).toMatchObject([
      { tweet_type: 'SCHEDULED', full_text: 'soon', tweet_id: scheduled.id, nullcast: true },
    ]);
    on.now += MINUTE_MS;
    await on.service.tick();
    const path = `${at}/scheduled_promoted_tweets/${body.data.id}`;
    const { tweet_id } = (await alice.get(path)).body.data;
    const published = await alice.get(`${at}/tweets?tweet_type=PUBLISHED&timeline_type=NULLCAST`);
    expect(published.body.data.map((post: { id_str: string }) => post.id_str)).toEqual([tweet_id]);
  });

  it('published Posts are walked, the newest first, with and without those that only ads show', async () => {
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      on.now += 1000;
      ids.unshift((await alice.send('POST', '/2/tweets', { text })).body.data.id);
    }
    const path = `${at}/tweets?tweet_type=PUBLISHED&timeline_type=ORGANIC&trim_user=true&count=2`;
    const posts = await walk(path);
    expect(posts.map((post) => post['id_str'])).toEqual(ids);
    expect(posts[0]).toMatchObject({
      full_text: 'three',
      tweet_type: 'PUBLISHED',
      nullcast: false,
      user: { id_str: alice.id },
    });
    const { body } = await alice.get(`${at}/tweets?tweet_type=PUBLISHED&tweet_ids=${ids[2]},1`);
    expect(body.data.map((post: { id_str: string }) => post.id_str)).toEqual([ids[2]]);
    const draft = await alice.send('POST', `${at}/draft_tweets?text=idea`);
    const drafts = await alice.get(`${at}/tweets?tweet_type=DRAFT`);
    expect(drafts.body.data).toMatchObject([{ full_text: 'idea', tweet_id: draft.body.data.id }]);
    expect(refusal(await alice.get(`${at}/tweets`)).slice(0, 2)).toEqual([
      400,
      'MISSING_PARAMETER',
    ]);
  });

  it('an audience has the campaigns that target it, and no permissions', async () => {
    const [audience] = add('CUSTOM_AUDIENCE', { name: 'Buyers' });
    const [campaign] = add('CAMPAIGN', { name: 'C' });
    const [item, paused] = below(
      'LINE_ITEM',
      campaign?.id ?? '',
      { name: 'L' },
      { name: 'P', entity_status: 'PAUSED' },
    );
    for (const each of [item, paused]) {
      const fields = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audience?.id ?? '' };
      below('TARGETING_CRITERION', each?.id ?? '', fields);
    }
    const path = `${at}/custom_audiences/${audience?.id}`;
    const shown = { id: item?.id, name: 'L', servable: true };
    const of = { campaign_id: campaign?.id, campaign_name: 'C' };
    expect((await alice.get(`${path}/targeted`)).body.data).toEqual([
      { ...of, line_items: [shown] },
    ]);
    const { body } = await alice.get(`${path}/targeted?with_active=false`);
    expect(body.data[0].line_items).toEqual([
      shown,
      { id: paused?.id, name: 'P', servable: false },
    ]);
    expect((await alice.get(`${path}/permissions`)).body).toMatchObject({
      next_cursor: null,
      data: [],
    });
    const unknown = await alice.get(`${at}/custom_audiences/zzz/targeted`);
    expect(unknown.body.errors[0].code).toBe('TAILORED_AUDIENCE_NOT_FOUND');
    expect((await alice.get(`${at}/features`)).body.data).toEqual([]);
  });
});
