import { describe, expect, it } from 'vitest';
import { languageControl } from '#app/lift/control-choices.ts';
import { liftParts } from '#app/lift/lift-reading.svelte.ts';

describe('the queries of a lift', () => {
  it('leave the Posts of the topic out of each control, and ask for those with the tag', () => {
    const question = {
      topic: 'oat OR "oat milk"',
      controls: ['soy', 'lang:en tea'],
      tag: '#launch',
    };
    expect(liftParts(question, 1024)).toEqual({
      topic: 'oat OR "oat milk"',
      controls: [{ query: 'soy -oat -"oat milk"' }, { query: 'lang:en tea -oat -"oat milk"' }],
      tagged: [
        { query: 'soy -oat -"oat milk" #launch' },
        { query: 'lang:en tea -oat -"oat milk" #launch' },
      ],
    });
    expect(liftParts({ ...question, tag: '' }, 1024).tagged).toEqual([]);
  });

  it('say why a control cannot be counted', () => {
    const { controls } = liftParts(
      { topic: 'oat OR #oat', controls: ['soy (', '#OAT OR oat'], tag: '' },
      1024,
    );
    expect(controls).toEqual([
      { problem: expect.stringMatching(/\.$/) },
      { problem: 'It is the topic itself, of which nothing is left without the topic.' },
    ]);
  });

  it.each([
    ['matcha lang:ja', 'en-GB', 'All Posts in Japanese', 'min_likes:0 lang:ja'],
    ['matcha', 'de-DE', 'All Posts in German', 'min_likes:0 lang:de'],
    ['matcha', undefined, 'All Posts in English', 'min_likes:0 lang:en'],
  ])('offer the language of %s for %s', (query, locale, name, all) => {
    expect(languageControl(query, locale, 1024)).toEqual({ name, query: all });
  });
});
