import { expect, it } from 'vitest';
import { written } from '#tests/support/data/written.ts';

it('numbers, dates and ranges read in Node as they read in every browser', async () => {
  await expect(written()).toMatchFileSnapshot('../../vectors/written.txt');
});
