import type { HolidayCountry } from '#contract/accounts/calendars.ts';
import { icsDate, icsText, type IcsEvent } from '#core/export/ics.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { CalendarError } from './blocks.ts';

/** A country, a state of it or a part of that, by the codes of `date-holidays`. */
export interface HolidayPlace {
  readonly country: string;
  /** Codes separated by a slash; null for what all of the country has. */
  readonly region: string | null;
}

/** Years after the present one whose holidays are known. */
const NEXT_YEARS = 2;

/** Rules and names of all countries take 10 MB and a third of a second: only what needs them loads them. */
const library = async () => (await import('date-holidays')).default;

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name.localeCompare(b.name, 'en');

/** The countries whose holidays are known, with their regions, by name. */
export async function holidayCountries(): Promise<HolidayCountry[]> {
  const Holidays = await library();
  const all = new Holidays();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const listed = (given: Readonly<Record<string, string>> | null | undefined) =>
    Object.entries(given ?? {});
  return listed(all.getCountries('en'))
    .map(([code, named]) => {
      const regions = listed(all.getStates(code, 'en')).flatMap(([state, name]) => [
        { code: state, name },
        ...listed(all.getRegions(code, state, 'en')).map(([part, partName]) => ({
          code: `${state}/${part}`,
          name: `${name}, ${partName}`,
        })),
      ]);
      const name = (/^[A-Z]{2}$/.test(code) ? names.of(code) : undefined) ?? named;
      return { code, name, regions: regions.sort(byName) };
    })
    .sort(byName);
}

/** The name of a place. @throws {@link CalendarError} if its holidays are not known. */
async function placeName({ country, region }: HolidayPlace): Promise<string> {
  const found = (await holidayCountries()).find(({ code }) => code === country);
  if (!found) throw new CalendarError(`The holidays of “${country}” are not known.`);
  if (region === null) return found.name;
  const part = found.regions.find(({ code }) => code === region);
  if (!part) throw new CalendarError(`${found.name} has no region “${region}”.`);
  return `${found.name}, ${part.name}`;
}

/**
 * The public holidays of a place as a calendar, from the first Post to the year after the next one: as days of no zone.
 *
 * @param now - Epoch ms.
 * @throws {@link CalendarError} if they are not known.
 */
export async function holidaysIcs(place: HolidayPlace, now: number): Promise<string> {
  const name = await placeName(place);
  const Holidays = await library();
  const [state = '', part = ''] = place.region?.split('/') ?? [];
  const rules = new Holidays(place.country, state, part, { languages: 'en', types: ['public'] });
  const [first, last] = [ARCHIVE_START, now].map((at) => new Date(at).getUTCFullYear());
  const events: IcsEvent[] = [];
  for (let year = first ?? NaN; year <= (last ?? NaN) + NEXT_YEARS; year++) {
    for (const { date, start, end, name: title, rule } of rules.getHolidays(year, 'en')) {
      // Some begin at noon or at sunset; they are of the whole day whose date they have.
      const wall = Date.parse(date.slice(0, 10));
      const days = Math.max(1, Math.ceil((end.getTime() - start.getTime()) / DAY_MS - 0.1));
      events.push({
        uid: `${date.slice(0, 10)} ${rule}@holidays.groundswell`,
        start: icsDate(wall),
        end: icsDate(wall + days * DAY_MS),
        title,
        description: '',
      });
    }
  }
  return icsText(`Public holidays in ${name}`, events, now);
}
