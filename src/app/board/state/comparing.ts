/** The code of comparisons. */
export type Comparing = Pick<
  typeof import('./compare-with.ts'),
  'compareWith' | 'noiseOf' | 'historyNeed' | 'givenBefore'
>;
