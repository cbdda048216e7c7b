import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { factsOf } from '#server/posts/facts.ts';
import { changesOver, makeChanges } from '#server/posts/changes.ts';
import type { Change as PostChange } from '#server/posts/changes.ts';
import { createWriter } from '#server/posts/writer.ts';
import type { NewPost } from '#server/posts/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { Random } from '#server/sample/random.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import type { Db } from '#server/db/driver.ts';

/** A change of a file's content: one transaction, so that a kill leaves all or nothing of it. */
export type Change =
  | { readonly what: 'create'; readonly id: number }
  /** A Post of {@link POLLS} with its poll, which quotes another one. */
  | { readonly what: 'poll'; readonly id: number; readonly target: number }
  | { readonly what: 'edit'; readonly previous: number; readonly id: number }
  | { readonly what: 'delete'; readonly id: number }
  /** A like of a Post, and undoing it. */
  | { readonly what: 'like' | 'unlike'; readonly source: number; readonly target: number }
  /** A repost of a Post by the Post of an id, and undoing it. */
  | {
      readonly what: 'repost' | 'unrepost';
      readonly source: number;
      readonly target: number;
      readonly id: number;
    }
  /** Posts with ids from `from` on, with one object each that they refer to. */
  | { readonly what: 'import'; readonly from: number; readonly posts: number }
  /** So many objects at once that the writer does not hold them for the next commit. */
  | { readonly what: 'objects'; readonly from: number };

/** Work on the index, which no answer reveals: begins or continues for that many yields, or to its end. */
export interface Work {
  readonly what: 'compact' | 'reindex';
  readonly yields?: number;
}

export type Action = Change | Work;

/** Posts with a hundred thousand ids from here on have no facts, as those of the first formats. */
export const PLAIN = 900_000;

function isPlain(id: number): boolean {
  return id >= PLAIN && id < PLAIN + 100_000;
}

/** Posts with a hundred thousand ids from here on have a poll of the same id. */
export const POLLS = 800_000;

export function hasPoll(id: number): boolean {
  return id >= POLLS && id < POLLS + 100_000;
}

/** The author of what {@link Change} posts. */
export const AUTHOR = '7';

/** Number of objects that a writer no longer holds for the next commit. */
export const OBJECTS = 16_384;

export const FIRST_DAY = Date.UTC(2019, 5, 1);
export const DAYS = 30;
const WORDS = ['cat', 'dog', 'bird', 'Kätzchen', '東京', '#news', '@ann', '🎉'] as const;

/** The Post of an id: deterministic, so that a process need not report what it wrote. */
export function postOf(id: number): NewPost {
  const random = new Random(id);
  const words: string[] = [random.pick(WORDS)];
  while (words.length < 3 && random.chance(0.6)) words.push(random.pick(WORDS));
  if (random.chance(0.02)) words.push(`rare${id % 50}`);
  const columns = {
    text: words.join(' '),
    username: `u${random.below(5)}`,
    authorId: null,
    lang: random.pick(['en', 'de', 'ja']),
    rest: hasPoll(id) ? `{"attachments":{"poll_ids":["${id}"]}}` : null,
  };
  const { text, username, lang } = columns;
  const reply = !isPlain(id) && random.chance(0.1) ? { replyToId: String(random.below(9)) } : {};
  const post = { text, username, lang, ...reply };
  return {
    id: BigInt(id),
    createdAt: FIRST_DAY + random.below(DAYS * DAY_MS),
    ...columns,
    facts: factsOf(post, columns),
    terms: termsOf(post),
  };
}

/** Ids from `from` on. */
export function idsFrom(from: number, n: number): number[] {
  return Array.from({ length: n }, (_, i) => from + i);
}

/** Keys of the objects that a change adds. */
export function objectsOf(change: Change): string[] {
  if (change.what === 'import') return idsFrom(change.from, change.posts).map(String);
  if (change.what === 'poll') return [String(change.id)];
  return change.what === 'objects' ? idsFrom(change.from, OBJECTS).map(String) : [];
}

/** Runs actions in sequence on a file; each is durable when its call returns. */
export class Actor {
  readonly #open: () => Db;
  readonly #db: Db;
  readonly #over: ReturnType<typeof changesOver>;
  #work: { readonly what: Work['what']; readonly steps: Generator<unknown> } | null = null;

  /** @param open - Opens the file: once for single changes, and once for every import. */
  constructor(open: () => Db) {
    this.#open = open;
    this.#db = open();
    this.#over = changesOver(this.#db);
  }

  /** @throws {@link RangeError} if a Post to edit or delete does not exist. */
  act(action: Action): void {
    const done = (was: boolean): void => {
      if (!was) throw new RangeError(`expected the Post of ${JSON.stringify(action)}, got none`);
    };
    switch (action.what) {
      case 'create':
        return void this.#make({ what: 'create', of: [postOf(action.id)] });
      case 'poll': {
        const { id, target } = action;
        const quote = { kind: 'quote' as const, target: BigInt(target) };
        const poll = { kind: 'polls', key: String(id), json: '{}' };
        return void this.#make(
          { what: 'create', of: [postOf(id)] },
          { what: 'putObjects', of: [[poll]] },
          { what: 'answer', of: [BigInt(id), AUTHOR, [quote]] },
        );
      }
      case 'edit': {
        const [edited] = this.#make({
          what: 'edit',
          of: [BigInt(action.previous), postOf(action.id)],
        });
        return done(edited);
      }
      case 'delete': {
        const [removed] = this.#make({ what: 'remove', of: [BigInt(action.id)] });
        return done(removed.posts.length > 0);
      }
      case 'like':
      case 'unlike': {
        const change = action.what === 'like' ? this.#over.relate : this.#over.unrelate;
        return done(change('like', BigInt(action.source), BigInt(action.target)));
      }
      case 'repost': {
        const { source, target, id } = action;
        const made = this.#over.repost(BigInt(source), BigInt(target), postOf(id));
        return done(made === BigInt(id));
      }
      case 'unrepost':
        return done(this.#over.unrepost(BigInt(action.source), BigInt(action.target)));
      case 'import':
      case 'objects':
        return this.#import(action);
      default:
        return this.#go(action);
    }
  }

  close(): void {
    this.#db.close();
  }

  #make<const T extends readonly PostChange[]>(...changes: T) {
    return makeChanges(this.#db, this.#over, changes);
  }

  #import(change: Change): void {
    const writer = createWriter(this.#open());
    try {
      writer.putObjects(objectsOf(change).map((key) => ({ kind: 'users', key, json: '{}' })));
      if (change.what !== 'import') return;
      writer.add(idsFrom(change.from, change.posts).map(postOf));
      writer.finish();
    } finally {
      writer.close();
    }
  }

  #go({ what, yields = Infinity }: Work): void {
    if (this.#work?.what !== what) {
      const steps = what === 'compact' ? compactIndex(this.#db) : reindex(this.#db);
      this.#work = { what, steps };
    }
    const { steps } = this.#work;
    // Work that throws is over, and starts again.
    let ended = true;
    try {
      for (let i = 0; i < yields; i++) {
        if (steps.next().done) return;
      }
      ended = false;
    } finally {
      if (ended) this.#work = null;
    }
  }
}
