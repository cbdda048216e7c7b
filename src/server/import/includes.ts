import { digits, object, objects, string } from './json.ts';
import type { Json } from './json.ts';
import { placeFacts } from './place.ts';
import type { PlaceFacts } from './place.ts';
import type { StoredObject } from '#server/posts/post-table.ts';

/** The lists of `includes` that are kept, with the key of what is in them. */
const KEYS = { users: 'id', tweets: 'id', media: 'media_key', places: 'id', polls: 'id' };

function isList(name: string): name is keyof typeof KEYS {
  return Object.hasOwn(KEYS, name);
}

/** Gives an element of a list of `includes` by its key, as JSON; null where there is none. */
export type FindObject = (list: string, key: string) => string | null;

/** What the Posts of an answer refer to: names of users, authors of Posts, types of media, places, by their key. */
export class Includes {
  readonly #find: FindObject;
  readonly #users = new Map<string, { readonly username: string; readonly verified: boolean }>();
  readonly #media = new Map<string, string>();
  readonly #authors = new Map<string, string>();
  readonly #places = new Map<string, PlaceFacts>();

  /** @param find - asked for what was not taken in. */
  constructor(find: FindObject = () => null) {
    this.#find = find;
  }

  /**
   * Takes an object in.
   *
   * @param list - its list in `includes`, such as `users`.
   * @returns What is to be kept of it, or null if it has no key or the list is of no known kind.
   */
  add(list: string, value: unknown): StoredObject | null {
    const item = object(value);
    if (!isList(list) || !item) return null;
    const key = string(item[KEYS[list]]);
    if (key === undefined) return null;
    if (list === 'users') {
      const username = string(item.username);
      const verified = item.verified === true;
      if (username !== undefined) this.#users.set(key, { username, verified });
    }
    if (list === 'tweets') {
      const author = digits(item.author_id) ?? digits(object(item.author)?.id);
      if (author !== undefined) this.#authors.set(key, author);
    }
    if (list === 'places') this.#places.set(key, placeFacts(item));
    if (list === 'media') this.#media.set(key, string(item.type) ?? '');
    return { kind: list, key, json: JSON.stringify(item) };
  }

  /** Takes in all lists of an answer's `includes`. */
  addAll(includes: unknown): StoredObject[] {
    const lists: Json = object(includes) ?? {};
    return Object.entries(lists).flatMap(([list, values]) =>
      objects(values).flatMap((value) => this.add(list, value) ?? []),
    );
  }

  username(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#held('users', this.#users, id)?.username;
  }

  isVerified(id: string | undefined): boolean {
    return id !== undefined && this.#held('users', this.#users, id)?.verified === true;
  }

  /** Id of the author of a Post that is included. */
  author(post: string): string | undefined {
    return this.#held('tweets', this.#authors, post);
  }

  place(id: string | undefined): PlaceFacts | undefined {
    return id === undefined ? undefined : this.#held('places', this.#places, id);
  }

  /**
   * The type of a medium: as included, else by the number its key begins with (3 photo, 7 and 13 video,
   * 16 animated_gif, as all recorded answers have it).
   */
  mediaType(key: string): string {
    const type = this.#held('media', this.#media, key);
    if (type) return type;
    const number = key.slice(0, key.indexOf('_'));
    if (number === '3') return 'photo';
    if (number === '16') return 'animated_gif';
    return number === '7' || number === '13' ? 'video' : '';
  }

  #held<T>(list: string, held: ReadonlyMap<string, T>, key: string): T | undefined {
    if (!held.has(key)) {
      const json = this.#find(list, key);
      if (json !== null) this.add(list, JSON.parse(json));
    }
    return held.get(key);
  }
}
