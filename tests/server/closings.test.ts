import { expect, test } from 'vitest';
import { withClosings } from '#server/closings.ts';

test('what was opened is closed newest first, each once the one before is closed', async () => {
  const closed: string[] = [];
  const value = await withClosings(async (defer) => {
    defer(() => closed.push('first'));
    defer(async () => {
      await Promise.resolve();
      closed.push('second');
    });
    return 7;
  });
  expect([value, closed]).toEqual([7, ['second', 'first']]);
});

test('a failure half-way closes what was open by then, and a closing that fails keeps no other from running', async () => {
  const closed: string[] = [];
  const work = withClosings(async (defer) => {
    defer(() => closed.push('first'));
    defer(() => {
      throw new Error('not closed');
    });
    throw new Error('not opened');
  });
  await expect(work).rejects.toThrow('not opened');
  expect(closed).toEqual(['first']);
});

test('a closing that fails after the work is reported', async () => {
  const work = withClosings(async (defer) =>
    defer(() => {
      throw new Error('not closed');
    }),
  );
  await expect(work).rejects.toThrow('not closed');
});
