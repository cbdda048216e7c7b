import { expect, it } from 'vitest';
import { withArticle } from '#core/format/plural.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';

it('names one bucket of each width as it is spoken', () => {
  expect(RESOLUTIONS.map(withArticle)).toEqual([
    'a minute',
    'an hour',
    'a day',
    'a week',
    'a month',
    'a quarter',
    'a year',
  ]);
});
