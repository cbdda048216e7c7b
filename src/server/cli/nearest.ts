import { editDistance } from '#core/text/edit-distance.ts';

/** A misspelling has at most this many edits. */
const MAX_EDITS = 3;

/** Returns the name that was probably meant, or null if none is close. */
export function intendedName(text: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.min(MAX_EDITS, Math.ceil(text.length / 2)) + 1;
  for (const name of names) {
    const distance = text.length > 1 && name.startsWith(text) ? 1 : editDistance(text, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}
