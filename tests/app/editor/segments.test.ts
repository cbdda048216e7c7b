import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segments } from '#app/editor/segments.ts';
import { parse } from '#core/query/parse.ts';

const shown = (text: string): string[] =>
  segments(text, parse(text)).map(({ kind, text: piece }) => `${kind}:${piece}`);

describe('a query as it is shown', () => {
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

  it('underlines what is wrong, also at the end of the text', () => {
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
          fc.string({ unit: 'binary' }),
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
