import type { CalendarsApi } from '#app/api/calendars-api.ts';
import type { Span } from '#core/time/span.ts';
import type { BoardEvent } from './event.ts';
import { LastSearch } from './last-search.ts';

/** A search for the events of calendars. */
interface CalendarSearch {
  /** False while the kind is off: then nothing is requested. */
  readonly on: boolean;
  readonly window: Span;
  /** IANA name. */
  readonly zone: string;
  /** Changes with the calendars. */
  readonly revision: number;
  /** True if the service is away: what was found stays, and nothing is searched until it is back. */
  readonly offline: boolean;
}

/** The events of the service's calendars. */
export class CalendarEvents {
  readonly #api: CalendarsApi;
  events = $state.raw<readonly BoardEvent[]>([]);
  /** The reason some are missing; empty if none are. */
  lack = $state('');
  readonly #last = new LastSearch();
  /** The last revision that is known to have a calendar, or to have none; null before. */
  #some: number | null = null;
  #none: number | null = null;

  constructor(api: CalendarsApi) {
    this.#api = api;
  }

  /** Searches unless the same was searched last, also if that failed, or there is no calendar. */
  async load({ on, window, zone, revision, offline }: CalendarSearch): Promise<void> {
    const signal = this.#last.begin([on, window, zone, revision], offline);
    if (!signal) return;
    if (!on || this.#none === revision) {
      [this.events, this.lack] = [[], ''];
      return;
    }
    try {
      if (this.#some !== revision && !(await this.#api.any(signal))) {
        if (signal.aborted) return;
        this.#none = revision;
        [this.events, this.lack] = [[], ''];
        return;
      }
      this.#some = revision;
      const { events, lacks } = await this.#api.events(window, zone, signal);
      if (signal.aborted) return;
      this.events = events.map(({ id, start, end, title, detail, url, calendar }): BoardEvent => ({
        kind: 'calendar',
        id,
        start,
        end,
        title,
        detail,
        source: calendar,
        url: url ?? undefined,
      }));
      this.lack = lacks.join(' ');
    } catch {
      if (signal.aborted) return;
      [this.events, this.lack] = [[], 'Calendars could not be read: the service doesn’t answer.'];
    }
  }
}
