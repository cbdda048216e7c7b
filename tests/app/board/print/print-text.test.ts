import { describe, expect, it } from 'vitest';
import { printTitle, sourceWords } from '#app/board/print/print-text.ts';

describe('the title of a printed page', () => {
  it.each([
    [[], 'Groundswell'],
    [['Tea'], 'Tea'],
    [['Tea', 'Coffee', 'Mate'], 'Tea, Coffee and Mate'],
    [['A', 'B', 'C', 'D'], 'A, B, C and D'],
    [['A', 'B', 'C', 'D', 'E'], 'A, B, C and 2 more'],
  ])('of %o is %s', (names, title) => {
    expect(printTitle(names)).toBe(title);
  });
});

describe('the source of a printed page', () => {
  it.each([
    ['sample', { store: 'x' }, 'Sample: made-up Posts, none of them real'],
    ['posts', { store: 'x' }, 'Your posts, as imported'],
    ['platform', { store: 'api.x.com' }, 'Platform, api.x.com'],
    ['platform', null, 'Platform'],
  ] as const)('is named in full: %s', (id, source, text) => {
    expect(sourceWords(id, source)).toBe(text);
  });
});
