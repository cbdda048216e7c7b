import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MOST_JOBS } from '#contract/ads/ad-jobs.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { adsStage } from './ads-stage.ts';

const { on, alice, account, add, addAccount, order, pages } = adsStage();
const [campaign] = add('CAMPAIGN', { name: 'C' });
if (!campaign) throw new Error('expected a campaign');

const path = `/12/stats/jobs/accounts/${account}`;
const create = (over: Readonly<Record<string, string>> = {}) =>
  order('POST', path, {
    entity: 'CAMPAIGN',
    entity_ids: campaign.id,
    start_time: '2026-08-01',
    end_time: '2026-10-30',
    granularity: 'DAY',
    metric_groups: 'ENGAGEMENT',
    placement: 'ALL_ON_TWITTER',
    ...over,
  });
const jobs = async (query = '') => (await alice.get(`${path}${query}`)).body;
/** The file at an address, for a caller without credentials. */
const download = (url: string) =>
  on.service.request(new URL(url).pathname, { headers: { cookie: '' } });

describe('jobs that compute statistics', () => {
  it('answer at once, and have their result, gzipped, at an address until they expire', async () => {
    const start = Date.parse('2026-09-01T22:00:00Z');
    const span = { start, end: start + HOUR_MS };
    const put = (impressions: number) =>
      on.service.ads.figures.put({
        entity: campaign.seq,
        placement: 'ALL_ON_TWITTER',
        span,
        metrics: { impressions },
      });
    put(7);
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: Number(body.data.id_str),
      id_str: expect.stringMatching(/^\d{16}$/),
      account_id: account,
      status: 'PROCESSING',
      url: null,
      entity: 'CAMPAIGN',
      entity_ids: [campaign.id],
      start_time: '2026-07-31T22:00:00Z',
      end_time: '2026-10-29T23:00:00Z',
      granularity: 'DAY',
      metric_groups: ['ENGAGEMENT'],
      placement: 'ALL_ON_TWITTER',
      segmentation_type: null,
      country: null,
      platform: null,
      created_at: '2026-11-21T10:30:20Z',
      updated_at: '2026-11-21T10:30:20Z',
      expires_at: null,
    });
    on.now += 2000;
    await on.service.tick();
    const [done] = (await jobs(`?job_ids=${body.data.id}`)).data;
    expect(done).toMatchObject({
      status: 'SUCCESS',
      updated_at: '2026-11-21T10:30:22Z',
      expires_at: '2026-11-23T10:30:22Z',
    });
    // The figures are those of the time when it was computed.
    put(8);
    const file = await download(done.url);
    // Clients decompress files of exactly this type, which no coding of HTTP has encoded.
    expect([file.headers.get('content-type'), file.headers.get('content-encoding')]).toEqual([
      'application/gzip',
      null,
    ]);
    const result = JSON.parse(gunzipSync(await file.arrayBuffer()).toString());
    expect(result).toMatchObject({
      data_type: 'stats',
      time_series_length: 90,
      data: [{ id: campaign.id, id_data: [{ segment: null }] }],
      request: { params: { entity_ids: [campaign.id], segmentation_type: null } },
    });
    const { impressions } = result.data[0].id_data[0].metrics;
    expect(impressions.indexOf(7)).toBe(32);
    on.now += 2 * DAY_MS;
    await on.service.tick();
    expect((await download(done.url)).status).toBe(404);
    expect((await jobs()).data).toEqual([]);
  });

  it('go on after a restart of the service', async () => {
    const { body } = await create();
    await on.service.restart();
    await on.service.tick();
    expect((await jobs(`?job_ids=${body.data.id}`)).data[0].status).toBe('SUCCESS');
  });

  it('are cancelled while they are in process, and not after', async () => {
    const { id_str: id } = (await create()).body.data;
    const { status, body } = await alice.send('DELETE', `${path}/${id}`);
    expect([status, body.data.status, body.data.url]).toEqual([200, 'CANCELLED', null]);
    await on.service.tick();
    const again = await alice.send('DELETE', `${path}/${id}`);
    expect([again.status, again.body.errors[0].code]).toEqual([400, 'INVALID_PARAMETER']);
    const unknown = await alice.send('DELETE', `${path}/1`);
    expect([unknown.status, unknown.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
  });

  it('are listed by cursor, the newest first, and only those of the ad account', async () => {
    for (let i = 0; i < 3; i++) await create();
    const seen = (await pages(`${path}?count=2`)).flat().map((job) => job['id_str']);
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => Number(b) - Number(a)));
    const other = `/12/stats/jobs/accounts/${addAccount(alice.id).id}`;
    expect((await alice.get(`${other}?job_ids=${seen.join(',')}`)).body.data).toEqual([]);
    const mallory = on.signer('mallory');
    expect((await mallory.get(path)).body.errors[0].code).toBe('ACCOUNT_NOT_FOUND');
  });

  it(`are at most ${MOST_JOBS} at once, which headers say`, async () => {
    await on.service.tick();
    const said = ({ headers }: { readonly headers: Headers }) =>
      ['', '-remaining'].map((end) => headers.get(`x-concurrent-job-limit${end}`));
    expect(said(await create())).toEqual(['100', '99']);
    for (let i = 1; i < MOST_JOBS; i++) await create();
    const refused = await create();
    expect([refused.status, refused.body.errors[0].code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(said(refused)).toEqual(['100', '0']);
    await on.service.tick();
    expect(said(await alice.get(path))).toEqual(['100', '100']);
  });

  it('have no figures by segments', async () => {
    const { body } = await create({ segmentation_type: 'AGE', start_time: '2026-10-01' });
    await on.service.tick();
    const [{ url }] = (await jobs(`?job_ids=${body.data.id}`)).data;
    const result = JSON.parse(gunzipSync(await (await download(url)).arrayBuffer()).toString());
    expect(result.data).toEqual([{ id: campaign.id, id_data: [] }]);
  });

  it.each([
    [{ start_time: '2026-07-31' }, 'INVALID_TIME_WINDOW', 'end_time'],
    [{ segmentation_type: 'AGE' }, 'INVALID_TIME_WINDOW', 'end_time'],
    [{ segmentation_type: 'METROS' }, 'MISSING_PARAMETER', 'country'],
    [{ segmentation_type: 'ODD' }, 'INVALID_PARAMETER', 'segmentation_type'],
    [{ entity_ids: 'zzzz' }, 'CAMPAIGN_NOT_FOUND', 'entity_ids'],
    [{ start_time: '2026-08-01T12:00:00Z' }, 'INVALID_PARAMETER', 'start_time'],
  ])('%j: %s', async (over, code, parameter) => {
    const { body } = await create(over);
    expect([body.errors[0].code, body.errors[0].parameter]).toEqual([code, parameter]);
  });
});
