import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isStopWord } from '#core/query/stop-words.ts';

const page = readFileSync(new URL('../../../docs/query-language.md', import.meta.url), 'utf8');
const list = /Stop words, which[^:]*: ([^.]*)\./.exec(page)?.[1]?.split(/,\s+/) ?? [];

describe('stop words', () => {
  it('are those in the documentation', () => {
    expect(list).toHaveLength(34);
    expect(list.filter((word) => !isStopWord(word))).toEqual([]);
  });

  it('include those the platform is known to refuse', () => {
    expect(['a', 'the', 'is', 'you'].every(isStopWord)).toBe(true);
  });

  it('include no word of a topic', () => {
    expect(['cat', 'amp', '2016', 'россии', 'ten', 'round'].some(isStopWord)).toBe(false);
  });
});
