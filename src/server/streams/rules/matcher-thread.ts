import { needOf } from '#core/rules/need.ts';
import { parseRule, type RuleKind } from '#core/rules/parse.ts';
import { ruleIndex, type RuleIndex } from '#core/rules/rule-index.ts';
import { readId } from '#core/import/id.ts';
import { openSource, type Source, type StoreFinder } from '#server/posts/index/source.ts';
import { thread, type Task, type TaskHost, type ThreadDeps } from '#server/threads.ts';
import { readView } from './post-reader.ts';
import type { RuleStream, RuleTable, StoredRule } from './rule-table.ts';

/** Files of Posts, by the stream that they are matched for. */
export type MatchedFiles = Readonly<Record<RuleStream, string>>;

/** JSON of users by id, in place of what the file of Posts has of them. */
export type KnownUsers = ReadonlyMap<string, string>;

type RuleText = Pick<StoredRule, 'id' | 'value'> & { readonly kind: RuleKind };

/** Ids of the rules of each Post. */
type Matches = readonly (readonly string[])[];

/** The matching of Posts in their thread, where the rules of its streams are known. */
interface Matching {
  change(stream: RuleStream, add: readonly RuleText[], remove: readonly string[]): Promise<void>;
  match(stream: RuleStream, posts: readonly string[], users: KnownUsers): Promise<Matches>;
  reopen(stream: RuleStream): Promise<void>;
}

/** Matches Posts with the rules of all apps and kinds, in a thread, so that neither answers nor changes wait. */
export interface RuleMatcher {
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
  match(stream: RuleStream, posts: readonly string[], users?: KnownUsers): Promise<Matches>;
  /** Opens the file of a stream again, after it was replaced. */
  reopen(stream: RuleStream): Promise<void>;
  /** Ends the thread once all calls are done. */
  close(): Promise<void>;
}

export interface MatcherDeps {
  readonly host: TaskHost;
  readonly files: MatchedFiles;
  /** The tables of the rules of each kind, where their changes are known. No two have the same id. */
  readonly rules: readonly Pick<RuleTable, 'kind' | 'all' | 'onRules'>[];
}

/** Opens a matcher. The first call starts its thread. */
export function openMatcher({ host, files, rules }: MatcherDeps): RuleMatcher {
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
    match: (stream, posts, users = new Map()) => methods.match(stream, posts, users),
    reopen: async (stream) => void (await running()?.reopen(stream)),
    close: async () => {
      for (const stop of stops) stop();
      await close();
    },
  };
}

/** The rules and the file of a stream, in the thread. */
class Stream {
  readonly #file: string;
  readonly #deps: { random: (n: number) => Uint8Array };
  readonly #index: RuleIndex = ruleIndex();
  #source: Source | null = null;

  constructor(file: string, deps: { random: (n: number) => Uint8Array }) {
    this.#file = file;
    this.#deps = deps;
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
    this.#source ??= openSource(this.#file, this.#deps);
    const { posts: stored } = this.#source;
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

  close(): void {
    this.#source?.close();
    this.#source = null;
  }
}

function matchingOver(
  files: MatchedFiles,
  deps: Pick<ThreadDeps, 'random'>,
): Matching & { close(): void } {
  const streams = { posts: new Stream(files.posts, deps), sample: new Stream(files.sample, deps) };
  return {
    change: async (stream, add, remove) => streams[stream].change(add, remove),
    match: async (stream, posts, users) => streams[stream].match(posts, users),
    reopen: async (stream) => streams[stream].close(),
    close: () => {
      for (const stream of Object.values(streams)) stream.close();
    },
  };
}

export const MATCHER: Task<MatchedFiles, Matching> = {
  name: 'matcher',
  // Twice what 25,000 rules and the index of three million Posts take.
  limits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 },
  ended: 'the thread that matches rules ended unexpectedly',
  open: matchingOver,
};
