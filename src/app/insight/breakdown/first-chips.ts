import type { Breakdown } from '#app/api/breakdown-api.ts';
import { languageName } from '#app/editor/language-names.ts';
import { account } from '#core/query/values.ts';

/** An item that becomes a series; `alone` as in `contract/counts/breakdown.ts`. */
export interface FirstChip {
  readonly name: string;
  readonly clause: string;
  readonly alone: boolean;
}

/** Chips of a list: more are no first look. */
const MOST = 6;

/**
 * The first things to look at in a source.
 *
 * @param lately - Of its newest time, compared with the time before; null while it is counted.
 */
export function firstChips(
  whole: Breakdown,
  lately: Breakdown | null,
): { readonly heading: string; readonly chips: readonly FirstChip[] }[] {
  const chips = (
    items: readonly FirstChip[],
    nameOf: (name: string) => string = (name) => name,
  ): FirstChip[] =>
    items.slice(0, MOST).map(({ name, clause, alone }) => ({ name: nameOf(name), clause, alone }));
  const named = whole.languages.filter(({ name }) => languageName(name) !== undefined);
  const languages = named.length > 1 ? named : [];
  return [
    { heading: 'Top hashtags', chips: chips(whole.hashtags) },
    { heading: 'Words of the newest Posts', chips: chips(lately?.words ?? []) },
    { heading: 'Top accounts', chips: chips(whole.authors.items, account) },
    {
      heading: 'Languages',
      chips: chips(languages, (code) => languageName(code) ?? code),
    },
  ].filter((group) => group.chips.length > 0);
}
