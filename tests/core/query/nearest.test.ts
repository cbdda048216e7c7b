import { describe, expect, it } from 'vitest';
import { nearest, withFixes } from '#core/query/nearest.ts';
import { parse } from '#core/query/parse.ts';

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

describe('the likely fix of a value', () => {
  it.each([
    ['cat has:medja', 'cat has:media'],
    ['cat -is:retweeet', 'cat -is:retweet'],
    ['cat lang:english', 'cat lang:en'],
    ['cat lang:Polish dog', 'cat lang:pl dog'],
    ['cat is:wonderful', null],
    ['cat lang:klingonish', null],
    ['cat AND dog', 'cat  dog'],
    ['cat since:2026-05-01', 'cat '],
    ['cat -until:2026-05-01 dog', 'cat  dog'],
    ['cat since_id:12', 'cat '],
    ['cat AND', 'cat '],
    ['cat && dog', 'cat  dog'],
    ['cat || dog', 'cat OR dog'],
    ['cat||dog', 'cat OR dog'],
    ['cat | dog', 'cat OR dog'],
  ])('of %s gives %s', (text, fixed) => {
    const parsed = parse(text, { product: 'all' });
    const [first] = parsed.ok ? [] : withFixes(parsed.diagnostics, text);
    if (!first) throw new Error('expected something wrong');
    const { at, length, fix } = first;
    const whole = fix === undefined ? null : text.slice(0, at) + fix + text.slice(at + length);
    expect(whole).toBe(fixed);
    if (whole !== null) expect(parse(whole, { product: 'all' }).ok).toBe(true);
  });
});
