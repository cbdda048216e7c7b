import {
  clockText,
  dateOrder,
  dateText,
  localTime,
  momentText,
  monthOfYear,
  monthText,
  offsetText,
  rangeText,
  twoDigits,
  weekdayText,
  type LeadingDatePart,
} from '#core/format/date-text.ts';
import { dollarText, formatNumber, scaled } from '#core/format/number-text.ts';
import { plural, nounFor } from '#core/format/plural.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';

const BYTES = ['byte', 'kB', 'MB', 'GB'];
const POWERS = ['', '\u202fk', '\u202fM', '\u202fB', '\u202fT'];
const THREE: Intl.NumberFormatOptions = { maximumSignificantDigits: 3 };
const WHOLE: Intl.NumberFormatOptions = { maximumFractionDigits: 0 };
const TENTHS: Intl.NumberFormatOptions = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const SHARE: Intl.NumberFormatOptions = { style: 'percent', maximumFractionDigits: 1 };
const PERCENT: Intl.NumberFormatOptions = { style: 'percent', ...TENTHS };
const CHANGE: Intl.NumberFormatOptions = { ...PERCENT, signDisplay: 'exceptZero' };
/** From this part on, a percentage has no decimals: 1,000 %. */
export const WHOLE_PERCENT = 10;
const MONEY: Intl.NumberFormatOptions = {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  maximumFractionDigits: 3,
};

/**
 * Numbers, dates and amounts as text, in a locale and a time zone. They are parts of English sentences: months and
 * weekdays have English names, in the order of the locale; where that begins with the year, dates are numbers.
 */
export class Formatter {
  readonly #locale: string | undefined;
  /** Default zone of dates and times. */
  readonly zone: string;
  /** The part with which dates begin. */
  readonly order: LeadingDatePart;
  /** The locale of months and weekdays, BCP 47. */
  readonly dates: string;

  /**
   * @param locale - BCP 47; by default the browser's.
   * @param zone - IANA name.
   */
  constructor(locale?: string, zone = 'UTC') {
    this.#locale = locale;
    this.zone = zone;
    const { order, english } = dateOrder(locale);
    this.order = order;
    this.dates = english ?? (order === 'day' ? 'en-GB' : 'en-US');
  }

  #number(value: number, options: Intl.NumberFormatOptions): string {
    return formatNumber(value, this.#locale, options);
  }

  /** The same locale in another zone. */
  in(zone: string): Formatter {
    return zone === this.zone ? this : new Formatter(this.#locale, zone);
  }

  /** `3,274,638`; with decimals only for a computed value that is not whole. */
  count(value: number): string {
    return Number.isInteger(value) ? this.#number(value, WHOLE) : this.mean(value);
  }

  /** `1 Post`, `1,204 Posts`. */
  counted(value: number, one: string, many?: string): string {
    return `${this.count(value)} ${nounFor(value, one, many)}`;
  }

  /** `3.27 k`, for axes. */
  short(value: number): string {
    const short = scaled(value, POWERS.length - 1);
    return `${this.#number(short.value, THREE)}${POWERS[short.power]}`;
  }

  /** A mean: whole from 100 on, three digits below. */
  mean(value: number): string {
    return Math.abs(value) >= 100 ? this.#number(value, WHOLE) : this.#number(value, THREE);
  }

  /** `58 %`: never 100 % for less than all, never 0 % for more than nothing. */
  share(value: number): string {
    if (value > 0 && value < 0.001) return `< ${this.#number(0.001, SHARE)}`;
    if (value < 1 && value > 0.999) return this.#number(0.999, SHARE);
    return this.#percent(value, SHARE);
  }

  #percent(value: number, options: Intl.NumberFormatOptions): string {
    const whole = Math.abs(value) >= WHOLE_PERCENT ? { ...WHOLE, minimumFractionDigits: 0 } : {};
    return this.#number(value, { ...options, ...whole });
  }

  /** `0.025 %`: a part to three digits, however small. */
  part(value: number): string {
    return this.#number(value, { style: 'percent', ...THREE });
  }

  /** With a fixed number of decimals: `0.50`. */
  fixed(value: number, decimals: number): string {
    return this.#number(value, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
  }

  /** A change with its sign: `+28.0 %`, `−3.1 %`, `+1,204 %`; `new` if there was nothing before. */
  change(value: number): string {
    return Number.isFinite(value) ? this.#percent(value, CHANGE) : 'new';
  }

  /** A share among others, with its tenths: `56.1 %`. */
  percent(value: number): string {
    return this.#percent(value, PERCENT);
  }

  /** Half of a band in percentage points: `0.2`. */
  points(value: number): string {
    const points = value * 100;
    return points < 0.05 ? `< ${this.#number(0.1, TENTHS)}` : this.#number(points, TENTHS);
  }

  /** US dollars: `$2.44`, `$0.005`. */
  money(value: number): string {
    return this.#number(value, MONEY);
  }

  /** An amount of a currency, by its code of ISO 4217: `€12.50`. */
  price(value: number, currency: string): string {
    return this.#number(value, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  }

  /** An amount of two significant digits, of a currency if there is one: `€1.50`, `€1,200`, `€0.044`. */
  estimate(value: number, currency: string | null): string {
    const rounded = Number(value.toPrecision(2));
    const decimals = Number.isInteger(rounded)
      ? 0
      : Math.max(2, 1 - Math.floor(Math.log10(rounded)));
    return this.#number(rounded, {
      ...(currency && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
  }

  /** US dollars with all their decimals: `$0.000001`. @param micro - Whole micro-dollars. */
  exactMoney(micro: number): string {
    return dollarText(micro, this.#locale);
  }

  /** `1.6 MB`, `512 bytes`: in powers of 1,000, as disks and browsers count. */
  bytes(value: number): string {
    const size = scaled(value, BYTES.length - 1);
    const unit = `${BYTES[size.power]}${size.power === 0 && value !== 1 ? 's' : ''}`;
    return `${this.#number(size.value, THREE)} ${unit}`;
  }

  /** `20 Nov 2026`. @param at - Epoch ms, or ISO text. */
  date(at: number | string, zone = this.zone): string {
    return dateText(localTime(new Date(at).getTime(), zone), this.order);
  }

  /** `20 Nov 2026, 14:02`. @param at - Epoch ms, or ISO text. */
  moment(at: number | string, zone = this.zone): string {
    return momentText(localTime(new Date(at).getTime(), zone), this.order);
  }

  /** `14:02:10`. */
  time(at: number, zone = this.zone): string {
    const local = localTime(at, zone);
    return `${clockText(local)}:${twoDigits(new Date(local).getUTCSeconds())}`;
  }

  /** A range by its days, or to the minute if an end is not midnight in the zone. */
  span(span: Span, zone = this.zone): string {
    // The archive's start counts as the start of a day, whatever its hour in the zone.
    const midnight = (at: number): boolean =>
      at === ARCHIVE_START || clockText(localTime(at, zone)) === '00:00';
    const days = midnight(span.start) && midnight(span.end);
    return this.#range(span.start, days ? span.end - 1 : span.end, zone, !days);
  }

  #range(start: number, end: number, zone: string, minutes: boolean): string {
    return rangeText(localTime(start, zone), localTime(end, zone), this.order, minutes);
  }

  /**
   * The name of a bucket: `Sun, 8 Mar 2026`, `2–8 Mar 2026`, `March 2026`, `Q1 2026`. Hours and
   * minutes carry the offset, which distinguishes the two equal hours of an autumn night.
   */
  bucket(start: number, end: number, resolution: Resolution, zone = this.zone): string {
    const local = localTime(start, zone);
    const year = new Date(local).getUTCFullYear();
    if (resolution === 'year') return String(year);
    if (resolution === 'quarter') {
      return `Q${Math.floor(new Date(local).getUTCMonth() / 3) + 1} ${year}`;
    }
    if (resolution === 'month') return monthOfYear(local);
    if (resolution === 'week') return this.#range(start, end - 1, zone, false);
    const weekday = weekdayText(local);
    if (resolution === 'day') return `${weekday}, ${this.date(start, zone)}`;
    return `${weekday}, ${this.moment(start, zone)} ${this.offset(zone, start)}`;
  }

  /** `Mon`, for an instant in UTC. */
  weekday(utc: number): string {
    return weekdayText(utc);
  }

  /** `May`, for a month from 1 to 12. */
  month(month: number): string {
    return monthText(month - 1, this.order);
  }

  /** The time since then: `just now`, `5 minutes ago`, `3 hours ago`, `2 days ago`. */
  ago(ms: number): string {
    if (ms < MINUTE_MS) return 'just now';
    const [unit, length] =
      ms < HOUR_MS
        ? (['minute', MINUTE_MS] as const)
        : ms < DAY_MS
          ? (['hour', HOUR_MS] as const)
          : (['day', DAY_MS] as const);
    return `${plural(Math.floor(ms / length), unit)} ago`;
  }

  /** The short name or offset of a zone at an instant: `GMT+2`. */
  offset(zone: string, at: number): string {
    return offsetText(at, zone);
  }
}

/** `0:41`, `12:05`, `1:02:09`: remaining time, rounded up to the second. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${twoDigits(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}

/** The city of a zone: `America/New_York` → `New York`. */
export function zoneCity(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}
