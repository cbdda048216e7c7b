import { describe, expect, it } from 'vitest';
import { titleOf } from '#core/news/name.ts';

/** The name of Posts whose group has these terms, the leading one first. */
function nameOf(texts: readonly string[], terms: string, lang = 'en'): string | undefined {
  const [lead = '', ...others] = terms.split(' ');
  return titleOf(
    texts.map((text) => ({ text, lang })),
    lead,
    [lead, ...others],
  )?.name;
}

describe('the name of a story', () => {
  it.each([
    [
      'is the clause that says most of what the Posts have in common',
      [
        'Ambassador wounded in Ankara',
        'Russian ambassador shot in Ankara',
        'The Russian ambassador, who was shot in Ankara, has died',
      ],
      'ambassador ankara shot',
      'Russian ambassador shot in Ankara',
    ],
    [
      'has no alert, source, address or hashtags around it',
      [
        'BREAKING: Truck hits market in Berlin | BBC News https://t.co/x #news #berlin',
        'My truck hits a market in Berlin?',
      ],
      'truck berlin market',
      'Truck hits market in Berlin',
    ],
    [
      'leaves the hashtag that a preposition needs',
      ['Airline stops flights to #Paris #news', 'Why an airline stops flights to #Paris'],
      'airline flights #paris',
      'Airline stops flights to #Paris',
    ],
    [
      'is not clickbait where something else is said',
      [
        'You won’t believe which bridge collapsed in Genoa',
        'Genoa bridge collapsed after heavy rain',
      ],
      'genoa bridge collapsed',
      'Genoa bridge collapsed after heavy rain',
    ],
    [
      'has the words of a leading hashtag in front of a clause without it',
      [
        '#RejectedDebateTopics Favourite kind of cheese',
        'Who wore it better #RejectedDebateTopics',
      ],
      '#rejecteddebatetopics',
      'Rejected Debate Topics: Favourite kind of cheese',
    ],
    [
      'does not end at an initial',
      ['N. Korea responds to stern warning', 'Why N. Korea responds to stern warning'],
      'korea responds warning',
      'N. Korea responds to stern warning',
    ],
    [
      'is not a sentence that an export cut off',
      [
        `Officials say flood closes the Nordvik bridge and ${'several other important crossings '.repeat(3)}of the riv`,
        'Flood closes Nordvik bridge',
      ],
      'flood nordvik bridge',
      'Flood closes Nordvik bridge',
    ],
  ])('%s', (_, texts, terms, name) => expect(nameOf(texts, terms)).toBe(name));

  it.each([
    ['東京で大きな地震が発生しました', '東京の地震、電車が停止', '地 震 東 京', 'ja', /東京.*地震/],
    ['北京发生强烈地震，多人受伤', '北京地震造成多人受伤', '地 震 北 京', 'zh', /北京.*地震/],
    [
      '서울에서 강한 지진이 발생했다',
      '서울에서 지진이 발생했다 속보',
      '지진이 서울에서',
      'ko',
      /서울에서.*지진이/,
    ],
  ])('has words in scripts without spaces: %s', (a, b, terms, lang, name) => {
    const title = titleOf(
      [a, b].map((text) => ({ text, lang })),
      terms.split(' ')[0]!,
      terms.split(' '),
    );
    expect(title?.name).toMatch(name);
    // Words, not letters.
    expect(title?.words.every((word) => Array.from(word).length > 1)).toBe(true);
  });

  it.each([
    [
      'hashtags and mentions alone',
      ['#harbourfire #nordvik', '@ann @bob #harbourfire'],
      '#harbourfire',
    ],
    [
      'what is said to an account',
      ['@ann Good luck with that great show', '@ann Good luck with that show'],
      '@ann',
    ],
    [
      'one word in different sentences',
      ['Senate approves budget plan', 'Berlin approves new stadium'],
      'approves',
    ],
    ['one word of a script without spaces', ['地震が', '地震だ'], '地 震'],
    [
      'the hashtag of a community, whose Posts say different things',
      [
        'Senate approves budget plan #tcot',
        'Berlin opens new stadium #tcot',
        'Ferry service resumes today #tcot',
        'Vote counting ended early #tcot',
        'Museum shows lost paintings #tcot',
      ],
      '#tcot',
    ],
  ])('is not made of %s', (_, texts, terms) => expect(nameOf(texts, terms)).toBeUndefined());
});
