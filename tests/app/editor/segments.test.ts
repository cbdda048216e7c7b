import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beyond, colours, drawnAt, segments } from '#app/editor/segments.ts';
import { parse } from '#core/query/parse.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

const shown = (text: string): string[] =>
  segments(text, parse(text)).map(({ kind, text: piece }) => `${kind}:${piece}`);

describe('a displayed query', () => {
  it('colours operators, negations and OR', () => {
    expect(shown('"oat milk" OR #oatmilk -recipe lang:en')).toEqual([
      'text:"oat milk"',
      'text: ',
      'joint:OR',
      'text: ',
      'operator:#oatmilk',
      'text: ',
      'negated:-recipe',
      'text: ',
      'operator:lang:en',
    ]);
  });

  it('underlines faults, also at the end of the text', () => {
    const wrong = segments('cats (dogs', parse('cats (dogs')).filter(
      ({ kind }) => kind === 'wrong',
    );
    expect(wrong.length).toBeGreaterThan(0);
    for (const { text } of wrong) expect(text).not.toBe('');
  });

  it('is the same text whatever is typed', () => {
    const piece = fc.constantFrom(
      'a',
      ' OR ',
      '(',
      ')',
      '-',
      '"',
      'lang:',
      '#x',
      ' ',
      '🎉',
      'from:',
      'é',
      ':',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          unicodeText(),
          fc.array(piece).map((p) => p.join('')),
        ),
        (text) => {
          expect(
            segments(text, parse(text))
              .map((s) => s.text)
              .join(''),
          ).toBe(text);
        },
      ),
    );
  });
});

describe('a query being typed', () => {
  const seen = (text: string): string[] =>
    colours(text).map(({ at, length, kind }) => `${kind}:${text.slice(at, at + length)}`);

  it.each([
    ['cat "dog fox"', []],
    ['cat OR #dog', ['joint:OR', 'operator:#dog']],
    ['(cat -dog lang:', ['negated:-dog', 'operator:lang:']],
    ['-(cat OR @dog', ['negated:-(', 'joint:OR', 'operator:@dog']],
    ['geo_bounding_box:[1 2', ['operator:geo_bounding_box:[1']],
    ['nonsense:x', []],
  ])('highlights the parts of %s, sound or not', (text, expected) => {
    expect(seen(text)).toEqual(expected);
  });

  it.each([
    ['cat', 3, null],
    ['cats', 3, 3],
    ['😀😀', 2, null],
    ['😀😀a', 2, 4],
    ['😀😀😀', 2, 4],
    ['', 0, null],
  ])('of "%s", %d characters fit', (text, limit, expected) => {
    expect(beyond(text, limit)).toBe(expected);
  });

  it('draws a fault under at least one character of the text', () => {
    expect(drawnAt({ at: 4, length: 0 }, 4)).toEqual({ from: 3, to: 4 });
    expect(drawnAt({ at: 1, length: 2 }, 4)).toEqual({ from: 1, to: 3 });
    expect(drawnAt({ at: 1, length: 0 }, 4)).toEqual({ from: 1, to: 2 });
    expect(drawnAt({ at: 0, length: 0 }, 0)).toEqual({ from: 0, to: 0 });
  });
});
