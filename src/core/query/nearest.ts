import { editDistance } from '#core/text/edit-distance.ts';

/** Letters that may be wrong, by the length of the intended word. */
const maxSteps = (word: string): number => (word.length <= 4 ? 1 : 2);

/** The most similar word of a list; undefined if none is similar. */
export function nearest(word: string, list: Iterable<string>): string | undefined {
  let [best, min]: [string | undefined, number] = [undefined, Infinity];
  for (const candidate of list) {
    const far = editDistance(word, candidate);
    if (far <= maxSteps(candidate) && far < min) [best, min] = [candidate, far];
  }
  return best;
}
