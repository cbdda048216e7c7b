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
    ['numbers', 'it cost 4.5 million and took 12,000 hours', { numbers: 2 }],
    [
      'dates, which are no numbers',
      'seen on 12 March 2024, on 2024-03-13 and in 1999',
      { dates: 3 },
    ],
    [
      'names, not the first word of a sentence',
      'It says Anna Berg. Then @bob left Oslo',
      { names: 3 },
    ],
    ['quotations', 'it says "no danger" and \u201call safe\u201d', { quotations: 2 }],
    ['words of the Post, once each', 'a bridge, the bridge, and engineers', { shared_words: 2 }],
    ['the first person', 'I\u2019m sure we know', { base: 1, first_person: 2 }],
    ['judgement', 'that is a ridiculous, shameful act', { base: 1, judgement: 2 }],
    ['conjecture', 'maybe it could  have been', { base: 1, conjecture: 2 }],
    ['no words within others', 'mighty, mesh, thinking', { base: 1 }],
  ] as const)('finds %s', (_, note, found) => {
    expect(counts(note)).toEqual(found);
  });

  const CJK_POST =
    '東京都の知事は学校を閉鎖すると発表した。北京市的学校关闭了。서울시는 학교를 폐쇄한다.';
  it.each([
    ['令和5年5月3日に14人が死亡した', { dates: 1, numbers: 1 }],
    ['感染者は1万4千人、十四人が死亡', { numbers: 2 }],
    ['東京都は「学校は閉鎖しない」と発表', { names: 1, quotations: 1, shared_words: 4 }],
    ['トランプ大統領は2020年に', { dates: 1, names: 1 }],
    ['北京市2023年5月3日公布的数字是2184万', { dates: 1, names: 1, numbers: 1 }],
    ['三人死亡，见《人民日报》', { names: 1, numbers: 1 }],
    ['서울시는 2023년 5월 3일 요금을 1,400원으로 올렸다', { dates: 1, names: 1, numbers: 1 }],
    ['とてもひどい', { base: 1 }],
    ['真糟糕', { base: 1 }],
    ['정말 끔찍하다', { base: 1 }],
  ] as const)('finds claims in Chinese, Japanese and Korean: %s', (note, found) => {
    const { shared_words: shared = 0, ...others } = counts(note, CJK_POST);
    expect({ ...others, ...('shared_words' in found && { shared_words: shared }) }).toEqual(found);
    if (!('base' in found)) expect(claimOpinion(note, CJK_POST).score).toBeGreaterThan(0);
  });

  it.each([
    'the bridge is 90 metres long',
    'this picture is from Oslo',
    'the bridge was not closed by engineers',
    '橋は90メートル',
  ])('never puts a claim without opinion below zero: %s', (note) => {
    expect(claimOpinion(note, POST).score).toBeGreaterThanOrEqual(0);
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
