import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { serviceTurns, threadTurns, turnMemory } from '#server/catalog/feed/turns.ts';

function both() {
  const memory = turnMemory();
  const service = serviceTurns(memory);
  return { service, thread: threadTurns(memory, service.called) };
}

it('the service writes at once while the thread does not, and between two turns while it does', async () => {
  const { service, thread } = both();
  const did: string[] = [];
  await service.write(() => did.push('alone'));
  thread.take();
  const waiting = service.write(() => did.push('between'));
  await setImmediate();
  expect(did).toEqual(['alone']);
  thread.give();
  await waiting;
  thread.take();
  expect(did).toEqual(['alone', 'between']);
});

it('writes of the service come in their order, and a failed one frees the turn', async () => {
  const { service, thread } = both();
  thread.take();
  const did: number[] = [];
  const all = [1, 2, 3].map((n) =>
    service.write(() => {
      did.push(n);
      if (n === 2) throw new RangeError('two');
      return n;
    }),
  );
  thread.give();
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 1 },
    { reason: new RangeError('two') },
    { value: 3 },
  ]);
  expect(did).toEqual([1, 2, 3]);
});

it('a thread that ends within its turn leaves it to the service', async () => {
  const { service, thread } = both();
  thread.take();
  const waiting = service.write(() => 'written');
  service.ended();
  expect(await waiting).toBe('written');
});
