import { expect, it } from 'vitest';
import { isNewsTerm } from '#core/news/news-term.ts';

it.each([
  'harbour',
  '#fire',
  '@ann',
  '$abc',
  'weiß',
  '東京',
  '地震',
  'iphone7',
  '#2016',
  '지진',
  '震',
])('may be part of a story: %s', (term) => expect(isNewsTerm(term)).toBe(true));

it.each([
  'the',
  'his',
  'what',
  'он',
  'の',
  '지',
  'rt',
  'https',
  'to',
  'x',
  '2016',
  '___',
  'lang:en',
  'from:ann',
  'url:abc',
  '🎉',
  '',
])('is no part of a story: %s', (term) => expect(isNewsTerm(term)).toBe(false));
