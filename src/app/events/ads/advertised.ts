import {
  MAX_CAMPAIGN_DAYS,
  MAX_NOTE,
  type Campaign,
  type Note,
} from '#app/counts/cache/saved-board.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { BoardEvents } from '#app/events/board-events.svelte.ts';
import type { CampaignAnswer } from '#contract/ads/advertisers.ts';

/** A campaign of an ad account, as an event that is not on the board yet. */
export interface AdvertisedCampaign extends Omit<Note, 'id'> {
  readonly end: number;
  readonly campaign: Campaign;
}

const MICRO = 1e6;
const money = (micros: number | null): number | null => (micros === null ? null : micros / MICRO);

/**
 * A campaign as an event of whole days of its ad account's zone, with amounts in its currency.
 *
 * @param source - Name of the ad account or the file it was read from.
 * @param account - Id of the ad account.
 * @returns Null for a campaign without dates and figures, which has no time.
 */
export function advertisedCampaign(
  found: CampaignAnswer,
  source: string,
  account: string,
): AdvertisedCampaign | null {
  if (!found.run) return null;
  return {
    ...found.run,
    text: (found.name || found.id).slice(0, MAX_NOTE),
    campaign: {
      currency: found.currency,
      budget: money(found.budget),
      spend: money(found.spend),
      impressions: found.impressions,
      clicks: found.clicks,
      days: found.days
        .slice(-MAX_CAMPAIGN_DAYS)
        .map((day) => ({ ...day, spend: money(day.spend) })),
      tag: '',
      source,
      ad: { account, campaign: found.id, zone: found.timezone },
      control: null,
    },
  };
}

/** True if an event of the board is that campaign: of the same ids, else of the same source and name. */
function isSame({ text, campaign }: Note, found: AdvertisedCampaign): boolean {
  if (!campaign) return false;
  const [own, other] = [campaign.ad, found.campaign.ad];
  if (own && other) return own.account === other.account && own.campaign === other.campaign;
  return campaign.source === found.campaign.source && text === found.text;
}

/** A campaign of the board with new figures; the ad account does not know what was chosen or typed here instead. */
function updated(before: Campaign, { campaign: found }: AdvertisedCampaign): Campaign {
  return {
    ...found,
    currency: found.currency ?? before.currency,
    budget: found.budget ?? before.budget,
    spend: found.spend ?? before.spend,
    impressions: found.impressions ?? before.impressions,
    clicks: found.clicks ?? before.clicks,
    tag: before.tag,
    control: before.control,
  };
}

/** The events that campaigns became. */
export interface TakenCampaigns {
  /** Ids of the events. */
  readonly ids: readonly string[];
  readonly added: number;
  readonly updated: number;
  /** Takes it back. */
  readonly undo: () => void;
}

/** `Added 2 campaigns, updated 1.` */
export function takenText(
  { added, updated }: Pick<TakenCampaigns, 'added' | 'updated'>,
  format: Pick<Formatter, 'count' | 'counted'>,
): string {
  if (added === 0) return `Updated ${format.counted(updated, 'campaign')}.`;
  const rest = updated === 0 ? '' : `, updated ${format.count(updated)}`;
  return `Added ${format.counted(added, 'campaign')}${rest}.`;
}

/** `Add 2 campaigns, update 1`. @param updated - The number of those that the board has. */
export function takeText(
  { added, updated }: Pick<TakenCampaigns, 'added' | 'updated'>,
  format: Pick<Formatter, 'count' | 'counted'>,
): string {
  if (updated === 0) return `Add ${format.counted(added, 'campaign')}`;
  if (added === 0) return `Update ${format.counted(updated, 'campaign')}`;
  return `Add ${format.counted(added, 'campaign')}, update ${format.count(updated)}`;
}

/** Adds campaigns to the board, and updates those that it has. */
export function takeCampaigns(
  { notes }: Pick<BoardEvents, 'notes'>,
  campaigns: readonly AdvertisedCampaign[],
): TakenCampaigns {
  const before: Note[] = [];
  const added: string[] = [];
  for (const found of campaigns) {
    const known = notes.list.find((note) => isSame(note, found));
    if (known?.campaign) {
      before.push(known);
      notes.edit(known.id, { ...found, campaign: updated(known.campaign, found) });
    } else added.push(notes.add(found).id);
  }
  return {
    ids: [...before.map(({ id }) => id), ...added],
    added: added.length,
    updated: before.length,
    undo: () => {
      for (const id of added) notes.remove(id);
      for (const note of before.toReversed()) notes.edit(note.id, note);
    },
  };
}
