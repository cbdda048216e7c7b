import type { Db } from '#server/db/driver.ts';

/** Most texts that are remembered in each direction: some tens of megabytes. */
const MOST = 100_000;

/** Numbers of texts, which columns of facets store. A text keeps its number. */
export type FacetTexts = ReturnType<typeof facetTexts>;

function remember<K, V>(map: Map<K, V>, key: K, value: V): V {
  if (map.size >= MOST) map.clear();
  map.set(key, value);
  return value;
}

export function facetTexts(db: Db) {
  const find = db.prepare('SELECT number FROM facet_text WHERE text = ?');
  const insert = db.prepare('INSERT INTO facet_text (text) VALUES (?) RETURNING number');
  const read = db.prepare('SELECT text FROM facet_text WHERE number = ?');
  const numbers = new Map<string, number>();
  const texts = new Map<number, string>();
  return {
    /** The number of a text, from 1 on; within a write. */
    numberOf: (text: string): number => {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      const row = find.get([text]) ?? insert.get([text]);
      return remember(numbers, text, Number(row?.[0]));
    },
    /** The text of a number that is stored; not within a write. */
    textOf: (number: number): string =>
      texts.get(number) ?? remember(texts, number, String(read.get([number])?.[0])),
    /** Forgets numbers that a write gave and did not commit. */
    forget: (): void => numbers.clear(),
  };
}
