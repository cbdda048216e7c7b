import type { SourceId, SourceInfo } from '#contract/source.ts';

/** Names of a title before the others are counted. */
const NAMED = 4;

/** `Oat milk, Matcha and Cold brew`; beyond four names, the others are counted. */
export function printTitle(names: readonly string[]): string {
  if (names.length === 0) return 'Groundswell';
  const shown = names.length > NAMED ? names.slice(0, NAMED - 1) : names;
  const others = names.length - shown.length;
  const all = others > 0 ? [...shown, `${others} more`] : shown;
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(all);
}

/** Where counts on paper come from: nobody there can ask. */
export function sourceWords(id: SourceId, source: Pick<SourceInfo, 'store'> | null): string {
  if (id === 'sample') return 'Sample: made-up posts, nothing in them is real';
  if (id === 'posts') return 'Your posts, as imported';
  return source ? `Platform, ${source.store}` : 'Platform';
}
