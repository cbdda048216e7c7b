import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftCost, draftPieces } from '#app/board/draft/draft-text.ts';
import { Formatter } from '#app/format/formatter.ts';
import { LINK_WRITE, POST_WRITE } from '#contract/counts/prices.ts';

const FORMAT = new Formatter('en-US');

describe('the price of a draft', () => {
  const plain = FORMAT.money(POST_WRITE.amount / 1e6);
  const link = FORMAT.money(LINK_WRITE.amount / 1e6);

  it.each([
    ['tea', `${plain} to post through the API.`],
    ['tea at tea.example', `${plain} to post through the API.`],
    [
      'tea at https://tea.example',
      `A link makes it ${link} to post through the API, instead of ${plain}.`,
    ],
    ['t.co/tea', `A link makes it ${link} to post through the API, instead of ${plain}.`],
    [
      'tea at tea.com.',
      `${plain} to post through the API, or ${link} if tea.com counts as a link.`,
    ],
  ])('of “%s”: %s', (text, words) => {
    expect(draftCost(text, FORMAT)).toBe(words);
  });

  it('is that of the price list', () => {
    expect([plain, link]).toEqual(['$0.015', '$0.20']);
  });
});

describe('the pieces of a draft', () => {
  it('are the text, each marked as its every character is', () => {
    const span = fc
      .tuple(fc.nat(9), fc.nat(9))
      .map(([start, length]) => ({ start, end: start + length }));
    const given = fc.record({
      text: fc.string({ minLength: 18, maxLength: 24 }),
      met: fc.array(span, { maxLength: 4 }),
      against: fc.array(span, { maxLength: 4 }),
      over: fc.option(fc.nat(17)),
    });
    fc.assert(
      fc.property(given, ({ text, met, against, over }) => {
        const pieces = draftPieces(text, met, against, over);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        let at = 0;
        for (const piece of pieces) {
          expect(piece.text).not.toBe('');
          for (let i = at; i < at + piece.text.length; i++) {
            const within = (spans: typeof met): boolean =>
              spans.some(({ start, end }) => start <= i && i < end);
            expect(piece.met).toBe(within(met));
            expect(piece.against).toBe(within(against));
            expect(piece.over).toBe(over !== null && i >= over);
          }
          at += piece.text.length;
        }
      }),
    );
  });

  it('of an empty draft are none', () => {
    expect(draftPieces('', [], [], null)).toEqual([]);
  });
});
