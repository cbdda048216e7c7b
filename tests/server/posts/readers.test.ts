import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { condition } from '#core/query/condition.ts';
import { ALL_TIME } from '#core/time/span.ts';
import { answerTo } from '#server/api/breakdown/question.ts';
import { finish, NEVER, type Steps } from '#server/index/steps.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { foundPost, isShown } from '#server/posts/json/post-json.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { openSource, type Source, type SourceState } from '#server/posts/index/source.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { writePosts } from '#tests/support/service/service.ts';

// In any graph of follows and protected users, a reader counts exactly the Posts that search would show to it.

const file = temporaryFolder();
const random = countingBytes();
const WORDS = ['tea', 'milk', 'rain'] as const;
const START = Date.UTC(2026, 4, 1);
const USERS = ['10', '20', '30', '40', '50'] as const;

const user = fc.constantFrom(...USERS);
const graph = fc.record({
  protected: fc.uniqueArray(user),
  follows: fc.array(fc.tuple(user, user), { maxLength: 12 }),
  posts: fc.array(
    fc.record({
      // Some Posts do not say who wrote them.
      author: fc.option(user),
      minute: fc.nat(3 * 1440),
      word: fc.constantFrom(...WORDS),
    }),
    { minLength: 1, maxLength: 40 },
  ),
  /** Posts that are in a chunk on disk; the others are in the open set. */
  sealed: fc.nat(40),
});
type Graph = typeof graph extends fc.Arbitrary<infer T> ? T : never;

function write(name: string, { protected: hidden, follows, posts, sealed }: Graph): void {
  const all = posts.map(({ author, minute, word }, i) => ({
    id: BigInt(i + 1),
    createdAt: START + minute * 60_000,
    text: word,
    ...(author !== null && { authorId: author, username: `u${author}` }),
  }));
  writePosts(name, all.slice(0, sealed));
  const db = openPosts(name, { random });
  for (const _ of reindex(db));
  db.write('test', () => {
    postTable(db).putObjects(
      USERS.map((id) => {
        const json = JSON.stringify({
          id,
          username: `u${id}`,
          ...(hidden.includes(id) && { protected: true }),
        });
        return { kind: 'users', key: id, json };
      }),
    );
    for (const [source, target] of follows) {
      relationTable(db).put('follow', BigInt(source), BigInt(target));
    }
  });
  db.close();
  writePosts(name, all.slice(sealed));
}

function over<T>(source: Source, work: (state: SourceState) => Steps<T>): T {
  const step = source.over((state) => work(state))(NEVER);
  if (!step.done) throw new Error('expected work without pauses');
  return step.value;
}

it('a reader counts, breaks down and finds exactly the Posts that it may read', () => {
  let n = 0;
  fc.assert(
    fc.property(graph, (made) => {
      const name = file(`graph-${n++}`);
      write(name, made);
      const source = openSource(name, { random });
      for (const id of [null, ...USERS]) {
        const viewer = id === null ? null : { id, username: `u${id}` };
        over(source, function* (whole) {
          const hidden = hiddenFrom(viewer, 'posts', null, whole);
          const state = yield* whole.without(hidden, NEVER);
          const finder = { ...whole, ...(id !== null && { viewer: id }) };
          const ids = made.posts.map((_, i) => BigInt(i + 1));
          const rows = whole.rows(ids).filter((row) => isShown(foundPost(row), finder));
          for (const word of WORDS) {
            const parsed = parse(word, { own: true });
            if (!parsed.ok) throw new Error(word);
            const wanted = condition(parsed.ast, whole);
            const mine = rows.filter(({ text }) => text === word);
            const counts = yield* state.histogram(wanted, ALL_TIME, 'day', {}, NEVER);
            expect(counts.reduce((sum, count) => sum + count, 0)).toBe(mine.length);
            for (const way of ['newest', 'oldest'] as const) {
              const hits = yield* state[way](wanted, ALL_TIME, 100, {}, NEVER);
              expect(hits.map((hit) => hit.id).sort()).toEqual(mine.map((row) => row.id).sort());
            }
          }
          const question = { what: 'related', query: 'tea', span: ALL_TIME, limit: 50 } as const;
          const related = yield* answerTo(state, question, NEVER);
          const tea = rows.filter(({ text }) => text === 'tea').length;
          expect(related).toMatchObject({ posts: tea, others: rows.length - tea });
        });
      }
      source.close();
    }),
    { numRuns: runs(40) },
  );
});

it('a state is the same where nobody is protected, and knows users whose Posts are left out', () => {
  const name = file('public');
  write(name, {
    protected: [],
    follows: [],
    posts: [{ author: '10', minute: 0, word: 'tea' }],
    sealed: 1,
  });
  const source = openSource(name, { random });
  over(source, function* (whole) {
    expect(yield* whole.without([], NEVER)).toBe(whole);
    expect(finish(whole.without(['20'], NEVER)).chunks).toEqual(whole.chunks);
    expect(finish(whole.without(['10'], NEVER)).hasUser('u10')).toBe(true);
  });
  source.close();
});
