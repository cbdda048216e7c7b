import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { adsStage, type AdsStage } from './ads-stage.ts';
import { runs } from '#tests/support/run/runs.ts';
import { METRICS, UNKNOWN_METRICS } from '#contract/ads/ad-metrics.ts';

const on = adsStage();
const posts = adsStage();
const { ads } = on.on.service;

/** Stores hourly impressions of an entity from an instant on. */
function hourly(
  { seq }: { seq: number },
  from: string | number,
  values: readonly number[],
  { write, figures } = ads,
): void {
  const first = typeof from === 'number' ? from : Date.parse(from);
  write('test', () => {
    for (const [i, impressions] of values.entries()) {
      const start = first + i * HOUR_MS;
      const span = { start, end: start + HOUR_MS };
      figures.put({ entity: seq, placement: 'ALL_ON_TWITTER', span, metrics: { impressions } });
    }
  });
}

function campaign() {
  const [one] = on.add('CAMPAIGN', { name: 'C' });
  if (!one) throw new Error('expected a campaign');
  return one;
}

/** An ad account of its own, with one entity of each level and a campaign without a funding instrument. */
function adsStageAccount() {
  const account = on.addAccount(on.alice.id, { timezone: 'Europe/Berlin' }).id;
  const one = (kind: AdKindName, parent: string | null) =>
    ads.add([{ kind, holder: account, parent, fields: {} }], on.on.now)[0]!;
  const instrument = one('FUNDING_INSTRUMENT', null);
  const first = one('CAMPAIGN', instrument.id);
  const second = one('CAMPAIGN', null);
  const item = one('LINE_ITEM', first.id);
  const promoted = one('PROMOTED_TWEET', item.id);
  return { ...on, account, instrument, first, second, item, promoted };
}

const ask = async (
  over: Readonly<Record<string, string>>,
  { alice, account }: AdsStage = on,
  path = '',
) => {
  const usual = path
    ? {}
    : {
        entity: 'CAMPAIGN',
        granularity: 'TOTAL',
        metric_groups: 'ENGAGEMENT',
        placement: 'ALL_ON_TWITTER',
      };
  const window = { start_time: '2026-10-24T22:00:00Z', end_time: '2026-10-31T23:00:00Z' };
  const query = new URLSearchParams({ ...usual, ...window, ...over }).toString();
  return await alice.get(`/12/stats/accounts/${account}${path}?${query}`);
};

describe('statistics', () => {
  it('sum hours to days from midnight to midnight, also where the clock changes', async () => {
    const one = campaign();
    // In Berlin, 25 October 2026 has 25 hours.
    hourly(
      one,
      '2026-10-24T22:00:00Z',
      Array.from({ length: 169 }, () => 1),
    );
    const day = await ask({ entity_ids: one.id, granularity: 'DAY' });
    expect(day.status).toBe(200);
    expect(day.body).toMatchObject({ data_type: 'stats', time_series_length: 7 });
    const [{ segment, metrics }] = day.body.data[0].id_data;
    expect([segment, metrics.impressions]).toEqual([null, [25, 24, 24, 24, 24, 24, 24]]);
    expect(metrics.clicks).toBeNull();
    expect(Object.keys(metrics)).toEqual(METRICS.ENGAGEMENT);
    const total = await ask({ entity_ids: one.id });
    expect(total.body.data[0].id_data[0].metrics.impressions).toEqual([169]);
    expect(total.body.request.params).toMatchObject({
      entity: 'CAMPAIGN',
      entity_ids: [one.id],
      metric_groups: ['ENGAGEMENT'],
      start_time: '2026-10-24T22:00:00Z',
    });
  });

  it.each(['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'])(
    'of hours in %s sum to those of days',
    async (timezone) => {
      const place = { ...on, account: on.addAccount(on.alice.id, { timezone }).id };
      const table = Intl.DateTimeFormat('en', {
        timeZone: timezone,
        hour: 'numeric',
        minute: 'numeric',
        hourCycle: 'h23',
      });
      const midnight = (day: string): number => {
        let at = Date.parse(`${day}T00:00:00Z`) - 14 * HOUR_MS;
        while (table.format(at) !== '00:00') at += HOUR_MS / 2;
        return at;
      };
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('03-07', '03-28', '04-04', '06-10', '10-03', '10-24', '10-31'),
          fc.integer({ min: 1, max: 5 }),
          async (date, days) => {
            const [one] = ads.add(
              [{ kind: 'CAMPAIGN', holder: place.account, parent: null, fields: {} }],
              on.on.now,
            );
            if (!one) throw new Error('expected a campaign');
            const start = midnight(`2026-${date}`);
            const last = new Date(Date.parse(`2026-${date}T00:00:00Z`) + days * 24 * HOUR_MS);
            const end = midnight(last.toISOString().slice(0, 10));
            const hours = Math.floor((end - start) / HOUR_MS);
            hourly(
              one,
              start,
              Array.from({ length: hours }, (_, i) => i),
            );
            const read = async (granularity: string): Promise<number[]> => {
              const window = {
                start_time: new Date(start).toISOString(),
                end_time: new Date(end).toISOString(),
              };
              const { body } = await ask({ ...window, entity_ids: one.id, granularity }, place);
              return body.data[0].id_data[0].metrics.impressions;
            };
            const sum = (values: readonly number[]) =>
              values.reduce((all, value) => all + value, 0);
            const [byDay, byHour, total] = [
              await read('DAY'),
              await read('HOUR'),
              await read('TOTAL'),
            ];
            expect(byDay).toHaveLength(days);
            // In a day that shifts by half an hour, one hour reaches over midnight, and belongs to neither day.
            if ((end - start) % HOUR_MS === 0) expect(sum(byDay)).toBe(sum(byHour));
            expect(sum(byHour)).toBe(sum(total));
          },
        ),
        { numRuns: 6 },
      );
    },
  );

  it('are null where nothing ran, and for another placement', async () => {
    const [none, one] = [campaign(), campaign()];
    hourly(one, '2026-10-26T00:00:00Z', [5]);
    const entity_ids = `${none.id},${one.id}`;
    const { body } = await ask({
      entity_ids,
      granularity: 'DAY',
      metric_groups: 'BILLING,ENGAGEMENT',
    });
    const [first, second] = body.data.map(
      (all: { id_data: { metrics: object }[] }) => all.id_data[0]?.metrics,
    );
    expect(new Set(Object.values(first))).toEqual(new Set([null]));
    expect(Object.keys(first)).toHaveLength(METRICS.ENGAGEMENT.length + METRICS.BILLING.length);
    expect(second.impressions).toEqual([0, 5, 0, 0, 0, 0, 0]);
    expect(second.billed_engagements).toBeNull();
    const trend = await ask({ entity_ids: one.id, placement: 'TREND' });
    expect(trend.body.data[0].id_data[0].metrics.impressions).toBeNull();
  });

  it('take metric groups in any case, and have null metrics of those that have no figures here', async () => {
    const { id: entity_ids, seq } = campaign();
    hourly({ seq }, '2026-10-26T00:00:00Z', [5]);
    const { status, body } = await ask({
      entity_ids,
      metric_groups: 'Engagement,web_conversion,SOMETHING_NEW',
    });
    expect([status, body.request.params.metric_groups]).toEqual([
      200,
      ['Engagement', 'web_conversion', 'SOMETHING_NEW'],
    ]);
    const [{ metrics }] = body.data[0].id_data;
    expect([metrics.impressions, metrics.conversion_purchases]).toEqual([[5], null]);
    const names = [...METRICS.ENGAGEMENT, ...(UNKNOWN_METRICS['WEB_CONVERSION'] ?? [])];
    expect(Object.keys(metrics)).toEqual(names);
    for (const granularity of ['TOTAL', 'DAY', 'HOUR']) {
      const alone = { entity_ids, granularity, metric_groups: 'WEB_CONVERSION,FOO' };
      const { status, body } = await ask(alone);
      const expected = UNKNOWN_METRICS['WEB_CONVERSION']?.map((name) => [name, null]);
      expect([status, Object.entries(body.data[0].id_data[0].metrics)]).toEqual([200, expected]);
    }
  });

  it('of a promoted Post of this service count its replies and reposts', async () => {
    const created = Date.parse('2026-10-26T10:20:00Z');
    posts.on.service.add('posts', [
      { id: '11', createdAt: created, text: 'tea' },
      { id: '12', createdAt: created + HOUR_MS, text: 'milk?', replyToId: '11' },
      { id: '13', createdAt: created + 2 * HOUR_MS, text: 'sugar?', replyToId: '11' },
    ]);
    const [here, elsewhere] = posts.add('PROMOTED_TWEET', { tweet_id: '11' }, { tweet_id: '99' });
    const entity_ids = `${here?.id},${elsewhere?.id}`;
    const { body } = await ask({ entity: 'PROMOTED_TWEET', entity_ids, granularity: 'DAY' }, posts);
    const metrics = body.data[0].id_data[0].metrics;
    expect(metrics.replies).toEqual([0, 2, 0, 0, 0, 0, 0]);
    expect([metrics.retweets, metrics.impressions]).toEqual([null, null]);
    expect(body.data[1].id_data[0].metrics.replies).toBeNull();
    // Once a figure of any time was imported, the whole and its parts know imported figures alone.
    if (!here) throw new Error('expected a promoted Post');
    hourly(here, '2026-10-25T10:00:00Z', [70], posts.on.service.ads);
    for (const start_time of ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z']) {
      for (const granularity of ['TOTAL', 'DAY']) {
        const over = { entity: 'PROMOTED_TWEET', entity_ids: here.id, granularity, start_time };
        const { status, body } = await ask(over, posts);
        expect([status, body.data[0].id_data[0].metrics.replies]).toEqual([200, null]);
      }
    }
  });

  it('of a new Post of this service have its likes: its whole life lies in one day', async () => {
    const { on: stage, account } = posts;
    const liker = stage.user('dora');
    const { body: post } = await posts.alice.send('POST', '/2/tweets', { text: 'coffee' });
    await liker.send('POST', `/2/users/${liker.id}/likes`, { tweet_id: post.data.id });
    const [promoted] = posts.add('PROMOTED_TWEET', { tweet_id: post.data.id });
    const read = async (start: string, end: string) => {
      const window = { start_time: start, end_time: end, granularity: 'DAY' };
      const over = { entity: 'PROMOTED_TWEET', entity_ids: promoted?.id ?? '', ...window };
      const { body } = await ask(over, { ...posts, account });
      return body.data[0].id_data[0].metrics.likes;
    };
    expect(await read('2026-11-20', '2026-11-22')).toEqual([0, 1]);
    stage.now += 2 * 24 * HOUR_MS;
    // The time at which it was liked is not known any more.
    expect(await read('2026-11-20', '2026-11-22')).toBeNull();
  });

  it('are those of everything below, as far as an entity has none of its own', async () => {
    const place = adsStageAccount();
    const { instrument, first, second, item, promoted } = place;
    const at = Date.parse('2026-10-26T00:00:00Z');
    hourly(promoted, at, [1, 1, 1, 1]);
    hourly(item, at + 2 * HOUR_MS, [10]);
    hourly(second, at, [100]);
    const impressions = async (entity: string, { id }: { id: string }) => {
      const window = { start_time: '2026-10-26T00:00:00Z', end_time: '2026-10-26T04:00:00Z' };
      const over = { entity, entity_ids: id, granularity: 'HOUR', ...window };
      return (await ask(over, place)).body.data[0].id_data[0].metrics.impressions;
    };
    expect(await impressions('PROMOTED_TWEET', promoted)).toEqual([1, 1, 1, 1]);
    expect(await impressions('LINE_ITEM', item)).toEqual([1, 1, 10, 1]);
    expect(await impressions('CAMPAIGN', first)).toEqual([1, 1, 10, 1]);
    expect(await impressions('FUNDING_INSTRUMENT', instrument)).toEqual([1, 1, 10, 1]);
    expect(await impressions('ACCOUNT', { id: place.account })).toEqual([101, 1, 10, 1]);
    // A figure of a day replaces all that it overlaps.
    const day = { start: at, end: at + 24 * HOUR_MS };
    const metrics = { impressions: 5 };
    ads.figures.put({ entity: first.seq, placement: 'ALL_ON_TWITTER', span: day, metrics });
    expect(await impressions('CAMPAIGN', first)).toBeNull();
    const active = async (entity: string) => {
      const window = { start_time: '2026-10-26T00:00:00Z', end_time: '2026-10-26T04:00:00Z' };
      const { body } = await ask({ entity, ...window }, place, '/active_entities');
      return body.data.map((each: Record<string, string>) => [
        each['entity_id'],
        each['activity_start_time'],
        each['activity_end_time'],
      ]);
    };
    const times = ['2026-10-26T00:00:00Z', '2026-10-26T04:00:00Z'];
    expect(await active('FUNDING_INSTRUMENT')).toEqual([[instrument.id, ...times]]);
    expect(await active('ACCOUNT')).toEqual([[place.account, ...times]]);
    expect(await active('LINE_ITEM')).toEqual([[item.id, ...times]]);
    const campaigns = await active('CAMPAIGN');
    expect(campaigns).toEqual([
      [first.id, ...times],
      [second.id, times[0], '2026-10-26T01:00:00Z'],
    ]);
  });

  it('of hours, days and the whole agree at every level, and count nothing twice', async () => {
    const placed = fc.record({
      level: fc.nat(4),
      from: fc.nat(47),
      hours: fc.constantFrom(1, 1, 1, 24),
      value: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(placed, { maxLength: 12 }), async (figures) => {
        const place = adsStageAccount();
        const { instrument, first, second, item, promoted } = place;
        const levels = [promoted, item, first, instrument, second];
        const from = Date.parse('2026-10-19T22:00:00Z');
        const stored = new Map<
          string,
          { level: number; start: number; end: number; value: number }
        >();
        ads.write('test', () => {
          for (const { level, from: hour, hours, value } of figures) {
            const start = hours === 24 ? Math.floor(hour / 24) * 24 : hour;
            const span = { start: from + start * HOUR_MS, end: from + (start + hours) * HOUR_MS };
            const one = levels[level] ?? promoted;
            const metrics = { impressions: value };
            ads.figures.put({ entity: one.seq, placement: 'ALL_ON_TWITTER', span, metrics });
            for (const [key, other] of stored) {
              const overlaps = other.start < start + hours && other.end > start;
              if (other.level === level && overlaps) stored.delete(key);
            }
            stored.set(`${level} ${start}`, { level, start, end: start + hours, value });
          }
        });
        const all = [...stored.values()];
        // The figures that count of a level: its own, and those below that none above them overlaps.
        const counted = (top: number) =>
          all.filter(({ level, start, end }) => {
            const within = top === 4 ? level === 4 : level <= top;
            const above = all.filter((each) => each.level > level && each.level <= top);
            return within && !above.some((each) => each.start < end && each.end > start);
          });
        const window = { start_time: '2026-10-20', end_time: '2026-10-22' };
        const kinds = ['PROMOTED_TWEET', 'LINE_ITEM', 'CAMPAIGN', 'FUNDING_INSTRUMENT', 'CAMPAIGN'];
        for (const [level, entity] of kinds.entries()) {
          const read = async (granularity: string): Promise<number[] | null> => {
            const over = { entity, entity_ids: levels[level]?.id ?? '', granularity, ...window };
            return (await ask(over, place)).body.data[0].id_data[0].metrics.impressions;
          };
          const expected = counted(level);
          const sum = (some: typeof expected) => some.reduce((sum, { value }) => sum + value, 0);
          const days = [0, 24].map((day) =>
            sum(expected.filter(({ start }) => start >= day && start < day + 24)),
          );
          const hourly = expected.filter(({ start, end }) => end - start === 1);
          expect(await read('DAY')).toEqual(expected.length > 0 ? days : null);
          expect((await read('TOTAL'))?.[0] ?? 0).toBe(sum(expected));
          const hours = (await read('HOUR')) ?? [];
          expect(hours.reduce((all, value) => all + value, 0)).toBe(sum(hourly));
        }
      }),
      { numRuns: runs(25) },
    );
  });

  it('name the entities that were active, and the reach that was imported', async () => {
    const one = campaign();
    hourly(one, '2026-09-02T05:00:00Z', [1, 2, 3]);
    const window = { start_time: '2026-09-01T00:00:00Z', end_time: '2026-09-03T00:00:00Z' };
    const { body } = await ask({ entity: 'CAMPAIGN', ...window }, on, '/active_entities');
    expect(body.data).toEqual([
      {
        entity_id: one.id,
        activity_start_time: '2026-09-02T05:00:00Z',
        activity_end_time: '2026-09-02T08:00:00Z',
        placements: ['ALL_ON_TWITTER'],
      },
    ]);
    const day = {
      start: Date.parse('2026-09-01T22:00:00Z'),
      end: Date.parse('2026-09-02T22:00:00Z'),
    };
    ads.figures.putReach(one.seq, day, { reach: 70, frequency: 1.5 });
    const reach = async (over: Readonly<Record<string, string>>) =>
      (await ask({ campaign_ids: one.id, ...over }, on, '/reach/campaigns')).body;
    expect(await reach({ start_time: '2026-09-02', end_time: '2026-09-03' })).toMatchObject({
      data_type: 'reach',
      data: [{ id: one.id, total_audience_reach: 70, average_frequency: 1.5 }],
    });
    // Users of two days do not add up.
    const [{ total_audience_reach, average_frequency }] = (await reach(window)).data;
    expect([total_audience_reach, average_frequency]).toEqual([null, null]);
  });

  it('a later figure replaces those that it overlaps', () => {
    const { seq } = campaign();
    const start = Date.parse('2026-05-01T00:00:00Z');
    const day = { start, end: start + 24 * HOUR_MS };
    const put = (clicks: number, span = day) =>
      ads.figures.put({ entity: seq, placement: 'TREND', span, metrics: { clicks } });
    const sum = () => ads.figures.sums([seq], 'TREND', [day], ['clicks'])[0];
    expect([put(5), put(5), sum()]).toEqual([true, false, [5]]);
    const hour = { start: start + HOUR_MS, end: start + 2 * HOUR_MS };
    expect([put(2, hour), sum()]).toEqual([true, [2]]);
    expect([put(7), sum()]).toEqual([true, [7]]);
  });
});

describe('errors', () => {
  const { id } = campaign();
  it.each([
    [
      { entity_ids: Array.from({ length: 21 }, (_, i) => `a${i}`).join(',') },
      'INVALID_PARAMETER',
      'entity_ids',
    ],
    [{ start_time: '2026-10-26T00:30:00Z' }, 'INVALID_PARAMETER', 'start_time'],
    [{ start_time: '0001-01-01T00:00:00Z' }, 'INVALID_PARAMETER', 'start_time'],
    [{ end_time: '9999-01-01T00:00:00Z' }, 'INVALID_PARAMETER', 'end_time'],
    [{ start_time: '' }, 'INVALID_PARAMETER', 'start_time'],
    [{ end_time: '2026-10-24T22:00:00Z' }, 'INVALID_TIME_WINDOW', 'end_time'],
    [{ end_time: '2026-11-01T00:00:00Z' }, 'INVALID_TIME_WINDOW', 'end_time'],
    [{ granularity: 'DAY', start_time: '2026-10-25T00:00:00Z' }, 'INVALID_PARAMETER', 'start_time'],
    [{ granularity: 'WEEK' }, 'INVALID_PARAMETER', 'granularity'],
    [{ metric_groups: 'NOT-A-GROUP' }, 'INVALID_PARAMETER', 'metric_groups'],
    [{ placement: 'ALL' }, 'INVALID_PARAMETER', 'placement'],
    [{ cursor: 'c-1' }, 'INVALID_PARAMETER', 'cursor'],
  ])('%j: 400 %s', async (over, code, parameter) => {
    const { status, body } = await ask({ entity_ids: id, ...over });
    expect([status, body.errors[0].code, body.errors[0].parameter]).toEqual([400, code, parameter]);
  });

  it('names a missing parameter and unknown entities', async () => {
    const missing = await on.alice.get(`/12/stats/accounts/${on.account}?entity=CAMPAIGN`);
    expect(missing.body.errors.map((error: { code: string }) => error.code)).toContain(
      'MISSING_PARAMETER',
    );
    for (const [entity, code] of [
      ['CAMPAIGN', 'CAMPAIGN_NOT_FOUND'],
      ['LINE_ITEM', 'LINE_ITEM_NOT_FOUND'],
      ['ACCOUNT', 'NOT_FOUND'],
      ['PROMOTED_ACCOUNT', 'NOT_FOUND'],
    ] as const) {
      const { status, body } = await ask({ entity, entity_ids: 'zzzz' });
      expect([status, body.errors[0].code]).toEqual([404, code]);
    }
    const other = await ask({ entity_ids: id }, { ...on, account: 'none' });
    expect([other.status, other.body.errors[0].code]).toEqual([403, 'ACCOUNT_NOT_FOUND']);
  });
});
