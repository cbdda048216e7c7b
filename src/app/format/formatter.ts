import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** A cached formatter: creating one costs more than a hundred uses. */
export function dateFormat(
  zone: string,
  options: Intl.DateTimeFormatOptions,
  locale: string | undefined,
): Intl.DateTimeFormat {
  const key = `${locale}|${zone}|${JSON.stringify(options)}`;
  let format = dateFormats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
    dateFormats.set(key, format);
  }
  return format;
}

const numberFormats = new Map<string, Intl.NumberFormat>();

/** As {@link dateFormat}, for numbers. */
function numberFormat(
  options: Intl.NumberFormatOptions,
  locale: string | undefined,
): Intl.NumberFormat {
  const key = `${locale}|${JSON.stringify(options)}`;
  let format = numberFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, options);
    numberFormats.set(key, format);
  }
  return format;
}

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
/** A date for locales that write the year first, as Swedes do: `2026-03-08`. */
const DIGITS: Intl.DateTimeFormatOptions = { day: '2-digit', month: '2-digit', year: 'numeric' };
const BYTES = ['byte', 'kB', 'MB', 'GB'];

/** UTC appears by name, not as an offset. */
const offsetName = (zone: string): 'short' | 'shortOffset' =>
  zone === 'UTC' ? 'short' : 'shortOffset';

/**
 * Numbers, dates and amounts as text, in a locale and a time zone. They are parts of English sentences: months and
 * weekdays have English names, in the order of the locale; where that begins with the year, dates are numbers.
 */
export class Formatter {
  readonly #locale: string | undefined;
  /** Default zone of dates and times. */
  readonly zone: string;
  /** The locale of months and weekdays, BCP 47. */
  readonly dates: string;
  readonly #yearFirst: boolean;
  readonly #whole: Intl.NumberFormat;
  readonly #short: Intl.NumberFormat;
  readonly #share: Intl.NumberFormat;
  readonly #threeDigits: Intl.NumberFormat;
  readonly #few: Intl.NumberFormat;
  readonly #change: Intl.NumberFormat;
  readonly #tenths: Intl.NumberFormat;
  readonly #percent: Intl.NumberFormat;
  readonly #money: Intl.NumberFormat;

  /**
   * @param locale - BCP 47; by default the browser's.
   * @param zone - IANA name.
   */
  constructor(locale?: string, zone = 'UTC') {
    this.#locale = locale;
    this.zone = zone;
    const own = dateFormat('UTC', {}, locale);
    const first = own.formatToParts(0).find(({ type }) => type !== 'literal')?.type;
    const used = own.resolvedOptions().locale;
    const english = used.startsWith('en');
    this.#yearFirst = first === 'year' && !english;
    this.dates = english ? used : first === 'day' ? 'en-GB' : 'en-US';
    this.#whole = numberFormat({ maximumFractionDigits: 0 }, locale);
    this.#few = numberFormat({ maximumSignificantDigits: 3 }, locale);
    this.#short = numberFormat(
      {
        notation: 'compact',
        maximumSignificantDigits: 3,
      },
      locale,
    );
    this.#money = numberFormat(
      {
        style: 'currency',
        currency: 'USD',
        currencyDisplay: 'narrowSymbol',
        maximumFractionDigits: 3,
      },
      locale,
    );
    this.#change = numberFormat(
      {
        style: 'percent',
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
        signDisplay: 'exceptZero',
      },
      locale,
    );
    this.#tenths = numberFormat(
      {
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
      },
      locale,
    );
    this.#percent = numberFormat(
      {
        style: 'percent',
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
      },
      locale,
    );
    this.#threeDigits = numberFormat(
      {
        style: 'percent',
        maximumSignificantDigits: 3,
      },
      locale,
    );
    this.#share = numberFormat({ style: 'percent', maximumFractionDigits: 1 }, locale);
  }

  /** The same locale in another zone. */
  in(zone: string): Formatter {
    return zone === this.zone ? this : new Formatter(this.#locale, zone);
  }

  /** `3,274,638`; with decimals only for a computed value that is not whole. */
  count(value: number): string {
    return Number.isInteger(value) ? this.#whole.format(value) : this.mean(value);
  }

  /** `3.27 k`, for axes. */
  short(value: number): string {
    const parts = this.#short.formatToParts(value);
    return parts
      .map(({ type, value: text }) => (type === 'compact' && text === 'K' ? '\u202fk' : text))
      .join('');
  }

  /** A mean: whole from 100 on, three digits below. */
  mean(value: number): string {
    return Math.abs(value) >= 100 ? this.#whole.format(value) : this.#few.format(value);
  }

  /** `58 %`: never 100 % for less than all, never 0 % for more than nothing. */
  share(value: number): string {
    if (value > 0 && value < 0.001) return `< ${this.#share.format(0.001)}`;
    if (value < 1 && value > 0.999) return this.#share.format(0.999);
    return this.#share.format(value);
  }

  /** `0.025 %`: a part to three digits, however small. */
  part(value: number): string {
    return this.#threeDigits.format(value);
  }

  /** With a fixed number of decimals: `0.50`. */
  fixed(value: number, decimals: number): string {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return numberFormat(digits, this.#locale).format(value);
  }

  /** A change with its sign: `+28.0 %`, `−3.1 %`; `new` if there was nothing before. */
  change(value: number): string {
    return Number.isFinite(value) ? this.#change.format(value) : 'new';
  }

  /** A share among others, with its tenths: `56.1 %`. */
  percent(value: number): string {
    return this.#percent.format(value);
  }

  /** Half of a band in percentage points: `0.2`. */
  points(value: number): string {
    const points = value * 100;
    return points < 0.05 ? `< ${this.#tenths.format(0.1)}` : this.#tenths.format(points);
  }

  /** US dollars: `$2.44`, `$0.005`. */
  money(value: number): string {
    return this.#money.format(value);
  }

  /** `1.6 MB`, `512 bytes`: in powers of 1,000, as disks and browsers count. */
  bytes(value: number): string {
    const step = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log10(value || 1) / 3)));
    const number = numberFormat({ maximumSignificantDigits: 3 }, this.#locale);
    const unit = `${BYTES[step]}${step === 0 && value !== 1 ? 's' : ''}`;
    return `${number.format(value / 1000 ** step)} ${unit}`;
  }

  #named(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return dateFormat(zone, options, this.dates);
  }

  #days(zone: string, time?: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return this.#yearFirst
      ? dateFormat(zone, { ...DIGITS, ...time }, 'sv-SE')
      : this.#named(zone, { ...DATE, ...time });
  }

  #range(zone: string, time: typeof TIME | undefined, start: number, end: number): string {
    const format = this.#days(zone, time);
    if (!this.#yearFirst) return format.formatRange(start, end);
    // Swedish ranges leave out the year of the end, which reads like a subtraction.
    const [from, to] = [format.format(start), format.format(end)];
    return from === to ? from : `${from} – ${to}`;
  }

  /** `20 Nov 2026`. */
  date(at: number, zone = this.zone): string {
    return this.#days(zone).format(at);
  }

  /** `20 Nov 2026, 14:02`. */
  moment(at: number, zone = this.zone): string {
    return this.#days(zone, TIME).format(at);
  }

  /** `14:02:10`. */
  time(at: number, zone = this.zone): string {
    return this.#named(zone, { ...TIME, second: '2-digit' }).format(at);
  }

  /** A range by its days, or to the minute if an end is not midnight in the zone. */
  span(span: Span, zone = this.zone): string {
    const clock = dateFormat(
      zone,
      { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
      'en-GB',
    );
    // The archive's start counts as the start of a day, whatever its hour in the zone.
    const midnight = (at: number): boolean => at === ARCHIVE_START || clock.format(at) === '00:00';
    const days = midnight(span.start) && midnight(span.end);
    return this.#range(zone, days ? undefined : TIME, span.start, days ? span.end - 1 : span.end);
  }

  /**
   * The name of a bucket: `Sun, 8 Mar 2026`, `2 – 8 Mar 2026`, `March 2026`, `Q1 2026`. Hours and
   * minutes carry the offset, which distinguishes the two equal hours of an autumn night.
   */
  bucket(start: number, end: number, resolution: Resolution, zone = this.zone): string {
    const year = this.#named(zone, { year: 'numeric' }).format(start);
    if (resolution === 'year') return year;
    if (resolution === 'quarter') {
      const month = Number(dateFormat(zone, { month: 'numeric' }, 'en').format(start));
      return `Q${Math.ceil(month / 3)} ${year}`;
    }
    if (resolution === 'month') {
      return this.#named(zone, { month: 'long', year: 'numeric' }).format(start);
    }
    if (resolution === 'week') return this.#range(zone, undefined, start, end - 1);
    const weekday = this.#named(zone, { weekday: 'short' }).format(start);
    if (resolution === 'day') return `${weekday}, ${this.date(start, zone)}`;
    return `${weekday}, ${this.moment(start, zone)} ${this.offset(zone, start)}`;
  }

  /** `Mon`, for an instant in UTC. */
  weekday(utc: number): string {
    return this.#named('UTC', { weekday: 'short' }).format(utc);
  }

  /** `May`, for a month from 1 to 12. */
  month(month: number): string {
    return this.#named('UTC', { month: 'short' }).format(Date.UTC(2000, month - 1));
  }

  /** How long ago: `just now`, `5 minutes ago`, `3 hours ago`, `2 days ago`. */
  ago(ms: number): string {
    if (ms < MINUTE_MS) return 'just now';
    const [unit, length] =
      ms < HOUR_MS
        ? (['minute', MINUTE_MS] as const)
        : ms < DAY_MS
          ? (['hour', HOUR_MS] as const)
          : (['day', DAY_MS] as const);
    // Part of an English sentence, whatever the locale of numbers and dates.
    return new Intl.RelativeTimeFormat('en').format(-Math.floor(ms / length), unit);
  }

  /** The short name or offset of a zone at an instant: `GMT+2`. */
  offset(zone: string, at: number): string {
    const parts = dateFormat(zone, { timeZoneName: offsetName(zone) }, 'en').formatToParts(at);
    return parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  }
}

/** `0:41`, `12:05`, `1:02:09`: remaining time, rounded up to the second. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** The city of a zone: `America/New_York` → `New York`. */
export function zoneCity(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** `1 page`, `36 pages`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
