import type { RuleKind } from '#core/rules/parse.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import { foundPost, isVisible, readJson, type FoundPost } from '#server/posts/json/post-json.ts';
import { affiliateIds } from '#server/posts/json/user-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { LogPart } from './follow-log.ts';
import type { EventLog, LogEntry } from './log.ts';
import type { KnownUsers } from '#server/streams/rules/matcher-thread.ts';

/** A rule that a Post matched. */
export interface MatchedRule {
  readonly id: string;
  /** Id of the app. */
  readonly app: string;
  readonly tag: string | null;
  readonly kind: RuleKind;
}

type RulesByKind = Readonly<Record<RuleKind, readonly MatchedRule[]>>;

/** The JSON of a Post, and the text that is sent of it. */
export interface SharedLine {
  readonly json: Json;
  readonly text: string;
}

/** A new Post or version, with the rules of all apps that it matched. */
export interface MatchedPost {
  /** Number of its entry in the log. */
  readonly number: number;
  /** The time at which the entry was appended, epoch ms. */
  readonly at: number;
  readonly post: FoundPost;
  readonly rules: RulesByKind;
  /** The lines of it that connections with the same selection send. */
  readonly lines: Map<string, SharedLine>;
}

/** The Posts of a log that match rules. */
export type MatchedPosts = ReturnType<typeof matchedPosts>;

/** Entries that are read and matched at once. */
const PART = 200;

/** Matched entries that are kept for other connections, and for those that are a little behind. */
const MOST_STORED = 512;

export interface MatchedDeps {
  readonly log: EventLog;
  readonly finder: () => PostFinder | null;
  /** For each Post, by its id, the rules of all apps that it matches now. */
  readonly match: (
    posts: readonly string[],
    users: KnownUsers,
  ) => Promise<readonly (readonly MatchedRule[])[]>;
  /** True if a user is an account of this service, whose profile the file of Posts does not have. */
  readonly isAccount: (id: string) => boolean;
}

function byKind(rules: readonly MatchedRule[] = []): RulesByKind {
  const of = (kind: RuleKind) => rules.filter((rule) => rule.kind === kind);
  return { filtered_stream: of('filtered_stream'), powerstream: of('powerstream') };
}

const isOfPost = ({ type }: LogEntry): boolean => type === 'post.create' || type === 'post.edit';

/** Reads new entries once for all connections: what one of them had matched, the others get from memory. */
export function matchedPosts({ log, finder: find, match, isAccount }: MatchedDeps) {
  /** By number of the entry; null for an entry without a Post to send. */
  const known = new Map<number, Promise<MatchedPost | null>>();
  /** The entries that were read last. All live connections are at the same place, and one of them reads for all. */
  let recent: { readonly after: number; readonly entries: readonly LogEntry[] } | null = null;
  log.onAppend(() => {
    recent = null;
  });
  const entriesAfter = (number: number): readonly LogEntry[] => {
    if (recent?.after !== number) recent = { after: number, entries: log.after(number, PART) };
    return recent.entries;
  };

  const matched = async (
    entries: readonly LogEntry[],
  ): Promise<ReadonlyMap<number, MatchedPost>> => {
    const finder = entries.length > 0 ? find() : null;
    if (!finder) return new Map();
    const ids = entries.flatMap(({ post }) => readId(post ?? '') ?? []);
    const rows = new Map(finder.rows(ids).map((row) => [String(row.id), row]));
    const found = entries.flatMap(({ number, at, post: id }) => {
      const row = rows.get(id ?? '');
      const post = row && foundPost(row);
      return post && isVisible(post, finder) ? [{ number, at, post }] : [];
    });
    const users = new Map<string, string>();
    const learn = (id: string): void => {
      if (!isAccount(id) || users.has(id)) return;
      const json = finder.object('users', id) ?? '{}';
      users.set(id, json);
      for (const affiliate of affiliateIds(readJson(json))) learn(affiliate);
    };
    for (const { post } of found) {
      for (const id of [post.row.authorId, allFacts(post.row).inReplyToUserId]) {
        if (id !== null && id !== undefined) learn(id);
      }
    }
    const rules = await match(
      found.map(({ post }) => String(post.row.id)),
      users,
    );
    return new Map(
      found.map(({ number, at, post }, i) => [
        number,
        { number, at, post, rules: byKind(rules[i]), lines: new Map() },
      ]),
    );
  };

  const read = (entries: readonly LogEntry[]): void => {
    const fresh = entries.filter(({ number }) => !known.has(number));
    if (fresh.length === 0) return;
    const work = matched(fresh.filter(isOfPost));
    for (const entry of fresh) {
      const { number } = entry;
      const post = isOfPost(entry)
        ? work.then((posts) => posts.get(number) ?? null)
        : Promise.resolve(null);
      known.set(number, post);
      // The callers that wait for it get the error; the next read tries again.
      post.catch(() => known.delete(number));
    }
  };
  const forget = (): void => {
    for (const number of known.keys()) {
      if (known.size <= MOST_STORED) return;
      known.delete(number);
    }
  };

  const old = async (number: number, entries: readonly LogEntry[]) => ({
    last: entries.at(-1)?.number ?? number,
    items: [...(await matched(entries.filter(isOfPost))).values()],
  });

  return {
    /**
     * Reads the entries after a number. Posts that were deleted, or that not everybody may see, are left out.
     *
     * @param isNew - Whether the entries are new to all connections, which then share what is read. Older ones are matched
     *   with the rules of now, and left out if their Posts are gone by now.
     */
    after: async (number: number, isNew: boolean): Promise<LogPart<MatchedPost>> => {
      if (!isNew) return await old(number, log.after(number, PART));
      const entries = entriesAfter(number);
      read(entries);
      const posts = await Promise.all(entries.map((entry) => known.get(entry.number)));
      forget();
      return {
        last: entries.at(-1)?.number ?? number,
        items: posts.filter((post) => post !== null && post !== undefined),
      };
    },
    /** The same for older entries, up to an instant (epoch ms); later entries are not read. */
    until: async (number: number, end: number): Promise<LogPart<MatchedPost>> =>
      await old(
        number,
        log.after(number, PART).filter(({ at }) => at < end),
      ),
  };
}
