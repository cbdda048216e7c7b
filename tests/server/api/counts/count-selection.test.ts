import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { CountsRequest } from '#contract/counts/count-operations.ts';
import { Fault } from '#contract/fault.ts';
import { countSelection } from '#server/api/counts/count-selection.ts';

const read = (fields: string) => {
  const request = v.parse(CountsRequest, { query: 'tea', 'search_count.fields': fields });
  return countSelection(request['search_count.fields']);
};

describe('search_count.fields', () => {
  it.each([
    ['start', { fields: ['start'], vocabulary: 'tweet' }],
    ['tweet_count,end', { fields: ['end', 'tweet_count'], vocabulary: 'tweet' }],
    ['end,start,post_count', { fields: ['end', 'start', 'tweet_count'], vocabulary: 'post' }],
  ])('%s selects %j', (fields, selection) => {
    expect(read(fields)).toEqual(selection);
  });

  it('refuses both names of the count together', () => {
    const both = (): unknown => read('tweet_count,post_count');
    expect(both).toThrow(Fault);
    expect(both).toThrow(/\[tweet_count\].*\[post_count\]/);
  });
});
