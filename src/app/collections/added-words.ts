import type { Formatter } from '#app/format/formatter.ts';
import type { Added } from './collection-watch.svelte.ts';

/** Series that are named; the notice keeps to a line or two. */
const NAMED = 4;

/** `: adds 120 Posts to this range (Tea +60, Coffee +0).`, what a collection adds to a board. */
export function addedWords(
  { posts, series }: Added,
  isNew: boolean,
  words: Pick<Formatter, 'count' | 'counted'>,
): string {
  if (posts === 0) return ': adds no Posts to this range.';
  const some = series.slice(0, NAMED).map((each) => `${each.name} +${words.count(each.posts)}`);
  if (series.length > NAMED) some.push(`${series.length - NAMED} more series`);
  const parts = some.length === 0 ? '' : ` (${some.join(', ')})`;
  const all = words.counted(posts, 'Post');
  return isNew
    ? `: adds ${all} to this range${parts}.`
    : `: ${all} in this range ${posts === 1 ? 'is' : 'are'} in no other collection${parts}.`;
}
