/** A misspelling has at most this many edits. */
const MAX_EDITS = 3;

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The name that was probably meant, or null if none is close. */
export function nearest(text: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.min(MAX_EDITS, Math.ceil(text.length / 2)) + 1;
  for (const name of names) {
    const distance = text.length > 1 && name.startsWith(text) ? 1 : edits(text, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}
