import type { Campaign, Note } from '#app/counts/cache/saved-board.ts';
import { MOST_OWN_ACCOUNTS } from '#contract/counts/own-posts.ts';
import { MINUTE_MS, type Span } from '#core/time/span.ts';
import { byTime, eventKey, type BoardEvent } from './event.ts';
import type { KindSwitches } from './event-kinds.svelte.ts';
import type { Notes } from './notes.svelte.ts';

/** The figures of a campaign in one line, for any reader: amounts with a point, and the code of their currency. */
export function campaignDetail({ currency, budget, spend, impressions, clicks }: Campaign): string {
  const money = (amount: number | null): string | null =>
    amount === null ? null : [amount, currency].filter(Boolean).join(' ');
  const facts = { budget: money(budget), spend: money(spend), impressions, clicks };
  return Object.entries(facts)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(', ');
}

/** A note or campaign as an event. */
export function storedEvent({ id, start, end, text, campaign }: Note): BoardEvent {
  return {
    kind: campaign ? 'campaign' : 'note',
    id,
    start,
    end,
    title: text || (campaign ? 'New campaign' : 'New note'),
    detail: campaign ? campaignDetail(campaign) : '',
    source: campaign?.source ?? '',
    ...(campaign && campaign.days.length > 0 && { days: campaign.days }),
  };
}

/** The key of the names of the user's own accounts in the browser's storage. */
const ACCOUNTS_KEY = 'groundswell-accounts';

type Names = Pick<Storage, 'getItem' | 'setItem'>;

function storedAccounts(storage: Names | null): readonly string[] {
  const text = storage?.getItem(ACCOUNTS_KEY) ?? '';
  return text.split(',').filter((name) => name !== '');
}

/** Events that are not read unless the user agrees to their price. */
export interface EventOffer {
  readonly text: string;
  /** The words of its button, with the price; null while they are being read. */
  readonly action: { readonly words: string; readonly act: () => void } | null;
}

/** Finds events of one kind for the time in view. */
export interface EventFinder {
  readonly events: readonly BoardEvent[];
  /** The reason some are missing, a sentence; empty if none are. */
  readonly lack: string;
  /** The events that can be bought; absent or null for none. */
  readonly offer?: EventOffer | null;
}

/** The events of the board: those that are stored with it, and those found for the time in view. */
export class BoardEvents {
  readonly notes: Notes;
  readonly kinds: KindSwitches;
  /** Set once their code has loaded, after the first curve. */
  finders = $state.raw<readonly EventFinder[]>([]);
  /** Rises with each change that this page makes to the calendars of the service. */
  calendars = $state(0);
  readonly #storage: Names | null;
  /** Usernames of the accounts whose Posts are events. */
  accounts = $state.raw<readonly string[]>([]);
  /** Of the kinds that are on, by start. */
  readonly all: readonly BoardEvent[] = $derived.by(() => this.#with(this.notes.list));
  /** All but a note or campaign that has no text yet. */
  readonly named: readonly BoardEvent[] = $derived.by(() =>
    this.notes.written === this.notes.list ? this.all : this.#with(this.notes.written),
  );
  /** The keys of the events in the drawer; empty while it shows none. */
  #open = $state.raw<readonly string[]>([]);
  /** The events in the drawer: one, or several that the row draws as one. */
  readonly opened: readonly BoardEvent[] = $derived.by(() => {
    if (this.#open.length === 0) return [];
    const wanted = new Set(this.#open);
    return this.all.filter((event) => wanted.has(eventKey(event)));
  });
  /** The time that the pointer is on, which the curve shows; null if none. */
  pointed = $state.raw<Span | null>(null);
  /** True while the next span that is dragged over the curve becomes the time of the event that is being edited. */
  marking = $state(false);
  /** The time of what the drawer shows; null while it shows nothing. */
  readonly openedSpan: Span | null = $derived.by(() => {
    const [first] = this.opened;
    if (!first) return null;
    const end = Math.max(...this.opened.map(({ start, end }) => end ?? start));
    return { start: first.start, end };
  });
  /** True if each kind has a row of its own. */
  split = $state(false);

  /** @param storage - Holds the names of the accounts; null if the browser has none. */
  constructor(notes: Notes, kinds: KindSwitches, storage: Names | null) {
    this.notes = notes;
    this.kinds = kinds;
    this.#storage = storage;
    this.accounts = storedAccounts(storage);
  }

  /** True if the board has, or found, an event of any kind, or could have one of a kind that the user switched off. */
  readonly any: boolean = $derived.by(
    () =>
      this.notes.list.length > 0 ||
      this.all.length > 0 ||
      this.lacks.length > 0 ||
      this.offers.length > 0 ||
      this.kinds.switched.some((kind) => kind.startsWith('-')),
  );

  /** The reasons events are missing, a sentence each. */
  readonly lacks: readonly string[] = $derived.by(() =>
    this.finders.map(({ lack }) => lack).filter((lack) => lack !== ''),
  );

  /** The events that can be bought. */
  readonly offers: readonly EventOffer[] = $derived.by(() =>
    this.finders.flatMap(({ offer }) => offer ?? []),
  );

  #with(notes: readonly Note[]): readonly BoardEvent[] {
    return [...notes.map(storedEvent), ...this.finders.flatMap(({ events }) => events)]
      .filter(({ kind }) => this.kinds.on.includes(kind))
      .sort(byTime);
  }

  /** Opens events in the drawer. */
  open(events: readonly BoardEvent[]): void {
    const { editing, list } = this.notes;
    const [only] = events;
    const edited = events.length === 1 && list.some(({ id }) => id === only?.id) ? only : null;
    if (editing !== null && editing !== edited?.id) this.notes.close(editing);
    this.notes.editing = edited?.id ?? null;
    this.marking = false;
    this.#open = events.map(eventKey);
  }

  /** Adds a note for the minute of a moment, or a campaign, without a name, and opens it. */
  add(at: { readonly start: number; readonly end?: number }, campaign?: Campaign): void {
    const start = Math.floor(at.start / MINUTE_MS) * MINUTE_MS;
    const note = this.notes.add({ ...at, start, ...(campaign && { campaign }) });
    const event = storedEvent(note);
    this.kinds.turn(event.kind, true);
    this.open([event]);
    this.marking = true;
  }

  /** Takes a span that was dragged over the curve. @returns False if none is wanted. */
  mark(span: Span): boolean {
    const { editing } = this.notes;
    if (!this.marking || editing === null) return false;
    this.notes.edit(editing, span);
    this.marking = false;
    return true;
  }

  /** Closes the drawer; an event without a name is gone. */
  close(): void {
    const { editing } = this.notes;
    this.#open = [];
    this.marking = false;
    if (editing !== null) this.notes.close(editing);
  }

  /** Makes a note a campaign, or a campaign a note. */
  become(id: string, change: Pick<Note, 'campaign'> & { readonly end?: number }): void {
    const { marking } = this;
    this.notes.edit(id, { campaign: undefined, ...change });
    const note = this.notes.list.find((each) => each.id === id);
    if (note) this.open([storedEvent(note)]);
    this.marking = marking;
  }

  /** Sets the accounts, which this browser remembers. */
  setAccounts(names: readonly string[]): void {
    this.accounts = names.slice(0, MOST_OWN_ACCOUNTS);
    try {
      this.#storage?.setItem(ACCOUNTS_KEY, this.accounts.join(','));
    } catch {
      // A full storage forgets them with the tab.
    }
  }
}

/** A campaign of which nothing but its days is known. */
export const NEW_CAMPAIGN: Campaign = {
  currency: null,
  budget: null,
  spend: null,
  impressions: null,
  clicks: null,
  days: [],
  tag: '',
  source: '',
  control: null,
};
