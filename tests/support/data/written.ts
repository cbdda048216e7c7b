import { Formatter } from '#app/format/formatter.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';

/** Locales of which every engine has the data; what they write the same is in `tests/vectors/written.txt`. */
const LOCALES = (
  'en en-US en-GB en-AU en-CA en-IE en-IN en-NZ en-ZA en-SE de de-AT de-CH fr fr-CA fr-CH es es-AR es-MX it it-CH ' +
  'pt-BR pt-PT nl nl-BE sv nb da fi pl cs sk hu ro bg ru uk el tr sr hr sl lt lv et ca he ar ar-EG fa ur hi bn mr ta ' +
  'te gu kn ml th vi id ms fil sw am af ja ko zh-CN zh-TW'
).split(' ');

const NUMBERS = [0, 0.5, 12.34, 99.95, 999.5, 1234, 12_345, 999_999, 3_274_638, -1_234_567, 2e12];
const PARTS = [0, 0.0004, 0.025, 0.58, 0.9999, 12.345, -0.031];
const MONEY = [0, 0.005, 2.44, 1234.5, -3.1];

const START = Date.UTC(2026, 6, 24, 9, 5);
/** Ends of ranges: within an hour, a day, a month, a year, and beyond it. */
const LENGTHS = [0, HOUR_MS, DAY_MS, 40 * DAY_MS, 400 * DAY_MS];
const ZONES = ['UTC', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham'];

function datesOf(format: Formatter): string[] {
  const day = (at: number): number => at - (at % DAY_MS);
  return [
    ...LENGTHS.map((ms) => format.span({ start: START, end: START + ms })),
    ...LENGTHS.map((ms) => format.span({ start: day(START), end: day(START) + ms + DAY_MS })),
    ...ZONES.map((zone) => format.bucket(START, START + HOUR_MS, 'hour', zone)),
    ...(['day', 'week', 'month', 'quarter', 'year'] as const).map((resolution) =>
      format.bucket(day(START), day(START) + 7 * DAY_MS, resolution),
    ),
    format.time(START),
    Array.from({ length: 12 }, (_, i) => format.month(i + 1)).join(' '),
  ];
}

/** The output of the formatter in each locale: a line for numbers, a line for dates. */
export function written(): string {
  return LOCALES.flatMap((locale) => {
    const format = new Formatter(locale);
    const numbers = [
      ...NUMBERS.flatMap((n) => [format.count(n), format.short(n), format.bytes(Math.abs(n))]),
      ...PARTS.flatMap((n) => [
        format.share(n),
        format.part(n),
        format.percent(n),
        format.change(n),
      ]),
      ...MONEY.map((n) => format.money(n)),
    ];
    return [`${locale}: ${numbers.join(' | ')}`, `${locale}: ${datesOf(format).join(' | ')}`];
  }).join('\n');
}
