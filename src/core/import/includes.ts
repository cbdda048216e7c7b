import type { Row } from '#core/readers/row.ts';
import { digits, object, objects, string, type Json } from './json.ts';
import { placeFacts, type PlaceFacts } from './place.ts';

/** An object that Posts refer to: an element of `includes`. */
export interface IncludedObject {
  /** `users`, `media`, `places`, `polls`, … */
  readonly kind: string;
  /** Its id or media key. */
  readonly key: string;
  readonly json: string;
}

/** The lists of `includes` to store, with the key of their elements. */
const KEYS = { users: 'id', tweets: 'id', media: 'media_key', places: 'id', polls: 'id' };

function isList(name: string): name is keyof typeof KEYS {
  return Object.hasOwn(KEYS, name);
}

/** Returns an element of a list of `includes` by its key, as JSON; null if there is none. */
export type FindObject = (list: string, key: string) => string | null;

/** The place of the elements of a list of `includes` begins with it. */
const INCLUDES = 'includes.';

/**
 * The objects that the Posts of an answer refer to: names of users, authors of Posts, types of media,
 * places, by key. A Post may refer to another one of the same answer.
 */
export class Includes {
  readonly #find: FindObject;
  readonly #users = new Map<string, { readonly username: string; readonly verified: boolean }>();
  readonly #media = new Map<string, string>();
  readonly #authors = new Map<string, string>();
  readonly #places = new Map<string, PlaceFacts>();

  /** @param find - Looks up objects that were not added. */
  constructor(find: FindObject = () => null) {
    this.#find = find;
  }

  /**
   * Adds an object.
   *
   * @param list - Its list in `includes`, such as `users`.
   * @returns The object to store, or null if it has no key or the list is unknown.
   */
  add(list: string, value: unknown): IncludedObject | null {
    const item = object(value);
    if (!isList(list) || !item) return null;
    const key = string(item[KEYS[list]]);
    if (key === undefined) return null;
    if (list === 'users') {
      const username = string(item.username);
      const verified = item.verified === true;
      if (username !== undefined) this.#users.set(key, { username, verified });
    }
    if (list === 'tweets') this.addAuthor(item);
    if (list === 'places') this.#places.set(key, placeFacts(item));
    if (list === 'media') this.#media.set(key, string(item.type) ?? '');
    return { kind: list, key, json: JSON.stringify(item) };
  }

  /** Adds all lists of an answer's `includes`. */
  addAll(includes: unknown): IncludedObject[] {
    const lists: Json = object(includes) ?? {};
    return Object.entries(lists).flatMap(([list, values]) =>
      objects(values).flatMap((value) => this.add(list, value) ?? []),
    );
  }

  /** Adds the author of a Post, included or of the answer itself: `includes.tweets` has none that `data` has. */
  addAuthor(post: Json): void {
    const id = digits(post.id);
    const author = digits(post.author_id) ?? digits(object(post.author)?.id);
    if (id !== undefined && author !== undefined) this.#authors.set(id, author);
  }

  /**
   * Adds a row of a document: an element of `includes`, or the author of a Post of `data`. Others are ignored.
   *
   * @returns The object to store; null for a Post of `data` too, which is stored as such.
   */
  addRow(row: Row): IncludedObject | null {
    if (row.kind !== 'value') return null;
    if (row.place.startsWith(INCLUDES))
      return this.add(row.place.slice(INCLUDES.length), row.value);
    const post = row.place === 'data' ? object(row.value) : null;
    if (post) this.addAuthor(post);
    return null;
  }

  username(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#lookUp('users', this.#users, id)?.username;
  }

  isVerified(id: string | undefined): boolean {
    return id !== undefined && this.#lookUp('users', this.#users, id)?.verified === true;
  }

  /** Id of the author of a Post of the answer. */
  author(post: string): string | undefined {
    return this.#lookUp('tweets', this.#authors, post);
  }

  place(id: string | undefined): PlaceFacts | undefined {
    return id === undefined ? undefined : this.#lookUp('places', this.#places, id);
  }

  /**
   * The type of a medium: as included, else by the first number of its key (3 photo, 7 and 13 video, 16
   * animated_gif, as in all recorded answers).
   */
  mediaType(key: string): string {
    const type = this.#lookUp('media', this.#media, key);
    if (type) return type;
    const number = key.slice(0, key.indexOf('_'));
    if (number === '3') return 'photo';
    if (number === '16') return 'animated_gif';
    return number === '7' || number === '13' ? 'video' : '';
  }

  #lookUp<T>(list: string, known: ReadonlyMap<string, T>, key: string): T | undefined {
    if (!known.has(key)) {
      const json = this.#find(list, key);
      if (json !== null) this.add(list, JSON.parse(json));
    }
    return known.get(key);
  }
}
