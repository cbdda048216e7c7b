import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '#core/time/span.ts';
import { importConsole } from '#server/ads/console-import.ts';
import { openAds, type AdsStore } from '#server/ads/store.ts';
import type { DateOrder } from '#core/import/stamp.ts';
import type { AdFilter } from '#server/ads/entity-pages.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { freshFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const ORDER = { by: [], after: null };

const inFolder = freshFolder();
let store: AdsStore;
let account: AdEntity;
let refused: string[];
beforeEach(() => {
  store = openAds(inFolder('ads.sqlite'));
  const fields = { timezone: 'Europe/Berlin' };
  const [made] = store.add([{ kind: 'ACCOUNT', holder: '7', parent: null, fields }], NOW);
  if (!made) throw new Error('expected an account');
  account = made;
  refused = [];
});
afterEach(() => store.close());

const load = async (
  text: string,
  map: Readonly<Record<string, string>> = {},
  zone = 'Europe/Berlin',
  dates: DateOrder | null = null,
) => {
  const file = inFolder('export.csv');
  writeFileSync(file, text);
  return await importConsole(file, {
    store,
    account: () => account,
    zone,
    now: NOW,
    map,
    dates,
    onRefused: (_, line, reason) => refused.push(`${line}: ${reason}`),
  });
};
const campaigns = () => {
  const filter: AdFilter = {
    kind: 'CAMPAIGN',
    holder: account.id,
    withDeleted: false,
    withDraft: true,
  };
  return store.page(filter, ORDER, 100).map(({ entity }) => entity);
};
const NAMES = ['impressions', 'billed_charge_local_micro'] as const;
const DAY = {
  start: Date.parse('2026-10-24T22:00:00Z'),
  end: Date.parse('2026-10-25T23:00:00Z'),
};

const EXPORT = `Time period,Campaign,Campaign ID,Campaign daily budget,Campaign status,Impressions,Spend,Link clicks
2026-10-25,"Autumn, all",8wku2,12.50,Running,1000,3.25,-
2026-10-26,"Autumn, all",8wku2,12.50,Running,2000,4.5,7
2026-10-25,Winter,8wku3,,Paused,5,0.000001,0
`;

describe('an import of a console', () => {
  it('adds campaigns with their figures, once', async () => {
    expect(await load(EXPORT)).toMatchObject({
      read: 3,
      created: 2,
      updated: 1,
      unchanged: 0,
      refused: 0,
    });
    expect(campaigns()).toMatchObject([
      {
        id: '8wku2',
        fields: {
          name: 'Autumn, all',
          daily_budget_amount_local_micro: 12_500_000,
          entity_status: 'ACTIVE',
        },
      },
      { id: '8wku3', fields: { name: 'Winter', entity_status: 'PAUSED' } },
    ]);
    const [autumn, winter] = campaigns();
    const names = ['impressions', 'billed_charge_local_micro', 'url_clicks'] as const;
    const sums = (seq = 0) => store.figures.sums([seq], 'ALL_ON_TWITTER', [DAY], names)[0];
    expect(sums(autumn?.seq)).toEqual([1000, 3_250_000, null]);
    expect(sums(winter?.seq)).toEqual([5, 1, 0]);
    expect(await load(EXPORT)).toMatchObject({
      read: 3,
      created: 0,
      updated: 0,
      unchanged: 3,
      refused: 0,
    });
    expect(campaigns()).toHaveLength(2);
  });

  it('leaves what was deleted deleted', async () => {
    await load(EXPORT);
    const [autumn] = campaigns();
    if (autumn) store.remove(autumn, NOW);
    expect(await load(EXPORT.replaceAll('12.50', '13'))).toMatchObject({ created: 0, updated: 1 });
    expect(campaigns()).toHaveLength(1);
  });

  it('replaces what changed, and reads hours', async () => {
    await load(EXPORT);
    const hours = `Campaign ID;Day;Views\n8wku2;2026-10-25 03:00;4\n8wku2;2026-10-25 04:00;5\n`;
    const report = await load(hours, { time: 'Day', impressions: 'Views' });
    expect(report).toMatchObject({ created: 0, updated: 2 });
    const [autumn] = campaigns();
    const sum = store.figures.sums([autumn?.seq ?? 0], 'ALL_ON_TWITTER', [DAY], ['impressions'])[0];
    expect(sum).toEqual([9]);
  });

  it('adds what campaigns belong to, and what belongs to them, once', async () => {
    const rows = [
      'Funding source,Campaign,Ad group,Post ID,Day,Impressions,Reach,Average frequency',
      'Card,Autumn,,,2026-10-25,100,40,2.5',
      'Card,Autumn,Women,,2026-10-25,60,-,-',
      'Card,Autumn,Women,11,2026-10-25,50,-,-',
      'Card,Autumn,,12,2026-10-25,1,-,-',
      'Other,Autumn,,,2026-10-26,1,-,-',
    ];
    expect(await load(rows.join('\n'))).toMatchObject({
      read: 5,
      created: 3,
      updated: 0,
      unchanged: 0,
      refused: 2,
    });
    expect(refused).toEqual([
      '5: expected the name or the id of the line item of a promoted Post',
      expect.stringMatching(/^6: the campaign "\w+" belongs to \w+, not to \w+$/),
    ]);
    const [autumn] = campaigns();
    const instrument = store.find('FUNDING_INSTRUMENT', autumn?.parent ?? '');
    expect(instrument?.fields).toEqual({ description: 'Card' });
    const [item] = autumn ? store.below('LINE_ITEM', autumn) : [];
    expect(item?.fields).toEqual({ name: 'Women', campaign_id: autumn?.id });
    const [promoted] = item ? store.below('PROMOTED_TWEET', item) : [];
    expect(promoted?.fields).toEqual({ tweet_id: '11', line_item_id: item?.id });
    expect(store.figures.reach(autumn?.seq ?? 0, DAY)).toEqual({ reach: 40, frequency: 2.5 });
    const sums = [autumn, item, promoted].map(
      (each) => store.figures.sums([each?.seq ?? 0], 'ALL_ON_TWITTER', [DAY], ['impressions'])[0],
    );
    expect(sums).toEqual([[100], [60], [50]]);
    // The instrument that a refused row named is not there either.
    expect(await load(rows.slice(0, 4).join('\n'))).toMatchObject({ read: 3, unchanged: 3 });
    const other = { kind: 'FUNDING_INSTRUMENT', holder: account.id } as const;
    expect(store.count({ ...other, withDeleted: true, withDraft: true })).toBe(1);
  });

  it('reports rows that it cannot read, and imports the others', async () => {
    const rows = [
      'Campaign,Date,Impressions,Spend',
      'A,2026-02-30,1,1',
      'A,2026-02-20,one,1',
      'A,2026-02-20,1,-5',
      ',2026-02-20,1,1',
      'A,2026-02-20,1,1',
    ];
    expect(await load(rows.join('\n'))).toMatchObject({
      read: 5,
      created: 1,
      updated: 0,
      unchanged: 0,
      refused: 4,
    });
    expect(refused).toEqual([
      '2: expected a time such as 2026-01-31, 2026-01-31 08:00 or 2026-01-31T08:00:00-07:00 as time, got "2026-02-30"',
      '3: expected a whole number as impressions, got "one"',
      '4: expected an amount such as 12.50 as billed_charge_local_micro, got "-5"',
      '5: expected the name or the id of a campaign',
    ]);
  });

  it('reads amounts, statuses and times as consoles write them', async () => {
    const header =
      'Campaign name;Campaign status;Start date;Campaign end;Daily Budget (EUR);Day;Impressions;Spend;Average frequency;CTR';
    const rows = [
      'A;Running;25/10/2026 09:30;;€ 1.250,00;25/10/2026;12.345;23,45 €;1,50;1,2%',
      'B;Completed;01/10/2026;25/10/2026;$20;1/10/2026;1 000;1.234;2;-',
      'C;Expired;;;;1/10/2026;7;0,5;1;',
      'D;Aktiv;2026-10-01T10:00:00+02:00;;;1/10/2026 05:00 PM;7;12;;',
    ];
    const report = await load([header, ...rows].join('\n'));
    expect(refused).toEqual([]);
    expect(report).toMatchObject({
      created: 4,
      ignored: new Set(['CTR']),
      statuses: new Set(['Aktiv']),
    });
    const [a, b, c, d] = campaigns().map(({ seq, fields }) => ({ seq, ...fields }));
    expect(a).toMatchObject({
      entity_status: 'ACTIVE',
      start_time: '2026-10-25T08:30:00Z',
      daily_budget_amount_local_micro: 1_250_000_000,
    });
    // The end of that day in Berlin, on which the clock changes.
    expect(b).toMatchObject({
      entity_status: 'ACTIVE',
      start_time: '2026-09-30T22:00:00Z',
      end_time: '2026-10-25T22:59:59Z',
    });
    expect(c).toMatchObject({ entity_status: 'PAUSED' });
    expect(d).toMatchObject({ start_time: '2026-10-01T08:00:00Z' });
    expect(d).not.toHaveProperty('entity_status');
    const sums = (seq = 0, span = DAY) =>
      store.figures.sums([seq], 'ALL_ON_TWITTER', [span], NAMES)[0];
    const october = {
      start: Date.parse('2026-09-30T22:00Z'),
      end: Date.parse('2026-10-01T22:00Z'),
    };
    expect(sums(a?.seq)).toEqual([12_345, 23_450_000]);
    expect(sums(b?.seq, october)).toEqual([1000, 1_234_000_000]);
    expect(store.figures.reach(a?.seq ?? 0, DAY).frequency).toBe(1.5);
    expect(await load([header, ...rows].join('\n'))).toMatchObject({ unchanged: 4 });
  });

  it('asks for the order of dates where nothing shows it', async () => {
    const text = 'Campaign,Day,Impressions\nA,04/03/2026,1\n';
    await expect(load(text)).rejects.toThrow(
      'has dates such as "04/03/2026" whose day can be either number: --dates DMY or --dates MDY.',
    );
    expect(await load(text, {}, LA, 'MDY')).toMatchObject({ created: 1 });
    const day = { start: Date.parse('2026-04-03T07:00Z'), end: Date.parse('2026-04-04T07:00Z') };
    const [seq] = campaigns().map((each) => each.seq);
    expect(store.figures.sums([seq ?? 0], 'ALL_ON_TWITTER', [day], ['impressions'])).toEqual([[1]]);
  });

  const LA = 'America/Los_Angeles';
  const TWICE =
    'the clock of America/Los_Angeles shows 2026-11-01 01:00 twice and the file has one row for it; write it with its offset, as in 2026-01-31T08:00:00-07:00';
  it.each([
    {
      name: 'both rows of a repeated hour, in their order',
      zone: LA,
      rows: [
        ['2026-11-01 00:00', 1],
        ['2026-11-01 01:00', 2],
        ['2026-11-01 01:00', 4],
        ['2026-11-01 02:00', 8],
      ],
      start: '2026-11-01T07:00Z',
      hours: [1, 2, 4, 8],
      refusals: [],
    },
    {
      name: 'equal rows of a repeated hour, but not a third',
      zone: LA,
      rows: [
        ['2026-11-01 01:00', 2],
        ['2026-11-01 01:00', 2],
        ['2026-11-01 01:00', 2],
      ],
      start: '2026-11-01T08:00Z',
      hours: [2, 2],
      refusals: [
        '4: the clock of America/Los_Angeles shows 2026-11-01 01:00 twice and the file has 3 rows for it',
      ],
    },
    {
      name: 'no single row of a repeated hour',
      zone: LA,
      rows: [
        ['2026-11-01 00:00', 1],
        ['2026-11-01 01:00', 2],
      ],
      start: '2026-11-01T07:00Z',
      hours: [1, null, null],
      refusals: [`3: ${TWICE}`],
    },
    {
      name: 'hours with an offset',
      zone: LA,
      rows: [
        ['2026-11-01T01:00:00-08:00', 4],
        ['2026-11-01 01:00-07:00', 2],
        ['2026-11-01T10:00:00Z', 8],
      ],
      start: '2026-11-01T08:00Z',
      hours: [2, 4, 8],
      refusals: [],
    },
    {
      name: 'hours that the clock has, but none that it skips',
      zone: LA,
      rows: [
        ['2026-03-08 01:00', 1],
        ['2026-03-08 02:00', 2],
        ['2026-03-08 03:00', 4],
      ],
      start: '2026-03-08T09:00Z',
      hours: [1, 4],
      refusals: [
        '3: expected a time that America/Los_Angeles has as time, got "2026-03-08 02:00", which its clock skips',
      ],
    },
    {
      name: 'no day that the calendar skips',
      zone: 'Pacific/Apia',
      rows: [['2011-12-30', 1]],
      start: '2011-12-30T10:00Z',
      hours: [null],
      refusals: [
        '2: expected a time that Pacific/Apia has as time, got "2011-12-30", which its clock skips',
      ],
    },
    {
      name: 'hours with an offset that begin with one of the zone',
      zone: 'Asia/Kolkata',
      rows: [
        ['2026-01-31T00:30:00Z', 1],
        ['2026-01-31T02:00:00Z', 2],
      ],
      start: '2026-01-31T00:30Z',
      hours: [1, null],
      refusals: [
        '3: expected the beginning of an hour in Asia/Kolkata as time, got "2026-01-31T02:00:00Z"',
      ],
    },
    {
      name: 'a time once, unless rows agree',
      zone: LA,
      rows: [
        ['2026-05-01 01:00', 1],
        ['2026-05-01 01:00', 1],
        ['2026-05-01 01:00', 2],
        ['2026-05-01', 3],
      ],
      start: '2026-05-01T08:00Z',
      hours: [1],
      refusals: [
        '4: the file has 2026-05-01 01:00 twice, with other figures in an earlier row',
        '5: the file has 2026-05-01 twice, with other figures in an earlier row',
      ],
    },
  ])('reads $name', async ({ zone, rows, start, hours, refusals }) => {
    const text = ['Campaign,Time period,Impressions', ...rows.map((row) => `A,${row.join(',')}`)];
    await load(text.join('\n'), {}, zone);
    expect(refused).toEqual(refusals);
    const from = Date.parse(start);
    const buckets = hours.map((_, i) => ({
      start: from + i * HOUR_MS,
      end: from + (i + 1) * HOUR_MS,
    }));
    const seq = campaigns()[0]?.seq ?? 0;
    const sums = store.figures.sums([seq], 'ALL_ON_TWITTER', buckets, ['impressions']);
    expect(sums).toEqual(hours.map((value) => [value]));
  });

  it('remembers a time across batches', async () => {
    const rows = Array.from({ length: 600 }, (_, i) => `C${i},2026-05-01,1`);
    const text = ['Campaign,Day,Impressions', ...rows, 'C0,2026-05-01,2'].join('\n');
    expect(await load(text)).toMatchObject({ created: 600, refused: 1 });
    expect(await load(text)).toMatchObject({ unchanged: 600, refused: 1 });
  });

  it('refuses rows in another currency, and rows that contradict a campaign', async () => {
    const rows = [
      'Campaign,Campaign currency,Campaign status,Day,Spend',
      'A,USD,Running,2026-05-01,1',
      'A,EUR,Running,2026-05-02,1',
      'B,EUR,Running,2026-05-01,1',
      'A,usd,Paused,2026-05-03,1',
      'A,$,Running,2026-05-03,1',
      'A,,,2026-05-03,1',
    ];
    expect(await load(rows.join('\n'))).toMatchObject({ created: 1, updated: 1, refused: 4 });
    const [a, ...others] = campaigns();
    expect(others).toEqual([]);
    expect(refused).toEqual([
      '3: the campaign is in USD, the row is in EUR',
      '4: the ad account is in USD, the row is in EUR',
      `5: the campaign "${a?.id}" has "ACTIVE" as entity_status in an earlier row of the file, and "PAUSED" here`,
      '6: expected a currency such as EUR as currency, got "$"',
    ]);
    const fund = { kind: 'FUNDING_INSTRUMENT', holder: account.id, parent: null } as const;
    store.add([{ ...fund, source: 'name Card', fields: { currency: 'EUR' } }], NOW);
    refused = [];
    await load('Funding source,Campaign,Campaign currency\nCard,C,USD\nCard,C,EUR\n');
    expect(refused).toEqual(['2: the funding instrument is in EUR, the row is in USD']);
  });

  it('changes nothing when it reads a file again', async () => {
    const times = ['', '2026-11-01', '2026-11-01 00:00', '2026-11-01 01:00'];
    const more = ['2026-11-01T01:00:00-07:00', '2026-11-01T09:00:00Z', '2026-03-08 02:00'];
    const row = fc.tuple(
      fc.constantFrom('A', 'B'),
      fc.constantFrom('', 'W'),
      fc.constantFrom(...times, ...more),
      fc.constantFrom('', 'EUR', 'USD'),
      fc.constantFrom('', 'Running', 'Paused'),
      fc.constantFrom('-', '1', '2'),
      fc.constantFrom('-', '1', '2'),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
        run += 1;
        const [made] = store.add(
          [{ kind: 'ACCOUNT', holder: `9${run}`, parent: null, fields: {} }],
          NOW,
        );
        if (made) account = made;
        const header = 'Campaign,Ad group,Time period,Currency,Status,Impressions,Reach';
        const text = [header, ...rows.map((each) => each.join(','))].join('\n');
        const { read, refused: first } = await load(text, {}, LA);
        const lines = () => refused.splice(0).map((each) => each.split(':')[0]);
        const before = lines();
        expect(await load(text, {}, LA)).toMatchObject({
          read,
          created: 0,
          updated: 0,
          unchanged: read - first,
          refused: first,
        });
        expect(lines()).toEqual(before);
      }),
      { numRuns: runs(40) },
    );
  });

  it('does not take the id of a campaign of another account', async () => {
    store.add([{ kind: 'CAMPAIGN', holder: 'other', parent: null, id: '8wku2', fields: {} }], NOW);
    await load(EXPORT);
    await load(EXPORT);
    expect(campaigns().map(({ id }) => id)).toEqual([
      expect.not.stringMatching(/^8wku2$/),
      '8wku3',
    ]);
  });

  it('names wrong columns', async () => {
    await expect(load('a,b\n1,2\n')).rejects.toThrow('has no column for campaign_id or campaign');
    await expect(load(EXPORT, { odd: 'Campaign' })).rejects.toThrow('--map knows no field "odd"');
    await expect(load(EXPORT, { campaign: 'Odd' })).rejects.toThrow('has no column "Odd"');
    await expect(load('[{"a": 1}]')).rejects.toThrow('is not CSV');
  });
});
