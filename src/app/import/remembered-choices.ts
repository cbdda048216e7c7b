import type { TableChoice } from '#core/import/table.ts';

/** The part of `localStorage` that is used. */
export type ChoiceStorage = Pick<Storage, 'getItem' | 'setItem'>;

const KEY = 'groundswell.imports';
/** Headers that are remembered; the oldest are forgotten first. */
const MOST = 20;

/** Choices by header, oldest first. */
type Entries = readonly (readonly [header: string, choice: TableChoice])[];

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names);
}

function read(storage: ChoiceStorage | null): Entries {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as Entries) : [];
  } catch {
    return [];
  }
}

/** The reading of the last table with exactly these columns; null if none was read, or the browser stores nothing. */
export function rememberedChoice(
  storage: ChoiceStorage | null,
  names: readonly string[],
): TableChoice | null {
  const key = keyOf(names);
  return read(storage).find(([header]) => header === key)?.[1] ?? null;
}

/** Remembers how a table is read, by the exact names of its columns. */
export function rememberChoice(
  storage: ChoiceStorage | null,
  names: readonly string[],
  choice: TableChoice,
): void {
  const key = keyOf(names);
  const others = read(storage).filter(([header]) => header !== key);
  try {
    storage?.setItem(KEY, JSON.stringify([...others, [key, choice]].slice(-MOST)));
  } catch {
    // Without space the choice is asked again.
  }
}
