import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importConsole } from '#server/advertising/console-import.ts';
import { openAds } from '#server/advertising/store.ts';
import type { AdFilter } from '#server/advertising/entity-pages.ts';
import type { AdEntity } from '#server/advertising/entity-row.ts';
import type { AdsStore } from '#server/advertising/store.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const ORDER = { by: [], after: null };

let folder: string;
let store: AdsStore;
let account: AdEntity;
let refused: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'groundswell-console-'));
  store = openAds(join(folder, 'ads.sqlite'));
  const fields = { timezone: 'Europe/Berlin' };
  const [made] = store.add([{ kind: 'ACCOUNT', holder: '7', parent: null, fields }], NOW);
  if (!made) throw new Error('expected an account');
  account = made;
  refused = [];
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const load = async (text: string, map: Readonly<Record<string, string>> = {}) => {
  const file = join(folder, 'export.csv');
  writeFileSync(file, text);
  return await importConsole(file, {
    store,
    account,
    zone: 'Europe/Berlin',
    now: NOW,
    map,
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
    expect(await load(EXPORT)).toEqual({
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
    expect(await load(EXPORT)).toEqual({
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
    const hours = `Campaign ID;Day;Views\n8wku2;2026-10-25 02:00;4\n8wku2;2026-10-25 03:00;5\n`;
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
    expect(await load(rows.join('\n'))).toEqual({
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
      (one) => store.figures.sums([one?.seq ?? 0], 'ALL_ON_TWITTER', [DAY], ['impressions'])[0],
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
      'A,2026-02-20,1,"1,5"',
      ',2026-02-20,1,1',
      'A,2026-02-20,1,1',
    ];
    expect(await load(rows.join('\n'))).toEqual({
      read: 5,
      created: 1,
      updated: 0,
      unchanged: 0,
      refused: 4,
    });
    expect(refused).toEqual([
      '2: expected a day such as 2026-01-31 or a whole hour such as 2026-01-31 08:00 as time, got "2026-02-30"',
      '3: expected a whole number as impressions, got "one"',
      '4: expected an amount such as 12.50 as billed_charge_local_micro, got "1,5"',
      '5: expected the name or the id of a campaign',
    ]);
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
