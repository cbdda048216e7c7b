import { readPart } from '#core/query/clause.ts';
import { difference, overlap } from '#core/query/compose.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Board } from './board.svelte.ts';

/** An item as a series: by itself, or the Posts of another series with it or without it. */
export type ItemUse = 'alone' | 'with' | 'without';

/** Part of a query, and its name. */
export interface Item {
  readonly name: string;
  readonly clause: string;
}

const LABELS: Readonly<Record<ItemUse, (series: string, name: string) => string>> = {
  alone: (_, name) => name,
  with: (series, name) => `${series}: ${name}`,
  without: (series, name) => `${series} without ${name}`,
};

/** Longer names fill the message. */
const MOST_SHOWN = 60;

/** Adds an item to the board as a series, or shows the series of that query. Reports either. */
export function addItem(
  { series }: Pick<Board, 'series'>,
  toasts: Pick<Toasts, 'show' | 'say'>,
  how: ItemUse,
  { name, clause }: Item,
  of: { readonly name: string; readonly query: string; readonly limit: number },
): void {
  const part = readPart(clause);
  if (!part) throw new RangeError(`expected a part of a query, got ${clause}`);
  const { limit } = of;
  const composed =
    how === 'alone'
      ? { ok: true as const, text: clause }
      : (how === 'with' ? overlap : difference)(of.query, part.ast, { limit });
  if (!composed.ok) return void toasts.show(composed.reason);
  const query = composed.text;
  const find = () => series.all.find((each) => each.kind === 'query' && each.text.trim() === query);
  const there = find();
  const label = LABELS[how](of.name, name);
  const shown = label.length > MOST_SHOWN ? `${label.slice(0, MOST_SHOWN)}…` : label;
  if (there) {
    there.hidden = false;
    toasts.show(`“${shown}” is on the board.`);
    return;
  }
  series.addQueries([{ query, label }]);
  const undo = (): void => {
    const added = find();
    if (added) series.remove(added);
  };
  toasts.say(`Added “${shown}”.`, undo);
}
