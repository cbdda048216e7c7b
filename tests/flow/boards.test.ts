import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MOST_BOARD_BYTES } from '#contract/accounts/boards.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import {
  boardBrowser,
  NETWORK,
  signedIn,
  type BoardBrowser,
} from '#tests/support/browser/board-browsers.ts';
import { PLANTS } from '#tests/support/data/inventory-laws.ts';
import { runs } from '#tests/support/run/runs.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService({ network: NETWORK });
afterAll(() => service.close());

const { was, ...PLAIN } = PLANTS;
void was;
let next = 0;
const clock = { now: Date.parse('2026-11-21T10:30:20Z') };

/** Browsers in which a new login is signed in, whose clocks are some ms fast. */
async function browsers(...fast: readonly number[]): Promise<BoardBrowser[]> {
  const name = `login-${(next += 1)}`;
  const made: BoardBrowser[] = [];
  for (const ms of fast) {
    made.push(boardBrowser(await signedIn(service, name), () => clock.now + ms));
  }
  return made;
}

const board = (view: string, more: Partial<SavedBoard> = {}): SavedBoard => ({
  ...PLAIN,
  at: (clock.now += 1000),
  view,
  ...more,
});

const views = async (browser: BoardBrowser): Promise<string[]> =>
  (await browser.all()).map(({ name, view }) => `${name}: ${view}`).sort();

async function exchangeAll(all: readonly BoardBrowser[]): Promise<void> {
  // Those before it read in the next round what one browser merges; merging once more changes nothing.
  for (let round = 0; round < 3; round += 1)
    for (const browser of all) await browser.exchange.run();
}

describe('the boards of a login', () => {
  it('are in every browser, with their notes and series of files', async () => {
    const [one, two] = await browsers(0, 0);
    await one!.boards.save(PLAIN);
    await one!.exchange.run();
    await two!.exchange.run();
    expect(await two!.boards.board('plants')).toEqual(PLAIN);
    await two!.boards.rename('plants', 'Drinks', (clock.now += 1000));
    await two!.exchange.run();
    await one!.exchange.run();
    expect(await views(one!)).toEqual([`Drinks: ${PLAIN.view}`]);
    expect([...one!.problems, ...two!.problems]).toEqual([]);
  });

  it('are in every browser of the machine where nobody signs in', async () => {
    const local = startService();
    const send = async (path: string, init?: RequestInit) => await local.request(path, init);
    const [one, two] = [boardBrowser(send, () => clock.now), boardBrowser(send, () => clock.now)];
    await one.boards.save(PLAIN);
    await exchangeAll([one, two]);
    expect(await two.boards.board('plants')).toEqual(PLAIN);
    expect([...one.problems, ...two.problems]).toEqual([]);
    expect((await local.request('/boards', { headers: { cookie: '' } })).status).toBe(401);
    await local.close();
  });

  it('stay in a browser without the service, and are exchanged once it answers', async () => {
    const [one, two] = await browsers(0, 0);
    one!.offline = true;
    await one!.boards.save(board('q=tea'));
    await one!.exchange.run();
    expect(await views(one!)).toEqual(['Plant drinks: q=tea']);
    one!.offline = false;
    await exchangeAll([one!, two!]);
    two!.offline = true;
    await two!.exchange.run();
    expect(await views(two!)).toEqual(['Plant drinks: q=tea']);
    expect([...one!.problems, ...two!.problems]).toEqual([]);
  });

  it('that two browsers changed are both kept: the later one has the name, the other is a copy', async () => {
    const [one, two] = await browsers(0, 0);
    await one!.boards.save(board('q=tea'));
    await exchangeAll([one!, two!]);
    await one!.boards.save(board('q=oat'));
    await two!.boards.save(board('q=rice'));
    await exchangeAll([one!, two!]);
    const both = ['Plant drinks (other browser): q=oat', 'Plant drinks: q=rice'];
    expect([await views(one!), await views(two!)]).toEqual([both, both]);
  });

  it('that another browser stores during an exchange are merged, not replaced', async () => {
    const [one, two] = await browsers(0, 0);
    await one!.boards.save(board('q=tea'));
    await exchangeAll([one!, two!]);
    await one!.boards.save(board('q=oat'));
    await two!.boards.save(board('q=rice'));
    let stored = false;
    one!.before = async (_, { method }) => {
      if (method !== 'PUT' || stored) return;
      stored = true;
      await two!.exchange.run();
    };
    await one!.exchange.run();
    await two!.exchange.run();
    expect(stored).toBe(true);
    const both = ['Plant drinks (other browser): q=oat', 'Plant drinks: q=rice'];
    expect([await views(one!), await views(two!)]).toEqual([both, both]);
  });

  it('are removed in every browser, and restored by undo, also with clocks that differ', async () => {
    const [one, two] = await browsers(3_600_000, -3_600_000);
    await one!.boards.save(board('q=tea', { at: clock.now + 3_600_000 }));
    await exchangeAll([one!, two!]);
    const gone = await two!.boards.remove('plants');
    await exchangeAll([two!, one!]);
    expect([await views(one!), await views(two!)]).toEqual([[], []]);
    await two!.boards.save(gone!);
    await exchangeAll([two!, one!]);
    expect(await views(one!)).toEqual(['Plant drinks: q=tea']);
    await two!.boards.remove('plants');
    await exchangeAll([two!, one!]);
    expect(await views(one!)).toEqual([]);
  });

  it('stay if one browser changed what another one removed', async () => {
    const [one, two] = await browsers(0, 0);
    await one!.boards.save(board('q=tea'));
    await exchangeAll([one!, two!]);
    await two!.boards.save(board('q=oat'));
    await one!.boards.remove('plants');
    await exchangeAll([one!, two!]);
    expect([await views(one!), await views(two!)]).toEqual([
      ['Plant drinks: q=oat'],
      ['Plant drinks: q=oat'],
    ]);
  });

  it('that a browser imports from a file after their removal are back', async () => {
    const [one, two] = await browsers(0, 0);
    await one!.boards.save(PLAIN);
    await exchangeAll([one!, two!]);
    await one!.boards.remove('plants');
    await exchangeAll([one!, two!]);
    await two!.boards.take(PLAIN);
    await exchangeAll([two!, one!]);
    expect(await views(one!)).toEqual([`Plant drinks: ${PLAIN.view}`]);
  });

  it('that the service lost, as after a restore of an old backup, are stored again', async () => {
    const [one, two] = await browsers(0, 0);
    await one!.boards.save(PLAIN);
    await exchangeAll([one!, two!]);
    await one!.boards.remove('plants');
    await one!.boards.save(board('q=tea', { id: 'tea' }));
    await exchangeAll([one!, two!]);
    // A login without boards, as the service of an earlier backup would have it.
    const name = `login-${(next += 1)}`;
    for (const each of [one!, two!]) each.send = await signedIn(service, name);
    await exchangeAll([one!]);
    const [three] = [boardBrowser(one!.send, () => clock.now)];
    await exchangeAll([three, two!]);
    expect([await views(two!), await views(three)]).toEqual([
      ['Plant drinks: q=tea'],
      ['Plant drinks: q=tea'],
    ]);
  });

  it(
    'too large for the service stay in the browser, which says so once',
    { tags: 'long' },
    async () => {
      const [one, two] = await browsers(0, 0);
      const [fixed] = PLAIN.fixed;
      // Random text has six bits a character, which nothing compresses further.
      const label = (): string => randomBytes(MOST_BOARD_BYTES / 6).toString('base64');
      const panels = Array.from({ length: 7 }, () => ({ ...fixed!, label: label() }));
      await one!.boards.save(board('q=large', { id: 'large', fixed: panels }));
      await one!.boards.save(board('q=tea'));
      await exchangeAll([one!, two!]);
      expect(one!.problems).toEqual([
        expect.stringMatching(/^Plant drinks is stored only in this browser\. ./),
      ]);
      expect(await views(one!)).toHaveLength(2);
      expect(await views(two!)).toEqual(['Plant drinks: q=tea']);
    },
  );
});

type Step = readonly [
  browser: number,
  what: 'save' | 'remove' | 'restore' | 'exchange',
  id: number,
];

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(
    fc.nat({ max: 2 }),
    fc.constantFrom('save', 'remove', 'restore', 'exchange', 'exchange' as const),
    fc.nat({ max: 1 }),
  ),
  { maxLength: 25 },
);

it('law: browsers end with the same boards, and lose nothing that nobody replaced or removed', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.integer({ min: -5e6, max: 5e6 }), { minLength: 3, maxLength: 3 }),
      async (taken, fast) => {
        const all = await browsers(...fast);
        /** Views that were written, that some browser replaced or removed, and that were restored. */
        const [written, replaced, restored] = [
          new Set<string>(),
          new Set<string>(),
          new Set<string>(),
        ];
        const removed = new Map<string, SavedBoard>();
        let views = 0;
        for (const [n, what, number] of taken) {
          const one = all[n]!;
          clock.now += 1000;
          const id = `board-${number}`;
          const here = await one.boards.board(id);
          if (what === 'exchange') await one.exchange.run();
          else if (what === 'save') {
            if (here) replaced.add(here.view);
            const view = `q=${(views += 1)}`;
            written.add(view);
            await one.boards.save(
              board(view, { id, name: id, at: clock.now + fast[n]!, fixed: [], notes: [] }),
            );
          } else if (what === 'remove') {
            const gone = await one.boards.remove(id);
            if (gone) replaced.add(gone.view);
            if (gone) removed.set(`${n} ${id}`, gone);
          } else {
            const gone = removed.get(`${n} ${id}`);
            if (!gone || here) continue;
            restored.add(gone.view);
            await one.boards.save(gone);
          }
        }
        await exchangeAll(all);
        await exchangeAll(all);
        const ends = await Promise.all(all.map((browser) => browser.all()));
        const plain = ends.map((list) =>
          list.map(({ id, name, view, at }) => [id, name, view, at]).sort(),
        );
        expect(plain[1]).toEqual(plain[0]);
        expect(plain[2]).toEqual(plain[0]);
        const found = new Set(ends[0]!.map(({ view }) => view));
        for (const view of written) if (!replaced.has(view)) expect(found).toContain(view);
        for (const { id, view } of ends[0]!) {
          // A copy may be of what its browser replaced before it knew of the copy.
          const mayBe = id.includes('~') || !replaced.has(view) || restored.has(view);
          expect([id, view, written.has(view) && mayBe]).toEqual([id, view, true]);
        }
        expect(all.flatMap(({ problems }) => problems)).toEqual([]);
      },
    ),
    { numRuns: runs(100) },
  );
});
