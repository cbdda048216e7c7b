import type { Formatter } from '#app/format/formatter.ts';
import type { CollectionInfo } from '#contract/posts/collections.ts';
import { plural } from '#core/format/plural.ts';
import type { EventRows } from '#core/import/event-rows.ts';
import type { Preview } from '#core/import/preview.ts';
import type { TablePlan } from '#core/import/table.ts';
import type { ImportSheet } from './import-sheet.svelte.ts';
import type { Say } from './sheet-text.ts';

/** The outcome of the rows: `12 events, 1 row refused. Refused rows are left out.` */
export function eventResultWords({ events, refused }: EventRows, words: Say): string {
  const rows = events.length + refused.length;
  if (rows === 0) return 'The file has no rows with an event.';
  const some = words.counted(events.length, 'event');
  if (refused.length === 0) return `${some}, none refused.`;
  return `${some}. ${words.counted(refused.length, 'row')} refused, which would be left out:`;
}

/** The outcome of the first rows: `First 500 rows: 488 Posts, 12 refused.` */
export function resultWords({ posts, refused }: Preview, words: Say): string {
  const rows = posts.length + refused.length;
  if (rows === 0) return 'The beginning of the file has no complete row.';
  const first = `First ${words.counted(rows, 'row')}`;
  const some = plural(posts.length, 'Post').replace(
    String(posts.length),
    words.count(posts.length),
  );
  return refused.length === 0
    ? `${first}: ${some}, none refused.`
    : `${first}: ${some}, ${words.count(refused.length)} refused.`;
}

/**
 * The reason nothing can be imported although nothing is missing; empty where some Post is read.
 *
 * @param isEmpty - True if the file has a header and no row.
 */
export function noneWords({ posts, refused }: Preview, isEmpty: boolean): string {
  if (isEmpty) return 'The file has a header but no rows, so there is nothing to import.';
  return posts.length === 0 && refused.length > 0 ? 'No row shown here can be imported.' : '';
}

/** The reasons rows are refused: each once, the most frequent first, with the first line that has it. */
export function refusalReasons(
  { refused }: Pick<Preview, 'refused'>,
  words: Say,
): readonly { readonly reason: string; readonly where: string }[] {
  const found = new Map<string, { reason: string; line: number; times: number }>();
  for (const { line, reason } of refused) {
    // Reasons that quote different values are one.
    const key = reason.replaceAll(/"[^"]*"/g, '""');
    const known = found.get(key);
    if (known) known.times += 1;
    else found.set(key, { reason, line, times: 1 });
  }
  return [...found.values()]
    .sort((a, b) => b.times - a.times)
    .map(({ reason, line, times }) => {
      const at = `line ${words.count(line)}`;
      return { reason, where: times === 1 ? at : `${at} and ${words.count(times - 1)} more` };
    });
}

/** The notes for the user on how rows are read. */
export function noteWords(plan: TablePlan | null, { posts }: Preview): string[] {
  const notes: string[] = [];
  if (posts.some(({ id }) => id === null)) {
    notes.push(
      'Rows without an id get one made from their time, author and text, so importing the file again adds nothing twice.',
    );
  }
  if (plan?.times.isDays) {
    notes.push(
      'The file gives days without a time of day. Posts whose id contains a time get that time; the others count at 00:00.',
    );
  }
  if (plan && plan.at.is_retweet === -1 && plan.at.repost_of === -1) {
    notes.push(
      'No column says which Posts are reposts. Those that begin with “RT @name:” count as reposts; for the rest it stays unknown.',
    );
  }
  return notes;
}

/** The time that a file covers: the days that the user gives, in the file's zone, else from Post to Post; or why it cannot. */
export function coversWords(
  {
    covers,
    coversFault: fault,
    ends,
    zone,
  }: Pick<ImportSheet, 'covers' | 'coversFault' | 'ends' | 'zone'>,
  words: Pick<Formatter, 'date' | 'moment'>,
): string {
  if (fault) return `${words.date(Date.parse(fault.day), 'UTC')}: ${fault.rule}`;
  if (covers) {
    const [from, to] = [covers.start, covers.end - 1].map((at) => words.date(at, zone));
    return `A day without a Post from ${from} to ${to} counts as zero. Outside that, there is no data.`;
  }
  const [first, last] = ends
    ? [ends.first, ends.last].map((at) => `, ${words.moment(at)},`)
    : ['', ''];
  return `From its first Post${first} to its last${last} unless you say otherwise. Outside that, there is no data, never zero.`;
}

/** `Adds to the collection “a.csv”, which has 40 Posts.` */
export function continuedWords({ name, posts }: CollectionInfo, words: Say): string {
  return `Adds to the collection “${name}”, which has ${words.counted(posts, 'Post')}.`;
}
