import { hash } from 'node:crypto';
import { DAY_MS } from '#core/time/span.ts';
import { instantOf, snowflake } from '#core/import/id.ts';
import type { PostEditor } from './editor.ts';

/** The time for which an author may not repeat a text. */
const RECENT_MS = DAY_MS;

/** The hash by which texts are compared: composed and decomposed accents are equal. */
function keyOf(text: string): string {
  return hash('sha256', text.normalize('NFC'), 'base64');
}

/** The texts of one author's Posts of the last 24 hours, by hash, each with its Post's id; oldest first. */
class Texts {
  readonly #idOf = new Map<string, bigint>();

  /**
   * Records a Post; false, without recording, if the author posted the same text in the last 24 hours.
   *
   * @param previous - The version that the Post replaces, whose text it may repeat.
   */
  take(id: bigint, text: string, now: number, previous?: bigint): boolean {
    for (const [key, old] of this.#idOf) {
      if ((instantOf(old) ?? 0) > now - RECENT_MS) break;
      this.#idOf.delete(key);
    }
    const key = keyOf(text);
    const other = this.#idOf.get(key);
    if (other !== undefined && other !== previous) return false;
    // Last in order, as the newest.
    this.#idOf.delete(key);
    this.#idOf.set(key, id);
    return true;
  }

  drop(id: bigint, text: string): void {
    const key = keyOf(text);
    if (this.#idOf.get(key) === id) this.#idOf.delete(key);
  }
}

/**
 * The recent texts of this service's authors, so that nobody posts the same text twice in 24 hours.
 * They are in memory, some 150 bytes per Post, and read from the store at an author's first Post after
 * a start. Ids made here contain the time, so those of a day are a short stretch of the table, whatever
 * else it contains.
 */
export class RecentTexts {
  readonly #editor: Pick<PostEditor, 'writtenBy'>;
  readonly #of = new Map<string, Promise<Texts>>();

  constructor(editor: Pick<PostEditor, 'writtenBy'>) {
    this.#editor = editor;
  }

  /** Rejects with {@link StoreError} if the store cannot be read; the next call tries again. */
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
    // Also a day later than now: the clock may have been set back.
    const [from, to] = [snowflake(now - RECENT_MS, 0), snowflake(now + DAY_MS, 0)];
    for (const { id, text } of await this.#editor.writtenBy(authorId, from, to)) {
      texts.take(id, text, now);
    }
    return texts;
  }
}
