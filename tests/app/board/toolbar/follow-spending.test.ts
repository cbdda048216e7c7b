import { expect, it } from 'vitest';
import { coalesced } from '#app/board/toolbar/follow-spending.ts';

it('spending is read once at a time, and once more after all pages that were bought meanwhile', async () => {
  const ends: (() => void)[] = [];
  const read = coalesced(() => new Promise<void>((resolve) => void ends.push(resolve)));
  const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
  read();
  read();
  read();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await settled();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await settled();
  expect(ends).toHaveLength(2);
  read();
  expect(ends).toHaveLength(3);
});
