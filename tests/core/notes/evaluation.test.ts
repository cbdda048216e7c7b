import { describe, expect, it } from 'vitest';
import {
  admissionOf,
  claimBucket,
  harassmentBucket,
  weakest,
  type Evaluation,
} from '#core/notes/evaluation.ts';

const GOOD: Evaluation = { UrlValidity: 'High', HarassmentAbuse: 'High', ClaimOpinion: 'High' };
const list = (n: number, one: Partial<Evaluation> = {}): Evaluation[] =>
  Array.from({ length: n }, () => ({ ...GOOD, ...one }));

describe('buckets', () => {
  it.each([
    [0, 'High'],
    [-0.25, 'Medium'],
    [-3, 'Medium'],
    [-3.25, 'Low'],
  ] as const)('a score of %d is %s', (score, bucket) => {
    expect(claimBucket(score)).toBe(bucket);
  });

  it.each([
    ['The report names 14 engineers.', 'High'],
    ['The pigment was trashed.', 'High'],
    ['Only an idiot believes it.', 'Medium'],
    ['Idiots and liars.', 'Low'],
    ['Go die.', 'Low'],
  ] as const)('%s is %s in harassment', (text, bucket) => {
    expect(harassmentBucket(text)).toBe(bucket);
  });

  it('the lowest result is the weakest', () => {
    expect(weakest(GOOD)).toBe('UrlValidity');
    expect(weakest({ ...GOOD, HarassmentAbuse: 'Medium', ClaimOpinion: 'Low' })).toBe(
      'ClaimOpinion',
    );
  });
});

describe('admission', () => {
  it.each([
    ['50 good notes', list(50), true],
    ['49 good notes', list(49), false],
    ['only the last 50', [...list(50), ...list(50, { ClaimOpinion: 'Low' })], true],
    ['30% high', [...list(15), ...list(35, { ClaimOpinion: 'Medium' })], true],
    ['less than 30% high', [...list(14), ...list(36, { ClaimOpinion: 'Medium' })], false],
    ['30% low', [...list(35), ...list(15, { ClaimOpinion: 'Low' })], true],
    ['more than 30% low', [...list(34), ...list(16, { ClaimOpinion: 'Low' })], false],
    ['96% valid', [...list(48), ...list(2, { UrlValidity: 'Low' })], true],
    ['94% valid', [...list(47), ...list(3, { UrlValidity: 'Low' })], false],
    ['unchecked links', list(50, { UrlValidity: 'unknown' }), true],
    ['98% civil', [...list(49), ...list(1, { HarassmentAbuse: 'Medium' })], true],
    ['96% civil', [...list(48), ...list(2, { HarassmentAbuse: 'Low' })], false],
  ] as const)('%s', (_, evaluations, qualifies) => {
    expect(admissionOf(evaluations).missing.length === 0).toBe(qualifies);
  });

  it('names all that is missing', () => {
    const bad = list(50, { ClaimOpinion: 'Low', UrlValidity: 'Low', HarassmentAbuse: 'Low' });
    expect(admissionOf(bad).missing).toHaveLength(4);
  });
});
