import * as v from 'valibot';
import { UNSTORED } from '#core/text/unstored.ts';
import { expected, oneOf as picked, wholeFrom } from './advertising.ts';
import { parseInstant } from '#contract/instant.ts';
import { flag, splitList } from '#contract/parameters.ts';

/** Value of a field of an advertiser entity, as stored and as in answers. */
export type FieldValue = string | number | boolean | null | readonly string[];

/** Reads the text of a parameter by its name. */
export type ReadField = (name: string) => v.GenericSchema<string, FieldValue>;

/** Ids of advertiser entities (platform-facts, section 10). */
export const AD_ID = /^[0-9a-z_]{1,30}$/;

/** A text that a rule accepts. @param what - The texts that the rule accepts, for its message. */
function where(what: string, accepts: (text: string) => boolean) {
  return (name: string) => v.pipe(v.string(), v.check(accepts, expected(what, name)));
}

/** A text of 1 to `most` characters. */
export function textField(most: number): ReadField {
  return where(`1 to ${most} characters`, (text) => {
    const length = Array.from(text).length;
    return length >= 1 && length <= most && !UNSTORED.test(text);
  });
}

/** An id of an advertiser entity in a path. */
export function adIdInPath(name: string) {
  return v.pipe(v.string(), v.regex(AD_ID, expected('an id', name)));
}

export const idField: ReadField = where('an id', (text) => AD_ID.test(text));
/** The id of a Post or a user. */
export const decimalIdField: ReadField = where('a decimal id', (text) =>
  /^[0-9]{1,19}$/.test(text),
);
export const urlField: ReadField = where(
  'an https URL',
  (text) => text.length <= 2048 && URL.canParse(text) && new URL(text).protocol === 'https:',
);
export const zoneField: ReadField = where('a time zone', (text) => {
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: text }) !== null;
  } catch {
    return false;
  }
});
export const currencyField: ReadField = where('a currency of ISO 4217', (text) =>
  Intl.supportedValuesOf('currency').includes(text),
);

export function choiceField(choices: readonly string[]): ReadField {
  return (name) => picked(name, choices);
}

/** A whole number in a range. */
export function wholeField(least: number, most: number): ReadField {
  return (name) => wholeFrom(name, least, most);
}

/** An amount of money in millionths of a unit of the currency. */
export const microField: ReadField = wholeField(1, 10 ** 15 - 1);

export function flagField(name: string) {
  return flag(name, expected('a boolean', name));
}

/** Form of a media key. */
export const MEDIA_KEY = /^\d{1,2}_\d{1,19}$/;
export const mediaKeyField: ReadField = where('a media key', (text) => MEDIA_KEY.test(text));

/** A day without a time. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads an instant of the advertiser interface: like `parseInstant`, and a day alone, which begins at midnight UTC, and an
 * offset of hours alone (docs fundamentals/timezones).
 *
 * @returns Epoch ms; null for anything else.
 */
export function parseTime(text: string): number | null {
  if (DAY.test(text)) return parseInstant(`${text}T00:00:00Z`);
  return parseInstant(text.replace(/(T[\d:.]+[+ -]\d\d)$/, '$100'));
}

/** The day of a text that has no time; null for any other text. */
export function dayOnly(text: string): string | null {
  return DAY.test(text) ? text : null;
}

/** An instant, as text at a whole second: `2022-06-03T21:38:07Z`. */
export const timeField: ReadField = (name) =>
  v.pipe(
    v.string(),
    v.check((text) => parseTime(text) !== null, expected('time', name)),
    v.transform((text) => formatTime(parseTime(text) ?? 0)),
  );

/** Formats an instant of the advertiser interface (platform-facts, section 10). @param instant - Epoch ms. */
export function formatTime(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/** A list of 1 to `most` values, separated by commas, each once. */
export function listField(most: number, form: RegExp, what: string) {
  return (name: string) =>
    v.pipe(
      v.string(),
      v.transform((text) => [...new Set(splitList(text))]),
      v.check(
        (list) => list.length <= most,
        ({ input }) =>
          expected(`at most ${most} values`, name)({ input: `${input.length} values` }),
      ),
      v.rawCheck(({ dataset, addIssue }) => {
        const odd = dataset.typed ? dataset.value.find((value) => !form.test(value)) : undefined;
        if (odd !== undefined) addIssue({ message: expected(what, name)({ input: odd }) });
      }),
    );
}

/** A list of known names. */
export function namesField(choices: readonly string[], most = choices.length) {
  const form = new RegExp(`^(?:${choices.join('|')})$`);
  return listField(most, form, `one of ${choices.join(', ')}`);
}
