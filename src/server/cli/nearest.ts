import { editDistance } from '#core/text/edit-distance.ts';

/** Edits that a misspelling has at most. */
const MAX_EDITS = 3;

/** The name that was probably meant, or null where none is near. */
export function nearest(text: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.min(MAX_EDITS, Math.ceil(text.length / 2)) + 1;
  for (const name of names) {
    const distance = text.length > 1 && name.startsWith(text) ? 1 : editDistance(text, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}
