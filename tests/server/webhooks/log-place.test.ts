import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeIn } from '#server/webhooks/log-place.ts';
import { runs } from '#tests/support/run/runs.ts';

const A = { id: 'a', first: 1 };
const B = { id: 'b', first: 40 };
const X = { id: 'x', first: 51 };

describe('the place of a reader in a log', () => {
  it.each([
    ['that it read to its end', [A, B], 100, ['a', 'b'], 100, 100],
    ['that went on in the same session', [A, B], 120, ['a', 'b'], 100, 100],
    ['that went on in another session', [A, B, { id: 'c', first: 101 }], 120, ['a', 'b'], 100, 100],
    ['that was restored from a backup', [A, B], 50, ['a', 'b'], 100, 50],
    ['that was restored and went on', [A, B, X], 70, ['a', 'b'], 100, 50],
    ['that was restored and went on beyond it', [A, B, X], 170, ['a', 'b'], 100, 50],
    [
      'that was restored from before a session',
      [A, { id: 'x', first: 31 }],
      60,
      ['a', 'b'],
      100,
      30,
    ],
    ['of another file', [{ id: 'x', first: 1 }], 60, ['a', 'b'], 100, 0],
    ['that is empty', [], 0, ['a'], 100, 0],
    ['that continues the numbers of another file', [{ id: 'x', first: 101 }], 120, ['a'], 100, 100],
    ['whose sessions are not known yet', [], 100, [], 100, 100],
  ] as const)('%s', (_, sessions, last, known, cursor, place) => {
    expect(placeIn({ sessions, last }, new Set(known), cursor)).toBe(place);
  });
});

it('each entry of the log is read, wherever backups are made and restored, and once after one restore', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('append'), n: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('read'), n: fc.integer({ min: 1, max: 9 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('restart', 'backup', 'restore'), n: fc.nat() }),
    },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      type Log = { entries: string[]; sessions: { id: string; first: number }[] };
      const copy = ({ entries, sessions }: Log): Log => ({
        entries: [...entries],
        sessions: [...sessions],
      });
      let log: Log = { entries: [], sessions: [] };
      const backups: Log[] = [copy(log)];
      const known = new Set<string>();
      const read = new Map<string, number>();
      let [session, appended, cursor, restores] = [0, 0, 0, 0];
      const start = (): void => {
        session += 1;
        cursor = placeIn({ ...log, last: log.entries.length }, known, cursor);
      };
      const readOn = (n: number): void => {
        const next = log.entries.slice(cursor, cursor + n);
        for (const entry of next) read.set(entry, (read.get(entry) ?? 0) + 1);
        cursor += next.length;
        if (next.length === 0) return;
        for (const { id, first } of log.sessions) if (first <= cursor) known.add(id);
      };
      for (const each of steps) {
        if (each.do === 'append') {
          const id = String(session);
          if (!log.sessions.some((other) => other.id === id)) {
            log.sessions.push({ id, first: log.entries.length + 1 });
          }
          for (let i = 0; i < each.n; i++) log.entries.push(`entry ${(appended += 1)}`);
        } else if (each.do === 'read') readOn(each.n);
        else if (each.do === 'backup') backups.push(copy(log));
        else {
          if (each.do === 'restore') {
            log = copy(backups[each.n % backups.length]!);
            restores += 1;
          }
          start();
        }
      }
      start();
      readOn(Infinity);
      const times = log.entries.map((entry) => read.get(entry) ?? 0);
      expect(Math.min(1, ...times)).toBe(1);
      // A later backup may bring back what an earlier one had set back.
      if (restores <= 1) expect(Math.max(1, ...times)).toBe(1);
    }),
    { numRuns: runs(2000) },
  );
});
