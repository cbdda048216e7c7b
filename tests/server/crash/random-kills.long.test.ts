import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Random } from '#server/sample/random.ts';
import { makeFull, makeSmall } from './files.ts';
import { openBench, type Bench, type Kill } from './killed.ts';
import { proveAftermath } from './aftermath.ts';
import { Held } from './proof.ts';
import { POLLS, type Action } from './script.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** Number of files, and of kills of a process on each. */
const FILES = 80;
const KILLS = 4;

let bench: Bench;
const beginnings: { readonly file: string; readonly held: Held }[] = [];
beforeAll(() => {
  bench = openBench();
  const full = { file: bench.file('full'), held: makeFull(bench.file('full')) };
  const file = bench.copy(full.file);
  const small = { file, held: makeSmall(file, full.held) };
  beginnings.push(small, small, small, full);
});
afterAll(() => bench.remove());

/** Random actions on the content of a file; new Posts have ids from `next` on. */
function randomScript(begin: Held, pick: Random, next: { id: number; polls: number }): Action[] {
  const script: Action[] = [];
  let held = begin;
  const some = (): number => [...held.posts][pick.below(held.posts.size)]!;
  const work = (what: 'compact' | 'reindex'): Action =>
    pick.chance(0.4) ? { what } : { what, yields: 1 + pick.below(12) };
  const one = (): Action => {
    const kind = pick.below(22);
    if (kind === 18) return { what: 'create', id: next.id++, charged: true };
    if (kind === 19) return { what: 'addList', id: next.id++, charged: true };
    if (kind === 20 && held.lists.size > 0) {
      const source = [...held.lists.keys()][pick.below(held.lists.size)]!;
      return { what: 'addMember', source, target: next.id++, charged: true };
    }
    if (kind === 21) {
      const relations = 1 + pick.below(300);
      next.id += relations;
      return { what: 'archive', from: next.id - relations, relations };
    }
    if (kind === 16) return { what: 'like', source: next.id++, target: some() };
    if (kind === 17) return { what: 'repost', source: next.id++, target: some(), id: next.id++ };
    if (kind < 3) return { what: 'create', id: next.id++ };
    if (kind < 6) return { what: 'edit', previous: some(), id: next.id++ };
    if (kind < 9) return { what: 'delete', id: some() };
    if (kind < 10 && script.length > 0 && script[0]!.what === 'delete') {
      const { id } = script[0]!;
      if (!held.posts.has(id)) return { what: 'create', id };
    }
    if (kind < 11) {
      const posts = pick.chance(0.1) ? 8300 : 1 + pick.below(300);
      const from = next.id;
      next.id += posts;
      return { what: 'import', from, posts };
    }
    if (kind < 12 && pick.chance(0.3)) {
      return { what: 'poll', id: POLLS + next.polls++, target: some() };
    }
    if (kind < 12 && pick.chance(0.3)) {
      next.id += 20_000;
      return { what: 'objects', from: next.id - 20_000 };
    }
    return work(pick.chance(0.6) ? 'compact' : 'reindex');
  };
  for (let n = 3 + pick.below(12); n > 0; n--) {
    const action = one();
    held = held.with(action);
    script.push(action);
  }
  return script;
}

/** Steps of an action, and the approximate number of transactions of that name. */
const STEPS: Readonly<Record<Action['what'], readonly (readonly [string, number])[]>> = {
  create: [
    ['create', 2],
    ['create charge', 1],
  ],
  edit: [['edit', 3]],
  delete: [['remove', 3]],
  poll: [['create putObjects answer', 2]],
  like: [['relate', 2]],
  unlike: [['unrelate', 1]],
  follow: [['learn relate', 2]],
  addList: [['addList charge', 2]],
  setList: [['setList', 1]],
  removeList: [['removeList', 1]],
  addMember: [['addMember charge', 2]],
  removeMember: [['removeMember', 1]],
  archive: [['import', 2]],
  collect: [
    ['collection', 2],
    ['import', 2],
    ['join', 1],
  ],
  rename: [['renameCollection', 1]],
  include: [['includeCollection', 1]],
  exclude: [['includeCollection', 1]],
  discard: [['removeCollection', 1]],
  restore: [['restoreCollection', 1]],
  purge: [['purge', 2]],
  repost: [['repost', 2]],
  unrepost: [['unrepost', 1]],
  import: [['import', 2]],
  objects: [['objects', 1]],
  compact: [
    ['seal: write', 2],
    ['seal', 1],
    ['compact: write', 2],
    ['compact', 1],
    ['clear', 12],
  ],
  reindex: [
    ['reindex: write', 2],
    ['reindex', 1],
    ['clear', 12],
  ],
};

/** A kill from outside at any moment, or one in a step that the script probably takes. */
function randomKill(script: readonly Action[], pick: Random): Kill {
  if (pick.chance(0.3)) return { afterMs: pick.below(600) };
  if (pick.chance(0.1)) return { step: 'migrate', at: 'commit', n: 1 };
  const { what } = script[pick.below(script.length)]!;
  const [step, times] = STEPS[what][pick.below(STEPS[what].length)]!;
  const at = pick.pick(['begin', 'commit', 'done', 'within'] as const);
  return { step, at, n: 1 + pick.below(times), statements: 1 + pick.below(6) };
}

let killed = 0;

test.each(Array.from({ length: FILES }, (_, seed) => seed))(
  'after kills at any moment of any work, a file has what was reported as done (seed %i)',
  async (seed) => {
    const pick = new Random(seed);
    const begin = beginnings[pick.below(beginnings.length)]!;
    const next = { id: 1_000_000, polls: 0 };
    let { file, held } = begin;
    for (let i = 0; i < KILLS; i++) {
      const script = randomScript(held, pick, next);
      const kill = randomKill(script, pick);
      file = bench.copy(file);
      const outcome = await bench.run(file, script, kill);
      if (outcome.killed) killed++;
      try {
        held = proveAftermath(file, { held, script }, outcome);
      } catch (error) {
        throw new Error(`killed at ${JSON.stringify(kill)} in ${JSON.stringify(script)}`, {
          cause: error,
        });
      }
    }
  },
);

test('most of the processes were killed', () => {
  expect(killed).toBeGreaterThan((FILES * KILLS) / 3);
});
