import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { eventTable, type NewEvent } from '#server/streams/event-table.ts';
import { openLog } from '#server/streams/log.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const file = temporaryFolder();
const random = countingBytes();
let files = 0;

function open() {
  const clock = { now: DAY_MS * 20_000 };
  const name = file(String(++files));
  const db = openPosts(name, { random }, { flushed: false });
  const reader = openLog(() => openPosts(name, { random }));
  const close = (): void => {
    reader.close();
    db.close();
  };
  const table = eventTable(db, () => clock.now);
  const write = <T>(work: () => T): T => db.write('test', work);
  return { clock, db, table, write, reader, close };
}

function event(i: number, size = 0): NewEvent {
  return { type: 'post.create', users: ['7'], post: String(i), body: { text: 'x'.repeat(size) } };
}

const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ clock: fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS }) }) },
  { weight: 1, arbitrary: fc.constant({ prune: true as const }) },
);

test('numbers increase without a gap and times never decrease, whatever the clock does', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const { clock, table, write, reader, close } = open();
      const size = 2000;
      write(() => table.setSize(size));
      let appended = 0;
      for (const each of moves) {
        if ('clock' in each) clock.now += each.clock;
        else if ('prune' in each) write(() => table.prune());
        else {
          write(() => table.append(Array.from({ length: each.append }, () => event(++appended))));
        }
        const entries = reader.after(0, 1000);
        expect(reader.last()).toBe(appended);
        expect(entries.at(-1)?.number).toBe(appended === 0 ? undefined : appended);
        for (const [i, { number, at, post }] of entries.entries()) {
          expect(post).toBe(String(number));
          const before = entries[i - 1];
          if (!before) continue;
          expect(number).toBe(before.number + 1);
          expect(at).toBeGreaterThanOrEqual(before.at);
        }
        // About a hundred characters each: they exceed the size by those of one append at most.
        expect(entries.length).toBeLessThan(size / 50 + 8);
        const [some] = entries.slice(Math.floor(entries.length / 2));
        const first = entries.find(({ at }) => at >= (some?.at ?? 0))?.number ?? appended + 1;
        expect(reader.from(some?.at ?? 0)).toBe(first);
        expect(reader.from(Infinity)).toBe(appended + 1);
      }
      close();
    }),
    { numRuns: runs(40) },
  );
});

test('entries stay for 24 hours, but the newest one always stays', () => {
  const { clock, table, write, reader, close } = open();
  write(() => table.append([event(1), event(2)]));
  clock.now += DAY_MS / 2;
  write(() => table.append([event(3)]));
  clock.now += DAY_MS / 2 + 1;
  expect(write(() => table.prune())).toBe(false);
  expect(reader.after(0, 10).map(({ number }) => number)).toEqual([3]);
  clock.now += 10 * DAY_MS;
  write(() => table.prune());
  expect(reader.last()).toBe(3);
  expect(reader.from(clock.now)).toBe(4);
  write(() => table.append([event(4)]));
  expect(reader.after(0, 10).map(({ number }) => number)).toEqual([4]);
  close();
});

test('an event of the outbox is appended once, however often it is moved', () => {
  const { db, table, write, reader, close } = open();
  const [one, two, three] = ['a', 'b', 'c'].map((origin, i) => ({ origin, ...event(i + 1) }));
  write(() => table.moveIn([one!, two!]));
  // The outbox still has them after a kill.
  write(() => table.moveIn([one!, two!]));
  write(() => table.moveIn([two!, three!]));
  write(() => table.moveIn([]));
  expect(reader.after(0, 10).map(({ post }) => post)).toEqual(['1', '2', '3']);
  expect(db.prepare('SELECT count(*) FROM event_moved').get()).toEqual([0]);
  close();
});

test('the log of a new sample continues the numbers of the one before', () => {
  const { table, write, reader, close } = open();
  expect(reader.last()).toBe(0);
  write(() => table.startAfter(41));
  expect([reader.last(), reader.from(0)]).toEqual([41, 42]);
  write(() => table.append([event(1)]));
  expect(reader.after(0, 10)).toMatchObject([{ number: 42, users: ['7'], type: 'post.create' }]);
  close();
});

test('each connection that appends is a session, whose first entry is known', () => {
  const name = file(String(++files));
  const now = (): number => DAY_MS * 20_000;
  const append = (n: number): void => {
    const db = openPosts(name, { random }, { flushed: false });
    const table = eventTable(db, now);
    // A change that is undone leaves no session.
    const undone = (): void =>
      db.write('test', () => {
        table.append([event(0)]);
        throw new RangeError('undone');
      });
    expect(undone).toThrow('undone');
    for (let i = 0; i < n; i++) db.write('test', () => table.append([event(i), event(i)]));
    db.close();
  };
  for (const n of [2, 0, 1, 3]) append(n);
  const reader = openLog(() => openPosts(name, { random }));
  const sessions = reader.sessions();
  expect(sessions.map(({ first }) => first)).toEqual([1, 5, 7]);
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(3);
  reader.close();
});

test('sessions whose entries are gone are forgotten', () => {
  const name = file(String(++files));
  let now = DAY_MS * 20_000;
  for (let day = 0; day < 20; day++) {
    const db = openPosts(name, { random }, { flushed: false });
    db.write('test', () => eventTable(db, () => now).append([event(1), event(2)]));
    db.close();
    now += DAY_MS;
  }
  const reader = openLog(() => openPosts(name, { random }));
  expect(reader.sessions().length).toBeLessThanOrEqual(3);
  expect(reader.sessions()[0]?.first).toBeLessThanOrEqual(reader.after(0, 1)[0]!.number);
  reader.close();
});
