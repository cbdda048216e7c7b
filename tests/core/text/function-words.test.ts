import { describe, expect, it } from 'vitest';
import { recognised, spoken } from '#core/text/function-words.ts';

/** The number of a hundred Posts of a language that contain a word, by its text. */
function sharesIn(texts: Readonly<Record<string, number>>): (word: string) => number {
  return (word) =>
    Object.entries(texts).reduce(
      (n, [text, posts]) => n + (text.split(' ').includes(word) ? posts : 0),
      0,
    );
}

const ENGLISH = 'the an and or but so if then that this to of in on at by for die war';
const SPANISH = 'el la los las un una de del al pero que';
const GERMAN = 'der die das den ein eine und oder aber wenn als wie';

describe('the languages of Posts that state none', () => {
  it('are those whose function words are frequent, the clearest first', () => {
    expect(recognised(100, sharesIn({ [ENGLISH]: 60, [SPANISH]: 5 }))).toEqual(['en', 'es']);
    expect(recognised(100, sharesIn({ [GERMAN]: 40 }))).toEqual(['de']);
  });

  it('are not those that share some words with them', () => {
    expect(recognised(100, sharesIn({ [ENGLISH]: 100 }))).toEqual(['en']);
    expect(recognised(1000, sharesIn({ [ENGLISH]: 1000, [SPANISH]: 9 }))).toEqual(['en']);
  });

  it('join those that Posts state; without any, English is taken', () => {
    expect(spoken(['de', 'und'], ['es', 'de'])).toEqual(['de', 'es']);
    expect(
      spoken(
        ['und'],
        recognised(3, () => 0),
      ),
    ).toEqual(['en']);
  });
});
