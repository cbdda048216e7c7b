import type { CampaignDay, Note } from '#app/counts/cache/saved-board.ts';
import type { Span } from '#core/time/span.ts';

/** The kinds of events, in the order of their rows. */
export const EVENT_KINDS = ['campaign', 'note', 'post', 'story', 'calendar'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A kind of events in words, and whether it is on unless the user says otherwise. */
export const KIND_FACTS: Readonly<
  Record<EventKind, { readonly one: string; readonly many: string; readonly on: boolean }>
> = {
  campaign: { one: 'Campaign', many: 'Campaigns', on: true },
  note: { one: 'Note', many: 'Notes', on: true },
  post: { one: 'Post', many: 'Your Posts', on: true },
  // Found by a request that reads every Post of the time.
  story: { one: 'Story', many: 'Stories', on: false },
  calendar: { one: 'Calendar', many: 'Calendars', on: true },
};

/**
 * The kinds that are shown; one that is off makes no request.
 *
 * @param switched - Those the user switched, as the address has them: `-note`, `+story`.
 */
export function onKinds(switched: readonly string[]): readonly EventKind[] {
  return EVENT_KINDS.filter((kind) =>
    KIND_FACTS[kind].on ? !switched.includes(`-${kind}`) : switched.includes(`+${kind}`),
  );
}

/** Something that happened, as the row under the curve, the tab and files show it. */
export interface BoardEvent {
  readonly kind: EventKind;
  /** Unique among those of its kind. */
  readonly id: string;
  /** Epoch ms. */
  readonly start: number;
  /** Exclusive, epoch ms; null for a moment. */
  readonly end: number | null;
  /** Never empty. */
  readonly title: string;
  /** The rest of what is known, in one line; empty if that is all. */
  readonly detail: string;
  /** The account, file, calendar or service it is from; empty for what was typed here. */
  readonly source: string;
  /** The address of what it is about; absent if it has none. */
  readonly url?: string | undefined;
  /** The terms of a story, the leading one first; absent for other kinds. */
  readonly keywords?: readonly string[] | undefined;
  /** The figures of a campaign by day; absent if there are none. */
  readonly days?: readonly CampaignDay[] | undefined;
}

/** Names an event among those of all kinds. */
export function eventKey({ kind, id }: Pick<BoardEvent, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** In order of time; those at the same time in a fixed order. */
export function byTime(a: BoardEvent, b: BoardEvent): number {
  return a.start - b.start || (eventKey(a) < eventKey(b) ? -1 : 1);
}

/** The events that begin, or last, in a span; in their order. */
export function eventsIn(events: readonly BoardEvent[], span: Span): readonly BoardEvent[] {
  return events.filter(
    ({ start, end }) => start < span.end && (end === null ? start >= span.start : end > span.start),
  );
}

/** The notes and campaigns of a board whose kind is on. */
export function shownNotes(notes: readonly Note[], on: readonly EventKind[]): readonly Note[] {
  return notes.filter(({ campaign }) => on.includes(campaign ? 'campaign' : 'note'));
}
