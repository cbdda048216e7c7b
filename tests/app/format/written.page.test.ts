import { expect, it } from 'vitest';
import { written } from '#tests/support/data/written.ts';
import nodes from '../../vectors/written.txt?raw';

it('numbers, dates and ranges read in this browser as they read in Node', () => {
  expect(written().split('\n')).toEqual(nodes.split('\n'));
});
