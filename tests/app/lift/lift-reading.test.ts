import { describe, expect, it } from 'vitest';
import { languageControl } from '#app/lift/control-choices.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { BoardNeed } from '#app/board/state/need-key.ts';
import { liftParts, LiftReading } from '#app/lift/lift-reading.svelte.ts';
import { liftReport } from '#tests/support/data/lift-reports.ts';

const TERMS = { money: 'USD' };

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

describe('the other topics of a lift', () => {
  const topics = Array.from({ length: 7 }, (_, i) => ({
    name: `T${i}`,
    query: `tea${i}`,
    colour: 1,
  }));
  const { scope } = liftReport();

  it.each([
    ['are asked for where counts are free', null, 'ask'],
    ['are only peeked at where counts cost money, though the topic is bought', TERMS, 'peek'],
  ])('%s, and at most five', async (_, terms, how) => {
    const calls: string[] = [];
    const make = (): Run => {
      const called =
        (name: string) =>
        ({ query }: { query: string }): Promise<void> => {
          calls.push(`${name} ${query}`);
          return Promise.resolve();
        };
      return {
        ask: called('ask'),
        peek: called('peek'),
        dispose: () => undefined,
      } as unknown as Run;
    };
    const need = { source: {}, policy: { terms } } as unknown as BoardNeed;
    const question = { scope, topic: 'oat', controls: [], tag: '', others: [], topics };
    await new LiftReading(make).load(question, need, 1024, true);
    expect(calls).toEqual(['ask oat', ...[0, 1, 2, 3, 4].map((i) => `${how} tea${i}`)]);
  });
});
