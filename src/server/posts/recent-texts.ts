import { hash } from 'node:crypto';
import { DAY_MS } from '#core/time/span.ts';
import { instantOf, snowflake } from '#server/import/id.ts';
import type { PostEditor } from './editor.ts';

/** How long a text may not be said again by the same author. */
const LATELY_MS = DAY_MS;

/** Texts are equal if they are written alike; one with an accent composed and one without are. */
function keyOf(text: string): string {
  return hash('sha256', text.normalize('NFC'), 'base64');
}

/** The texts of one author's Posts of the last 24 hours, by hash, each with its Post's id; oldest first. */
class Texts {
  readonly #idOf = new Map<string, bigint>();

  /** Notes a Post; false, noting nothing, if the author said the same in the last 24 hours. */
  take(id: bigint, text: string, now: number): boolean {
    for (const [key, old] of this.#idOf) {
      if ((instantOf(old) ?? 0) > now - LATELY_MS) break;
      this.#idOf.delete(key);
    }
    const key = keyOf(text);
    if (this.#idOf.has(key)) return false;
    this.#idOf.set(key, id);
    return true;
  }

  /** Forgets a Post. */
  drop(id: bigint, text: string): void {
    const key = keyOf(text);
    if (this.#idOf.get(key) === id) this.#idOf.delete(key);
  }
}

/**
 * What the authors of this service said lately, so that nobody says the same twice in 24 hours. It is held in
 * memory, some 150 bytes a Post, and read from the store at an author's first Post after a start: ids made
 * here tell the time, so those of a day are a short stretch of the table, whatever else it holds.
 */
export class RecentTexts {
  readonly #desk: Pick<PostEditor, 'writtenBy'>;
  readonly #of = new Map<string, Promise<Texts>>();

  constructor(desk: Pick<PostEditor, 'writtenBy'>) {
    this.#desk = desk;
  }

  /** Rejects with {@link StoreError} where the store cannot be read; the next call then tries again. */
  async of(authorId: string, now: number): Promise<Texts> {
    let texts = this.#of.get(authorId);
    if (!texts) {
      texts = this.#read(authorId, now);
      this.#of.set(authorId, texts);
      texts.catch(() => this.#of.delete(authorId));
    }
    return await texts;
  }

  async #read(authorId: string, now: number): Promise<Texts> {
    const texts = new Texts();
    // A day ahead too: the clock may have been set back.
    const [from, to] = [snowflake(now - LATELY_MS, 0), snowflake(now + DAY_MS, 0)];
    for (const { id, text } of await this.#desk.writtenBy(authorId, from, to)) {
      texts.take(id, text, now);
    }
    return texts;
  }
}
