import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Events } from './events.ts';

it('takes events by time, those of the same time in the order in which they were added', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 3000 }), (times) => {
      const events = new Events();
      for (const [i, at] of times.entries()) events.add(at, i);
      const expected = times.map((_, i) => i).sort((a, b) => times[a]! - times[b]! || a - b);
      const got = times.map(() => events.take());
      expect(got).toEqual(expected);
      expect(events.next).toBe(Infinity);
    }),
    { numRuns: 30 },
  );
  expect(() => new Events().take()).toThrow(RangeError);
});
