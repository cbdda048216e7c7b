import { readId } from '#server/import/id.ts';
import { foundPost, isVisible } from '#server/posts/post-json.ts';
import type { FoundPost } from '#server/posts/post-json.ts';
import type { PostFinder } from '#server/posts/source.ts';
import type { LogPart } from './follow-log.ts';
import type { EventLog, LogEntry } from './log.ts';

/** A rule that a Post matched. */
export interface MatchedRule {
  readonly id: string;
  /** Id of the app. */
  readonly app: string;
  readonly tag: string | null;
}

/** The JSON of a Post, and its text. */
export interface SharedLine {
  readonly json: unknown;
  readonly text: string;
}

/** A new Post or version, with the rules of all apps that it matched. */
export interface MatchedPost {
  /** Number of its entry in the log. */
  readonly number: number;
  readonly post: FoundPost;
  readonly rules: readonly MatchedRule[];
  /** What connections with the same selection send of it. */
  readonly lines: Map<string, SharedLine>;
}

/** The Posts of a log that match rules. */
export interface MatchedPosts {
  /**
   * Reads on after a number. Posts that were deleted, or that not everybody may see, are left out.
   *
   * @param until - Epoch ms; later entries are not read.
   */
  after(number: number, until?: number): Promise<LogPart<MatchedPost>>;
}

/** Entries that are read and matched at once. */
const PART = 200;

/** Matched entries that are kept for other connections, and for those that are a little behind. */
const MOST_STORED = 4096;

export interface MatchedDeps {
  readonly log: EventLog;
  readonly finder: () => PostFinder | null;
  /** For each Post, by its id, the rules of all apps that it matches now. */
  readonly match: (posts: readonly string[]) => Promise<readonly (readonly MatchedRule[])[]>;
}

const isOfPost = ({ type }: LogEntry): boolean => type === 'post.create' || type === 'post.edit';

/** Reads a log once for all connections: what one of them had matched, the others get from memory. */
export function matchedPosts({ log, finder: find, match }: MatchedDeps): MatchedPosts {
  /** By number of the entry; null for an entry without a Post to send. */
  const known = new Map<number, Promise<MatchedPost | null>>();

  const matched = async (
    entries: readonly LogEntry[],
  ): Promise<ReadonlyMap<number, MatchedPost>> => {
    const finder = find();
    if (!finder) return new Map();
    const ids = entries.flatMap(({ post }) => readId(post ?? '') ?? []);
    const rows = new Map(finder.rows(ids).map((row) => [String(row.id), row]));
    const found = entries.flatMap(({ number, post: id }) => {
      const row = rows.get(id ?? '');
      const post = row && foundPost(row);
      return post && isVisible(post, finder) ? [{ number, post }] : [];
    });
    const rules = await match(found.map(({ post }) => String(post.row.id)));
    return new Map(
      found.map(({ number, post }, i) => [
        number,
        { number, post, rules: rules[i] ?? [], lines: new Map() },
      ]),
    );
  };

  const read = (entries: readonly LogEntry[]): void => {
    const fresh = entries.filter(({ number }) => !known.has(number));
    const work = matched(fresh.filter(isOfPost));
    for (const entry of fresh) {
      const { number } = entry;
      const one = isOfPost(entry)
        ? work.then((posts) => posts.get(number) ?? null)
        : Promise.resolve(null);
      known.set(number, one);
      // The callers that wait for it get the error; the next read tries again.
      one.catch(() => known.delete(number));
    }
  };
  const forget = (): void => {
    for (const number of known.keys()) {
      if (known.size <= MOST_STORED) return;
      known.delete(number);
    }
  };

  return {
    after: async (number, until = Infinity) => {
      const entries = log.after(number, PART).filter(({ at }) => at < until);
      read(entries);
      const posts = await Promise.all(entries.map((entry) => known.get(entry.number)));
      forget();
      return {
        last: entries.at(-1)?.number ?? number,
        items: posts.filter((post) => post !== null && post !== undefined),
      };
    },
  };
}
