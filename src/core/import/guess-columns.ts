import type { ColumnRow } from '#core/readers/row.ts';
import { namesOf, plainName } from './fields.ts';
import { instantOf } from './id.ts';
import { readExportedId, readPostUrl } from './post-url.ts';
import { isStamp, readEitherStamp } from './stamp.ts';
import { readYesNo } from './yes-no.ts';
import { FIELDS, type Field } from './field-names.ts';

/** Values of a column that are not empty. */
export function valuesOf(rows: readonly ColumnRow[], at: number): string[] {
  return rows.flatMap(({ fields }) => fields[at] || []);
}

export function shareOf(values: readonly string[], test: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

/** True if the values of a column found by a name can be those of a field. */
function canBe(field: Field, name: string, values: readonly string[]): boolean {
  if (values.length === 0) return true;
  // `Retweet` and `Geteilt` head counts and answers of yes or no.
  if (field === 'reposts' && namesOf('is_retweet').includes(name))
    return (
      values.every((value) => /^\d/.test(value)) && values.some((value) => !/^[01]$/.test(value))
    );
  // `Data` heads other things than times too.
  if (field === 'created_at' && name === 'data') return shareOf(values, isStamp) > 0.5;
  if (field === 'url') return values.some((value) => readPostUrl(value) !== null);
  // Some tools list the accounts of a reply there.
  if (field === 'repost_of' || field === 'reply_to' || field === 'quote_of')
    return values.some((value) => typeof readExportedId(value) === 'bigint');
  if (field === 'time_of_day')
    return shareOf(values, (value) => /^\d{1,2}:\d{2}/.test(value)) > 0.5;
  if (field === 'is_retweet' || field === 'is_reply' || field === 'is_quote') {
    const share = shareOf(values, (value) => readYesNo(value) !== null);
    return name === plainName(field) ? share > 0.5 : share === 1;
  }
  return true;
}

/** True if the values of a column without a known name are those of a field. */
const LOOKS: Readonly<Partial<Record<Field, (values: readonly string[]) => boolean>>> = {
  id: (values) =>
    new Set(values).size === values.length &&
    shareOf(values, (value) => {
      const id = readExportedId(value);
      const isUrl = readPostUrl(value) !== null;
      return !isUrl && value.length >= 15 && typeof id === 'bigint' && instantOf(id) !== null;
    }) > 0.8,
  url: (values) => shareOf(values, (value) => readPostUrl(value) !== null) > 0.5,
  created_at: (values) => shareOf(values, isStamp) > 0.8,
  author: (values) => shareOf(values, (value) => /^@\w{1,15}$/.test(value)) > 0.8,
  text: (values) =>
    values.reduce((sum, value) => sum + value.length, 0) > 20 * values.length &&
    shareOf(values, (value) => /\S\s+\S/.test(value) && !/^https?:\S+$/.test(value)) > 0.6,
};

/** The column whose values are longest on average. */
function longest(rows: readonly ColumnRow[], columns: readonly number[]): number {
  const length = (at: number): number => {
    const values = valuesOf(rows, at);
    return values.reduce((sum, value) => sum + value.length, 0) / Math.max(1, values.length);
  };
  return [...columns].sort((a, b) => length(b) - length(a))[0] ?? -1;
}

/** Guesses the columns of fields by their names, then by their values. */
export function guessColumns(
  names: readonly string[],
  rows: readonly ColumnRow[],
  at: Record<Field, number>,
): void {
  const plain = names.map(plainName);
  const free = (n: number): boolean => !Object.values(at).includes(n);
  for (const field of FIELDS) {
    if (at[field] !== -1) continue;
    const found = namesOf(field).flatMap((name) => {
      const n = plain.findIndex((each, i) => each === name && free(i));
      return n === -1 || !canBe(field, name, valuesOf(rows, n)) ? [] : [n];
    });
    // Exports have columns of other networks that are empty for Posts: `Likes` next to `X Likes`.
    const filled = found.find((n) => valuesOf(rows, n).length > 0);
    // Without a value, a column of engagements does not say that every Post is an original.
    const empty = field === 'engagement_type' ? -1 : (found[0] ?? -1);
    at[field] = filled ?? empty;
  }
  for (const [field, looks] of Object.entries(LOOKS) as [
    Field,
    NonNullable<(typeof LOOKS)[Field]>,
  ][]) {
    if (at[field] !== -1 || rows.length === 0) continue;
    const found = names.flatMap((_, n) => {
      const values = valuesOf(rows, n);
      return free(n) && values.length > 0 && looks(values) ? n : [];
    });
    at[field] = field === 'text' ? longest(rows, found) : (found[0] ?? -1);
  }
  // Posts of other networks have addresses too.
  if (at.url === -1) {
    const isNamed = (n: number): boolean => free(n) && namesOf('url').includes(plain[n] ?? '');
    at.url = names.findIndex((_, n) => {
      const values = valuesOf(rows, n);
      return isNamed(n) && values.length > 0 && values.every((value) => /^https?:/i.test(value));
    });
  }
  // A time of day says nothing without its day, and the day may have one itself.
  const days = valuesOf(rows, at.created_at);
  const isDays = shareOf(days, (day) => readEitherStamp(day)?.isDay ?? false);
  if (at.created_at === -1 || (days.length > 0 && isDays < 0.5)) at.time_of_day = -1;
}
