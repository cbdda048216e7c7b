/** JSON of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

export function object(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : null;
}

/** The objects of a list; other elements are ignored. */
export function objects(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.map(object).filter((item) => item !== null);
}

/** A text that is not empty, or undefined. */
export function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts under a key in a list of objects. */
export function strings(list: unknown, key: string): string[] {
  return objects(list).flatMap((item) => string(item[key]) ?? []);
}

/** An id or a number written as text or as number. */
export function digits(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return string(value);
}
