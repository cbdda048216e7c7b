import type { MessagePort } from 'node:worker_threads';
import { needOf } from '#core/rules/need.ts';
import { parseRule, type RuleKind } from '#core/rules/parse.ts';
import { ruleIndex, type RuleIndex } from '#core/rules/rule-index.ts';
import { readId } from '#core/import/id.ts';
import { openSource, type Source, type StoreFinder } from '#server/posts/index/source.ts';
import { answerCalls, callThread, type Calls } from '#server/thread-calls.ts';
import type { ThreadData } from '#server/threads.ts';
import { readView } from './post-reader.ts';
import type { RuleStream, RuleTable, StoredRule } from './rule-table.ts';

/** Files of Posts, by the stream that they are matched for. */
export type MatchedFiles = Readonly<Record<RuleStream, string>>;

/** Start data of a thread that matches rules. */
interface MatcherData extends ThreadData {
  readonly task: 'rules';
  readonly files: MatchedFiles;
}

/** JSON of users by id, in place of what the file of Posts has of them. */
export type KnownUsers = ReadonlyMap<string, string>;

type RuleText = Pick<StoredRule, 'id' | 'value'> & { readonly kind: RuleKind };

/** One call of the thread. */
type Call =
  | {
      readonly what: 'change';
      readonly stream: RuleStream;
      readonly add: readonly RuleText[];
      readonly remove: readonly string[];
    }
  | {
      readonly what: 'match';
      readonly stream: RuleStream;
      readonly posts: readonly string[];
      readonly users: KnownUsers;
    }
  | { readonly what: 'reopen'; readonly stream: RuleStream }
  | { readonly what: 'close' };

/** Ids of the rules of each Post. */
type Matches = readonly (readonly string[])[];

/** Twice what 25,000 rules and the index of three million Posts take. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

const ENDED = 'the thread that matches rules ended unexpectedly';

/** Whether a worker's data starts a thread that matches rules. */
export function isMatcherData(data: unknown): data is MatcherData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'rules';
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
  /** Module whose code calls {@link runMatcher} in a worker. */
  readonly entry: URL;
  readonly files: MatchedFiles;
  /** Where the rules of each kind are, and where their changes are known. No two have the same id. */
  readonly rules: readonly Pick<RuleTable, 'kind' | 'all' | 'onRules'>[];
}

/** Starts what carries out calls. @param onEnd - Called when it ended. */
type Start = (onEnd: () => void) => Calls<Call, Matches>;

/** A matcher that runs on this thread. */
export function matcherOver({
  files,
  rules,
  random,
}: Omit<MatcherDeps, 'entry'> & { readonly random: (n: number) => Uint8Array }): RuleMatcher {
  return matcherBy(() => {
    const carryOut = carrierOver(files, { random });
    return { send: (call) => void carryOut(call), call: async (call) => carryOut(call) };
  }, rules);
}

/** Opens a matcher. The first call starts its thread. */
export function openMatcher({ entry, files, rules }: MatcherDeps): RuleMatcher {
  const data: MatcherData = { task: 'rules', entry: entry.href, files };
  return matcherBy((onEnd) => callThread(data, { limits: LIMITS, ended: ENDED, onEnd }), rules);
}

function matcherBy(start: Start, rules: MatcherDeps['rules']): RuleMatcher {
  let thread: Calls<Call, Matches> | null = null;
  const started = (): Calls<Call, Matches> => {
    if (thread) return thread;
    const opened = start(() => {
      if (thread === opened) thread = null;
    });
    thread = opened;
    for (const stream of ['posts', 'sample'] as const) {
      const add = rules.flatMap(({ kind, all }) =>
        all(stream).map(({ id, value }) => ({ id, value, kind })),
      );
      if (add.length > 0) opened.send({ what: 'change', stream, add, remove: [] });
    }
    return thread;
  };
  // A thread that is not running reads the rules when it starts.
  const stops = rules.map(({ kind, onRules }) =>
    onRules(({ stream, added, removed }) => {
      const add = added.map(({ id, value }) => ({ id, value, kind }));
      thread?.send({ what: 'change', stream, add, remove: removed });
    }),
  );
  return {
    match: (stream, posts, users = new Map()) =>
      started().call({ what: 'match', stream, posts, users }),
    reopen: async (stream) => void (await thread?.call({ what: 'reopen', stream })),
    close: async () => {
      for (const stop of stops) stop();
      await thread?.call({ what: 'close' });
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

/** Carries out calls over the files of the streams. */
function carrierOver(
  files: MatchedFiles,
  deps: { random: (n: number) => Uint8Array },
): (call: Call) => Matches {
  const streams = { posts: new Stream(files.posts, deps), sample: new Stream(files.sample, deps) };
  return (call) => {
    switch (call.what) {
      case 'change':
        streams[call.stream].change(call.add, call.remove);
        return [];
      case 'match':
        return streams[call.stream].match(call.posts, call.users);
      case 'reopen':
        streams[call.stream].close();
        return [];
      case 'close':
        for (const stream of Object.values(streams)) stream.close();
        return [];
    }
  };
}

/** Runs in the matcher's thread, until it is asked to end. */
export function runMatcher(
  { files }: MatcherData,
  port: MessagePort,
  deps: { random: (n: number) => Uint8Array },
): void {
  answerCalls(port, carrierOver(files, deps), ({ what }) => what === 'close');
}
