import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimOpinion, WEIGHTS, type ComponentName } from '#core/notes/claim-opinion.ts';

const POST = 'The harbour bridge of Nordvik collapsed because the council ignored engineers';

function counts(note: string, post = POST): Partial<Record<ComponentName, number>> {
  const found = claimOpinion(note, post).components.filter(({ count }) => count > 0);
  return Object.fromEntries(found.map(({ name, count }) => [name, count]));
}

describe('claimOpinion', () => {
  it.each([
    ['nothing', '', { base: 1 }],
    ['only a link', 'https://example.com/2024/Report-17', { base: 1 }],
    ['numbers', 'it cost 4.5 million and took 12,000 hours', { base: 1, numbers: 2 }],
    [
      'dates, which are no numbers',
      'seen on 12 March 2024, on 2024-03-13 and in 1999',
      { base: 1, dates: 3 },
    ],
    [
      'names, not the first word of a sentence',
      'It says Anna Berg. Then @bob left Oslo',
      { base: 1, names: 3 },
    ],
    ['quotations', 'it says "no danger" and \u201call safe\u201d', { base: 1, quotations: 2 }],
    [
      'words of the Post, once each',
      'a bridge, the bridge, and engineers',
      { base: 1, shared_words: 2 },
    ],
    ['the first person', 'I\u2019m sure we know', { base: 1, first_person: 2 }],
    ['judgement', 'that is a ridiculous, shameful act', { base: 1, judgement: 2 }],
    ['conjecture', 'maybe it could  have been', { base: 1, conjecture: 2 }],
    ['no words within others', 'mighty, mesh, thinking', { base: 1 }],
  ] as const)('finds %s', (_, note, found) => {
    expect(counts(note)).toEqual(found);
  });

  it('puts a claim above zero and an opinion below the usual cut-offs', () => {
    const claim =
      'The Nordvik harbour bridge was closed on 3 May 2023; the council\u2019s report names 14 engineers. https://example.com/r';
    const opinion =
      'I think this is ridiculous and maybe the worst nonsense. https://example.com/r';
    expect(claimOpinion(claim, POST).score).toBeGreaterThan(0);
    expect(claimOpinion(opinion, POST).score).toBeLessThan(-6);
  });

  const text = fc.string({ unit: 'grapheme', maxLength: 200 });

  it('is the sum of its components, and the same every time', () => {
    fc.assert(
      fc.property(text, text, (note, post) => {
        const { score, components } = claimOpinion(note, post);
        expect(components.map(({ name }) => name)).toEqual(Object.keys(WEIGHTS));
        const sum = components.reduce((all, { name, count }) => all + count * WEIGHTS[name], 0);
        expect(score).toBeCloseTo(sum, 9);
        expect(claimOpinion(note, post).score).toBe(score);
      }),
    );
  });

  it('rises with each claim and falls with each opinion', () => {
    const claim = fc.constantFrom('on 3 May 2021', 'for 17 days', 'says "all safe"', 'by @ann');
    const opinion = fc.constantFrom('in my view', 'maybe', 'that is absurd');
    fc.assert(
      fc.property(text, claim, opinion, (note, more, less) => {
        // A sentence that ends, so that nothing of it runs into what follows.
        const start = `${note.replaceAll(/["\u201c\u201e\u00ab]/g, '')} .\n`;
        const { score } = claimOpinion(start, '');
        expect(claimOpinion(`${start}then ${more}`, '').score).toBeGreaterThan(score);
        expect(claimOpinion(`${start}then ${less}`, '').score).toBeLessThan(score);
      }),
    );
  });
});
