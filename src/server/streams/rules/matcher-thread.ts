import { needOf } from '#core/rules/need.ts';
import { parseRule, type RuleKind } from '#core/rules/parse.ts';
import { ruleIndex } from '#core/rules/rule-index.ts';
import { readId } from '#core/import/id.ts';
import type { Source, StoreFinder } from '#server/posts/index/source.ts';
import { sourcesIn } from '#server/posts/index/sources-in.ts';
import { thread } from '#server/threads.ts';
import { readView } from './post-reader.ts';
import type { RuleStream, RuleTable, StoredRule } from './rule-table.ts';
import type { TaskHost, ThreadDeps } from '#server/thread-task.ts';

/** Files of Posts, by the stream that they are matched for. */
export type MatchedFiles = Readonly<Record<RuleStream, string>>;

/** JSON of users by id, in place of what the file of Posts has of them. */
export type KnownUsers = ReadonlyMap<string, string>;

type RuleText = Pick<StoredRule, 'id' | 'value'> & { readonly kind: RuleKind };

/** Ids of the rules of each Post. */
type Matches = readonly (readonly string[])[];

type Matching = ReturnType<typeof matchingOver>;

/** Matches Posts with the rules of all apps and kinds, in a thread, so that neither answers nor changes wait. */
export type RuleMatcher = ReturnType<typeof openMatcher>;

export interface MatcherDeps {
  readonly host: TaskHost;
  readonly files: MatchedFiles;
  /** The tables of the rules of each kind, where their changes are known. No two have the same id. */
  readonly rules: readonly Pick<RuleTable, 'kind' | 'all' | 'onRules'>[];
}

/** Opens a matcher. The first call starts its thread. */
export function openMatcher({ host, files, rules }: MatcherDeps) {
  // If the thread ends, the next one gets all rules.
  const change = (methods: Matching | null, ...args: Parameters<Matching['change']>): void =>
    void methods?.change(...args).catch(() => undefined);
  const { methods, running, close } = thread(host, MATCHER, files, (methods) => {
    for (const stream of ['posts', 'sample'] as const) {
      const add = rules.flatMap(({ kind, all }) =>
        all(stream).map(({ id, value }) => ({ id, value, kind })),
      );
      if (add.length > 0) change(methods, stream, add, []);
    }
  });
  const stops = rules.map(({ kind, onRules }) =>
    onRules(({ stream, added, removed }) => {
      const add = added.map(({ id, value }) => ({ id, value, kind }));
      change(running(), stream, add, removed);
    }),
  );
  return {
    /**
     * Finds the rules that stored Posts match, as of the call: rules that were added before it are included, and removed
     * ones are not.
     *
     * @param posts - Ids. A Post that no longer exists matches none.
     * @param users - Those whose profiles are not, or not only, in the file of Posts.
     * @returns For each Post the ids of its rules, ascending within a kind.
     * @throws {@link StoreError} if the file cannot be read; {@link Error} if the thread ended. The next call starts it
     *   again, with all rules.
     */
    match: (
      stream: RuleStream,
      posts: readonly string[],
      users: KnownUsers = new Map(),
    ): Promise<Matches> => methods.match(stream, posts, users),
    /** Opens the file of a stream again, after it was replaced. */
    reopen: async (stream: RuleStream): Promise<void> => void (await running()?.reopen(stream)),
    /** Ends the thread once all calls are done. */
    close: async (): Promise<void> => {
      for (const stop of stops) stop();
      await close();
    },
  };
}

/** The rules and the file of a stream, in the thread. */
class Stream {
  readonly #source: () => Source;
  readonly #index = ruleIndex();

  /** @param source - Opens its file. */
  constructor(source: () => Source) {
    this.#source = source;
  }

  change(add: readonly RuleText[], remove: readonly string[]): void {
    this.#index.remove(remove);
    // A rule that an earlier version accepted and this one does not matches nothing.
    const rules = add.flatMap(({ id, value, kind }) => {
      const parsed = parseRule(value, kind);
      return parsed.ok ? [{ id, need: needOf(parsed.ast) }] : [];
    });
    this.#index.add(rules);
  }

  match(posts: readonly string[], users: KnownUsers): string[][] {
    if (this.#index.size === 0) return posts.map(() => []);
    const { posts: stored } = this.#source();
    const finder: StoreFinder = {
      ...stored,
      object: (kind, key) =>
        (kind === 'users' ? users.get(key) : undefined) ?? stored.object(kind, key),
    };
    const ids = posts.map((id) => readId(id));
    const rows = new Map(finder.rows(ids.filter((id) => id !== null)).map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = id === null ? undefined : rows.get(id);
      return row ? this.#index.match(readView(finder, row)) : [];
    });
  }
}

function matchingOver(files: MatchedFiles, deps: Pick<ThreadDeps, 'random'>) {
  const { get, reopen, close } = sourcesIn(files, deps);
  const streams = {
    posts: new Stream(() => get('posts')),
    sample: new Stream(() => get('sample')),
  };
  return {
    change: async (stream: RuleStream, add: readonly RuleText[], remove: readonly string[]) =>
      streams[stream].change(add, remove),
    match: async (stream: RuleStream, posts: readonly string[], users: KnownUsers) =>
      streams[stream].match(posts, users),
    reopen,
    close,
  };
}

export const MATCHER = {
  name: 'matcher',
  // Twice what 25,000 rules and the index of three million Posts take.
  limits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 },
  ended: 'the thread that matches rules ended unexpectedly',
  open: matchingOver,
};
