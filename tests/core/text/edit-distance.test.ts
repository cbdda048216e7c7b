import { describe, expect, it } from 'vitest';
import { editDistance } from '#core/text/edit-distance.ts';

describe('the edit distance', () => {
  it.each([
    ['', '', 0],
    ['', 'tea', 3],
    ['tea', '', 3],
    ['media', 'media', 0],
    ['medja', 'media', 1],
    ['meida', 'media', 1],
    ['image', 'images', 1],
    ['images', 'image', 1],
    ['kitten', 'sitting', 3],
    // A swapped pair is not edited again: unrestricted, this distance would be 2.
    ['ca', 'abc', 3],
  ])('from %j to %j is %i', (from, to, edits) => {
    expect(editDistance(from, to)).toBe(edits);
  });
});
