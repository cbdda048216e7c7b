import * as v from 'valibot';
import type { EntryValues, Read, Wrong } from '#app/settings/entry-form.svelte.ts';
import { FeedTerms } from '#contract/catalog/feeds.ts';
import { FEED_FORMATS } from '#contract/catalog/catalog-feed.ts';
import type { FeedInfo } from '#contract/catalog/feed-answers.ts';

/** The fields of the form for a new catalog. */
export type CatalogField = 'name' | 'username';

/** A catalog to create. */
export interface CatalogOrder {
  readonly name: string;
  readonly username: string;
}

/** Reads the form for a new catalog. */
export function readCatalog(values: EntryValues<CatalogField>): Read<CatalogField, CatalogOrder> {
  const name = String(values.name).trim();
  if (name === '' || Array.from(name).length > 255) {
    return { order: null, wrong: { name: 'Enter a name of 1 to 255 characters.' } };
  }
  return { order: { name, username: String(values.username) }, wrong: {} };
}

/** The fields of the form for a feed. `hours` and `weekday` are what repeats, by frequency. */
export type FeedField =
  | 'feed_url'
  | 'feed_format'
  | 'frequency'
  | 'hours'
  | 'weekday'
  | 'start_time'
  | 'time_zone';

/** The values of the form for a feed; a new one is read every day. @param zone - IANA name, for a new feed. */
export function feedValues(feed: FeedInfo | null, zone: string): EntryValues<FeedField> {
  const { frequency = 'DAILY', repeat = null } = feed ?? {};
  return {
    feed_url: feed?.url ?? '',
    feed_format: feed?.format ?? 'CSV',
    frequency,
    hours: (frequency === 'HOURLY' && repeat) || '1',
    weekday: (frequency === 'WEEKLY' && repeat) || 'MONDAY',
    start_time: feed?.start_time ?? '06:00',
    time_zone: feed?.time_zone ?? zone,
  };
}

const MISTAKES: Readonly<Partial<Record<FeedField, string>>> = {
  feed_url: 'Enter an http or https address without a password.',
  start_time: 'Enter a time such as 06:00.',
  time_zone: 'Enter a zone such as Europe/Berlin.',
};

export type FileFormat = FeedTerms['feed_format'];

/** The format that the name of a file ends with; CSV for any other name. */
export function formatByName(name: string): FileFormat {
  const plain = name.toUpperCase().replace(/\.GZ$/, '');
  return FEED_FORMATS.find((format) => plain.endsWith(`.${format}`)) ?? 'CSV';
}

/** Reads the form for a feed. */
export function readFeed(values: EntryValues<FeedField>): Read<FeedField, FeedTerms> {
  const { hours, weekday, ...rest } = values;
  const texts = Object.entries(rest).map(([field, value]) => [field, String(value).trim()]);
  const repeat =
    rest.frequency === 'HOURLY'
      ? { repeat: hours }
      : rest.frequency === 'WEEKLY'
        ? { repeat: weekday }
        : {};
  const read = v.safeParse(FeedTerms, { ...Object.fromEntries(texts), ...repeat });
  if (read.success) return { order: read.output, wrong: {} };
  const wrong = read.issues.flatMap((issue) => {
    const field = v.getDotPath(issue) as FeedField;
    return [[field, MISTAKES[field] ?? issue.message]];
  });
  return { order: null, wrong: Object.fromEntries(wrong) as Wrong<FeedField> };
}
