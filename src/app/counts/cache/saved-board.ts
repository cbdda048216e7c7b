import type { FixedSeries } from '#core/series/imported-series.ts';

/** Type of the fault for a file that is not a board, or a damaged one. */
export const BAD_BOARD = 'groundswell:bad-board';

/** A day of a campaign as its console reports it; null for what it does not report. */
export interface CampaignDay {
  /** Start of the day in the zone of the account, epoch ms. */
  readonly start: number;
  readonly spend: number | null;
  readonly impressions: number | null;
  readonly clicks: number | null;
}

/** The control of a campaign's lift, and when it was chosen. */
export interface ChosenControl {
  /** Query of the topic whose lift it is. */
  readonly topic: string;
  /** Up to {@link MAX_CONTROLS} queries whose counts are added up; none for no control. */
  readonly queries: readonly string[];
  /** Epoch ms. */
  readonly chosen: number;
  /** The number of changes after the campaign had ended. */
  readonly changes: number;
}

/** The most queries of a control. */
export const MAX_CONTROLS = 5;

/** The facts of a campaign; amounts are in its currency, and null where unknown. */
export interface Campaign {
  /** ISO 4217; null if unknown. */
  readonly currency: string | null;
  readonly budget: number | null;
  /** Totals, as reported: those of days may be rounded. */
  readonly spend: number | null;
  readonly impressions: number | null;
  readonly clicks: number | null;
  /** Ascending; empty if only totals are known. */
  readonly days: readonly CampaignDay[];
  /** A query for the tag or the address that its Posts carry; empty if it has none. */
  readonly tag: string;
  /** The file or advertiser account it was read from; empty if it was entered here. */
  readonly source: string;
  /** Ids of the ad account and of the campaign that it was read from; absent if it was entered here. */
  readonly ad?: {
    readonly account: string;
    readonly campaign: string;
    /** IANA name of the account's time zone, whose days are those of the figures; absent if it is not known. */
    readonly zone?: string;
  };
  /** Null until one was chosen. */
  readonly control: ChosenControl | null;
}

/** The most days of a campaign. */
export const MAX_CAMPAIGN_DAYS = 1_100;

/** An event that the user noted on a board, or a campaign. */
export interface Note {
  readonly id: string;
  /** Epoch ms. */
  readonly start: number;
  /** Exclusive, epoch ms; null for a moment, which a campaign never is. */
  readonly end: number | null;
  /** At most {@link MAX_NOTE} characters; the name of a campaign. */
  readonly text: string;
  /** Absent for a note. */
  readonly campaign?: Campaign | undefined;
}

/** The same note with its members in a fixed order, so that equal notes are equal as JSON, whatever they were read from. */
export function orderedNote({ id, start, end, text, campaign }: Note): Note {
  if (!campaign) return { id, start, end, text };
  const { currency, budget, spend, impressions, clicks, days, tag, source, ad, control } = campaign;
  return {
    id,
    start,
    end,
    text,
    campaign: {
      currency,
      budget,
      spend,
      impressions,
      clicks,
      days: days.map((day) => ({
        start: day.start,
        spend: day.spend,
        impressions: day.impressions,
        clicks: day.clicks,
      })),
      tag,
      source,
      ...(ad && { ad: { ...ad } }),
      control: control && {
        topic: control.topic,
        queries: control.queries,
        chosen: control.chosen,
        changes: control.changes,
      },
    },
  };
}

/** Most characters of a note. */
export const MAX_NOTE = 280;
/** Most characters of the name of a board. */
export const MAX_NAME = 120;

/** The parts of a board. */
export interface BoardContent {
  readonly name: string;
  /** The view, as the address has it. */
  readonly view: string;
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
}

/** A saved board. */
export interface SavedBoard extends BoardContent {
  /** Random. */
  readonly id: string;
  /** The time at which it was last saved or renamed, epoch ms. */
  readonly at: number;
  /** The time at which it was last opened, epoch ms. */
  readonly opened: number;
}

/** The row of a saved board. */
export interface BoardRow extends SavedBoard {
  /** Checksums of its earlier contents, ascending: a copy with one of these is an older version. */
  readonly was: readonly string[];
}

/** A board that was removed. */
export interface RemovedBoard {
  readonly id: string;
  /** The time, epoch ms. */
  readonly at: number;
  /** Checksums of its contents: a board with another one changed without knowing of the removal. */
  readonly was: readonly string[];
}

/** The last state of a login's board that this browser and the service agreed on. */
export interface SyncedBoard extends RemovedBoard {
  /** Of the version that the service has. */
  readonly revision: string;
  /** Checksum of the content of that version, see `REMOVED_SUM`; `at` and `was` are of it too. */
  readonly sum: string;
  /** Set while it is removed here. */
  readonly removed: RemovedBoard | null;
}

/** A board in a list. */
export type BoardSummary = Pick<SavedBoard, 'id' | 'name' | 'at' | 'opened'>;

/** Name of the channel that notifies tabs of written boards. */
export const BOARDS_CHANNEL = 'groundswell-boards';
