import { describe, expect, it } from 'vitest';
import { COUNTS } from '#contract/counts/count-operations.ts';
import { SEARCH } from '#contract/posts/search.ts';
import { ofSource, SOURCES } from '#contract/counts/source.ts';

describe('an endpoint of a source', () => {
  it.each([
    ['posts', ''],
    ['sample', '/sample'],
    ['platform', '/platform'],
  ] as const)('of %s has the prefix %j', (source, prefix) => {
    const paths = [COUNTS.recent, SEARCH.all, SOURCES.changes].map(
      (each) => ofSource(each, source).path,
    );
    expect(paths).toEqual([
      `${prefix}/2/tweets/counts/recent`,
      `${prefix}/2/tweets/search/all`,
      `${prefix}/changes`,
    ]);
  });

  it('has the limits of Your posts', () => {
    expect(ofSource(COUNTS.all, 'sample').limits.app).toBe(COUNTS.all.limits.app);
  });
});
