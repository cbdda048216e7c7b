import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { factsOf } from '#server/posts/facts.ts';
import { changesOver, makeChanges } from '#server/posts/changes.ts';
import { createWriter } from '#server/posts/writer.ts';
import type { NewPost } from '#server/posts/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { Random } from '#server/sample/random.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import type { Db } from '#server/db/driver.ts';

/** A change of a file's content: one transaction, so that a kill leaves all or nothing of it. */
export type Change =
  | { readonly what: 'create'; readonly id: number }
  /** Creates a Post together with the charge for it. */
  | { readonly what: 'charge'; readonly id: number }
  | { readonly what: 'edit'; readonly previous: number; readonly id: number }
  | { readonly what: 'delete'; readonly id: number }
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
    rest: null,
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

/** What an app pays for each charged Post. */
export const CHARGE = {
  app: '7',
  day: 18_000,
  operation: 'POST /2/tweets',
  charged: 15_000,
  price: 15_000,
};

/** Ids from `from` on. */
export function idsFrom(from: number, n: number): number[] {
  return Array.from({ length: n }, (_, i) => from + i);
}

/** Keys of the objects that a change adds. */
export function objectsOf(change: Change): string[] {
  if (change.what === 'import') return idsFrom(change.from, change.posts).map(String);
  return change.what === 'objects' ? idsFrom(change.from, OBJECTS).map(String) : [];
}

/** Runs actions in sequence on a file; each is durable when its call returns. */
export class Actor {
  readonly #open: () => Db;
  readonly #db: Db;
  readonly #changes: ReturnType<typeof changesOver>;
  #work: { readonly what: Work['what']; readonly steps: Generator<unknown> } | null = null;

  /** @param open - Opens the file: once for single changes, and once for every import. */
  constructor(open: () => Db) {
    this.#open = open;
    this.#db = open();
    this.#changes = changesOver(this.#db);
  }

  /** @throws {@link RangeError} if a Post to edit or delete does not exist. */
  act(action: Action): void {
    const done = (was: boolean): void => {
      if (!was) throw new RangeError(`expected the Post of ${JSON.stringify(action)}, got none`);
    };
    switch (action.what) {
      case 'create':
        return this.#changes.create(postOf(action.id));
      case 'charge':
        makeChanges(this.#db, this.#changes, [
          { what: 'create', of: [postOf(action.id)] },
          { what: 'charge', of: [CHARGE] },
        ]);
        return;
      case 'edit':
        return done(this.#changes.edit(BigInt(action.previous), postOf(action.id)));
      case 'delete':
        return done(this.#changes.remove(BigInt(action.id)));
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
