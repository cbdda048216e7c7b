import type { SourceId, SourceInfo } from '#contract/counts/source.ts';

/** The most names in a title. */
const NAMED = 4;

/** `Oat milk, Matcha and Cold brew`; beyond four names, the rest become a number. */
export function printTitle(names: readonly string[]): string {
  if (names.length === 0) return 'Groundswell';
  const shown = names.length > NAMED ? names.slice(0, NAMED - 1) : names;
  const others = names.length - shown.length;
  const all = others > 0 ? [...shown, `${others} more`] : shown;
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(all);
}

/** The source of printed counts. */
export function sourceWords(id: SourceId, source: Pick<SourceInfo, 'store'> | null): string {
  if (id === 'sample') return 'Sample: made-up Posts, none of them real';
  if (id === 'posts') return 'Your posts, as imported';
  return source ? `Platform, ${source.store}` : 'Platform';
}
