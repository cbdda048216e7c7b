import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete, isWholeWord } from '#app/editor/complete.ts';
import { languageName } from '#app/editor/language-names.ts';
import { OPERATORS } from '#core/query/operators.ts';
import { parse } from '#core/query/parse.ts';

/** Labels for a text with the caret at `|`; null if nothing is offered. */
function labels(marked: string, asked = false): string[] | null {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  return complete(text, at, asked, languageName)?.list.map(({ label }) => label) ?? null;
}

/** The text after a choice. */
function chosen(marked: string, label: string, asked = true): string {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = complete(text, at, asked, languageName);
  const choice = found?.list.find((each) => each.label === label);
  if (!found || !choice) throw new Error(`${label} is not offered for ${marked}`);
  return text.slice(0, found.from) + (choice.text ?? label) + text.slice(found.to);
}

describe('choices', () => {
  it.each<[marked: string, expected: string[] | null]>([
    ['f|', null],
    ['fr|', ['from:']],
    ['FR|', ['from:']],
    ['cat fr|', ['from:']],
    ['-fr|', ['from:']],
    ['(fr|', ['from:']],
    ['"cat"fr|', ['from:']],
    ['min|', ['min_likes:', 'min_replies:', 'min_reposts:']],
    ['cat or|', ['OR']],
    ['cat OR|', null],
    ['cat |', null],
    ['#fr|', null],
    ['@fr|', null],
    ['"fr|', null],
    ['"a \\"fr|', null],
    ['url:"fr|', null],
    ['from:fr|', null],
    ['cats|', null],
    ['is:|', ['retweet', 'reply', 'quote', 'verified']],
    ['-is:|', ['retweet', 'reply', 'quote', 'verified', 'nullcast']],
    ['is:re|', ['retweet', 'reply']],
    ['is:retweet|', null],
    ['has:m|', ['media', 'mentions']],
    ['lang:ger|', ['de']],
    ['lang:DE|', ['de']],
    ['lang:zh|', ['zh-CN', 'zh-TW']],
    ['lang:en|', null],
    ['en|tity', null],
  ])('%s while typing', (marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });

  it('on request, where no word is typed, are the signs and every operator', () => {
    const all = labels('cat |', true) ?? [];
    expect(all.slice(0, 7)).toEqual(['"…"', '#', '@', '$', 'OR', '-', '(…)']);
    const named = [...OPERATORS.values()].filter(
      ({ products, own }) => products.includes('all') && !own,
    );
    expect(all.slice(7).sort()).toEqual(named.map(({ name }) => `${name}:`).sort());
    const languages = labels('lang:|', true) ?? [];
    expect(languages.length).toBeGreaterThan(40);
    expect(languages.slice(0, 3)).toEqual(['am', 'ar', 'hy']);
  });

  it('after a minus are those that can be excluded', () => {
    expect(labels('cat -|', true)).not.toContain('OR');
    expect(labels('cat -|', true)).toContain('from:');
  });

  it.each([
    ['la|', 'lang:', 'lang:'],
    ['cat l|ang:en', 'list:', 'cat list:en'],
    ['cat lang:e| dog', 'es', 'cat lang:es dog'],
    ['cat lang:e|n dog', 'es', 'cat lang:es dog'],
    ['-ha|', 'has:', '-has:'],
    ['|', '"…"', '""'],
    ['cat or|', 'OR', 'cat OR '],
  ])('%s with %s is %s', (marked, label, expected) => {
    expect(chosen(marked, label)).toBe(expected);
  });

  it.each([
    ['place', true],
    ['PLACE', true],
    ['plac', false],
    ['list', true],
    ['or', true],
  ])('%s is a complete word: %s', (text, expected) => {
    const found = complete(text, text.length, false, languageName);
    expect(found !== null && isWholeWord(text, found, text.length)).toBe(expected);
  });

  it('are the collections after in:, by any of their words', () => {
    const names = ['June', 'posts of june.csv', 'Other'];
    const offered = (text: string): string[] | null =>
      complete(text, text.length, false, languageName, names)?.list.map(({ label }) => label) ??
      null;
    expect(offered('cat in:')).toEqual(['June', '"posts of june.csv"', 'Other']);
    expect(offered('-in:ju')).toEqual(['June', '"posts of june.csv"']);
    expect(offered('in:x')).toBeNull();
    expect(offered('cat in:"')).toEqual(['June', '"posts of june.csv"', 'Other']);
    expect(offered('in:"posts of')).toEqual(['"posts of june.csv"']);
    expect(offered('"in:"')).toBeNull();
    expect(complete('cat in:"po" dog', 10, false, languageName, names)).toMatchObject({
      from: 7,
      to: 11,
    });
    expect(offered('in')).toEqual(['in_reply_to_tweet_id:', 'in:']);
    expect(labels('in|')).toEqual(['in_reply_to_tweet_id:']);
  });

  it('values that are offered are accepted', () => {
    for (const name of ['lang', 'is', 'has']) {
      for (const value of labels(`${name}:|`, true) ?? []) {
        expect(parse(`cat ${name}:${value}`)).toMatchObject({ ok: true });
      }
    }
  });

  it('law: lie inside the text, at the caret, and have a help text', () => {
    const piece = fc.constantFrom(
      'a',
      'la',
      'lang:',
      'is:',
      'OR',
      '-',
      '(',
      '"',
      '#',
      ' ',
      '😀',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.nat(30), fc.boolean(), (pieces, n, asked) => {
        const text = pieces.join('');
        const at = Math.min(n, text.length);
        const found = complete(text, at, asked, languageName);
        if (!found) return;
        expect(found.from).toBeGreaterThanOrEqual(0);
        expect(found.from).toBeLessThanOrEqual(at);
        expect(found.to).toBeGreaterThanOrEqual(at);
        expect(found.to).toBeLessThanOrEqual(text.length);
        for (const { help } of found.list) expect(help.length).toBeGreaterThan(0);
      }),
    );
  });
});
