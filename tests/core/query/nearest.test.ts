import { describe, expect, it } from 'vitest';
import { nearest } from '#core/query/nearest.ts';

const LIST = ['media', 'images', 'links', 'geo', 'mentions'];

describe('the most similar word', () => {
  it.each([
    ['medja', 'media'],
    ['meida', 'media'],
    ['imgs', 'images'],
    ['image', 'images'],
    ['geoo', 'geo'],
    ['gxy', undefined],
    ['mentionned', undefined],
    ['media', 'media'],
    ['', undefined],
  ])('for %s is %s', (word, meant) => {
    expect(nearest(word, LIST)).toBe(meant);
  });
});
