import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { USERNAME } from '#contract/accounts/accounts.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { onlyParameters } from '#contract/parameters.ts';
import { DATE_ORDERS } from '#core/import/stamp.ts';
import { FEED } from '#contract/catalog/catalog-feed.ts';

/** The content of an advertiser console's export, before it is imported. */
const ConsoleSurvey = v.object({
  rows: Whole,
  /** The columns that are read, with the field that each becomes. */
  columns: v.array(v.object({ field: v.string(), column: v.string() })),
  /** Names of the columns that are not read. */
  ignored: v.array(v.string()),
  /** A date whose day can be either number, if no date shows the order, or null for dates in both; null if the order is known. */
  undecided: v.nullable(v.object({ example: v.nullable(v.string()) })),
});
export type ConsoleSurvey = v.InferOutput<typeof ConsoleSurvey>;

/** Most refused rows that an answer lists. */
export const MOST_REFUSED = 100;

/** The result of an import by its rows, and by its campaigns: every row is created, updated, unchanged or refused. */
const ConsoleResult = v.object({
  read: Whole,
  created: Whole,
  updated: Whole,
  unchanged: Whole,
  refused: Whole,
  /** The first {@link MOST_REFUSED} refused rows. */
  reasons: v.array(v.object({ line: Whole, reason: v.string() })),
  /** Words for statuses that are not known, which were not read. */
  statuses: v.array(v.string()),
  /** Id of the ad account; null if every row was refused and there was none. */
  account: v.nullable(v.string()),
  /** The campaigns of the rows that were not refused: how many are new, or have new figures or changes, and the ids of the first 100. */
  campaigns: v.object({
    total: Whole,
    created: Whole,
    updated: Whole,
    unchanged: Whole,
    ids: v.array(v.string()),
  }),
});
export type ConsoleResult = v.InferOutput<typeof ConsoleResult>;

/** One line of the answer to an import. The last is `imported` or `fault`. */
export const ConsoleEvent = v.variant('type', [
  v.object({ type: v.literal('reading'), rows: Whole }),
  v.object({ type: v.literal('imported'), ...ConsoleResult.entries }),
  v.object({ type: v.literal('fault'), message: v.string() }),
]);
export type ConsoleEvent = v.InferOutput<typeof ConsoleEvent>;

/** The name of the file, for messages. */
const name = v.optional(v.string(), '');
const NAMED = { name };
const ORDER = {
  name,
  /** Username of the advertiser. */
  user: v.pipe(v.string(), v.regex(USERNAME, 'The query parameter `user` is not a username')),
  /** Id of the ad account; one that imports create by default. */
  account: v.optional(v.string()),
  /** Time zone of an ad account that is created. */
  time_zone: v.optional(FEED.time_zone),
  /** The order of dates; found in the file by default. */
  dates: v.optional(v.picklist(DATE_ORDERS, 'The query parameter `dates` is not one of [DMY,MDY]')),
};

/** Imports of advertiser consoles' exports, for the page of developers. The body is the file, with a `content-length`. */
export const CONSOLE = {
  survey: sessionEndpoint('POST', '/advertisers/survey', {
    query: onlyParameters(NAMED),
    answer: ConsoleSurvey,
  }),
  /** The answer is one {@link ConsoleEvent} per line. It ends after a batch of rows if the browser disconnects. */
  import: sessionEndpoint('POST', '/advertisers/import', {
    query: onlyParameters(ORDER),
  }),
};
