import { describe, expect, it } from 'vitest';
import {
  advertisedCampaign,
  takeCampaigns,
  takenText,
  type AdvertisedCampaign,
} from '#app/events/ads/advertised.ts';
import { Notes } from '#app/events/notes.svelte.ts';
import { MAX_CAMPAIGN_DAYS, MAX_NOTE } from '#app/counts/cache/saved-board.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { CampaignAnswer } from '#contract/ads/advertisers.ts';
import { DAY_MS } from '#core/time/span.ts';

const format = new Formatter('en-GB');
const START = Date.parse('2025-10-24T22:00:00Z');
const AUTUMN: CampaignAnswer = {
  id: 'c1',
  name: 'Autumn',
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  run: { start: START, end: START + 3 * DAY_MS },
  budget: null,
  spend: 12_500_000,
  impressions: 0,
  clicks: null,
  days: [{ start: START, spend: 2_500_000, impressions: null, clicks: 0 }],
  posts: [{ id: '7', text: 'Boots', url: null }],
};
function found(change: Partial<CampaignAnswer> = {}, source = 'Shop'): AdvertisedCampaign {
  const campaign = advertisedCampaign({ ...AUTUMN, ...change }, source, 'a1');
  if (!campaign) throw new TypeError('expected a campaign with a time');
  return campaign;
}
function board() {
  let ids = 0;
  return { notes: new Notes(() => `n${(ids += 1)}`) };
}

describe('a campaign of an ad account', () => {
  it('becomes an event of its days, with amounts of its currency, and nothing for what is not known', () => {
    expect(found()).toEqual({
      start: START,
      end: START + 3 * DAY_MS,
      text: 'Autumn',
      campaign: {
        currency: 'EUR',
        budget: null,
        spend: 12.5,
        impressions: 0,
        clicks: null,
        days: [{ start: START, spend: 2.5, impressions: null, clicks: 0 }],
        tag: '',
        source: 'Shop',
        ad: { account: 'a1', campaign: 'c1', zone: 'Europe/Berlin' },
        control: null,
      },
    });
  });

  it.each([
    ['a time', { run: null }, null],
    ['a name', { name: '' }, 'c1'],
    ['a short name', { name: 'x'.repeat(MAX_NOTE + 1) }, 'x'.repeat(MAX_NOTE)],
  ])('without %s', (_, change, text) => {
    expect(advertisedCampaign({ ...AUTUMN, ...change }, 'Shop', 'a1')?.text ?? null).toBe(text);
  });

  it('keeps its last days, as many as a board takes', () => {
    const days = Array.from({ length: MAX_CAMPAIGN_DAYS + 1 }, (_, i) => ({
      start: i * DAY_MS,
      spend: null,
      impressions: i,
      clicks: null,
    }));
    const stored = found({ days }).campaign.days;
    expect([stored.length, stored[0]?.impressions]).toEqual([MAX_CAMPAIGN_DAYS, 1]);
  });
});

describe('adding campaigns', () => {
  it('updates a campaign that is there, with what was typed where nothing is known, and takes all of it back', () => {
    const on = board();
    const first = takeCampaigns(on, [found()]);
    expect(takenText(first, format)).toBe('Added 1 campaign.');
    const [id = ''] = first.ids;
    const [note] = on.notes.list;
    const control = { topic: 'boots', queries: [], chosen: 1, changes: 0 };
    on.notes.edit(id, { campaign: { ...note!.campaign!, budget: 90, tag: '#boots', control } });
    const before = on.notes.list;
    const again = takeCampaigns(on, [
      found({ spend: 20_000_000, run: { start: START, end: START + DAY_MS } }, 'export.csv'),
      found({ id: 'c2', name: 'Winter' }),
    ]);
    expect(takenText(again, format)).toBe('Added 1 campaign, updated 1.');
    expect(on.notes.list).toHaveLength(2);
    expect(on.notes.list.find((each) => each.id === id)).toMatchObject({
      end: START + DAY_MS,
      campaign: { spend: 20, budget: 90, tag: '#boots', control, source: 'export.csv' },
    });
    again.undo();
    expect(on.notes.list).toEqual(before);
    first.undo();
    expect(on.notes.list).toEqual([]);
  });

  it.each([
    ['another campaign of the same name and source', { ad: { account: 'a1', campaign: 'c9' } }, 2],
    ['one of the same name and source without ids', {}, 1],
    ['one of the same name from another source', { source: 'Other' }, 2],
  ])('next to %s', (_, change, events) => {
    const on = board();
    const { ad: _ad, ...campaign } = found().campaign;
    on.notes.add({ ...found(), campaign: { ...campaign, ...change } });
    on.notes.add({ start: START, text: 'Autumn' });
    takeCampaigns(on, [found()]);
    expect(on.notes.list.filter(({ campaign }) => campaign)).toHaveLength(events);
  });
});
