import { describe, expect, it } from 'vitest';
import { Turns } from '#server/http/turns.ts';

describe('turns', () => {
  it('are taken in order, no more at once than may be', async () => {
    const turns = new Turns(3);
    const order: number[] = [];
    let now = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        turns.take(async () => {
          order.push(i);
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(most).toBe(3);
  });

  it('go on after one that failed, and leave room for what else waits', async () => {
    const turns = new Turns(1);
    const seen: string[] = [];
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(async () => void seen.push('large'));
    setImmediate(() => seen.push('small'));
    await expect(failing).rejects.toThrow('no');
    await next;
    expect(seen).toEqual(['small', 'large']);
  });
});
