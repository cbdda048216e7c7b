/** Two numbers of 32 bits as one of fewer. */
function mixed(a: number, b: number): number {
  let h = Math.imul(a ^ (a >>> 15), 0x2c1b_3c6d) ^ Math.imul(b ^ (b >>> 13), 0x9e37_79b1);
  h ^= h >>> 16;
  return Math.imul(h, 0x85eb_ca6b) >>> 0;
}

function grown<T extends Uint32Array | Int32Array>(array: T, made: T): T {
  made.set(array);
  return made;
}

/** Counts of terms by their two hashes, or of pairs of numbers. Entries are numbered in the order in which they came. */
export class TermCounts {
  size = 0;
  /** The two numbers of each entry. */
  keys = new Uint32Array(2 * 256);
  /** Posts with each entry, and Posts of the other set. */
  posts = new Uint32Array(256);
  before = new Uint32Array(256);
  /** The last Post that was counted, for terms that a Post may contain twice. */
  #last = new Uint32Array(256);
  /** The place of a name: a table, and the number of a term in it. */
  tables = new Uint32Array(256);
  numbers = new Uint32Array(256);
  /** Entries by hash, -1 if free; at most half are taken. */
  #slots = new Int32Array(512).fill(-1);

  /** The entry of a key; -1 if there is none. */
  find(a: number, b: number): number {
    const mask = this.#slots.length - 1;
    for (let s = (mixed(a, b) >>> 4) & mask; ; s = (s + 1) & mask) {
      const entry = this.#slots[s]!;
      if (entry === -1) return -1;
      if (this.keys[entry * 2] === a && this.keys[entry * 2 + 1] === b) return entry;
    }
  }

  /** The entry of a key, which is added if there is none. */
  add(a: number, b: number): number {
    const found = this.find(a, b);
    if (found !== -1) return found;
    if (this.size === this.posts.length) this.#grow();
    const entry = this.size++;
    this.keys[entry * 2] = a;
    this.keys[entry * 2 + 1] = b;
    this.#place(entry);
    return entry;
  }

  /** Counts a Post of one set or the other, unless it is the last one that was counted. @param post - Not 0. */
  count(entry: number, post: number, into: Uint32Array): void {
    if (this.#last[entry] === post) return;
    this.#last[entry] = post;
    into[entry]!++;
  }

  #place(entry: number): void {
    const mask = this.#slots.length - 1;
    let s = (mixed(this.keys[entry * 2]!, this.keys[entry * 2 + 1]!) >>> 4) & mask;
    while (this.#slots[s] !== -1) s = (s + 1) & mask;
    this.#slots[s] = entry;
  }

  #grow(): void {
    const n = this.size * 2;
    this.keys = grown(this.keys, new Uint32Array(n * 2));
    this.posts = grown(this.posts, new Uint32Array(n));
    this.before = grown(this.before, new Uint32Array(n));
    this.#last = grown(this.#last, new Uint32Array(n));
    this.tables = grown(this.tables, new Uint32Array(n));
    this.numbers = grown(this.numbers, new Uint32Array(n));
    this.#slots = new Int32Array(n * 2).fill(-1);
    for (let entry = 0; entry < this.size; entry++) this.#place(entry);
  }
}

/** Upper bounds of counts in bounded memory: keys share places, so that most rare ones need not be remembered. */
export class CountBounds {
  readonly #sums: Uint32Array;

  /** @param keys - About how many keys there are. */
  constructor(keys: number) {
    const bits = Math.min(22, Math.max(10, Math.ceil(Math.log2(keys + 1)) + 1));
    this.#sums = new Uint32Array(2 ** bits);
  }

  add(a: number, b: number, n: number): void {
    this.#sums[mixed(a, b) & (this.#sums.length - 1)]! += n;
  }

  /** At least what was added for a key. */
  of(a: number, b: number): number {
    return this.#sums[mixed(a, b) & (this.#sums.length - 1)]!;
  }
}

/** Says fast of most keys that counts have no entry for them: most terms of a chunk are sought by nobody. */
export class KeyFilter {
  readonly #bits: Uint32Array;

  constructor({ keys, size }: TermCounts) {
    const bits = Math.min(22, Math.max(10, Math.ceil(Math.log2(size + 1)) + 4));
    this.#bits = new Uint32Array(2 ** (bits - 5));
    for (let entry = 0; entry < size; entry++) {
      const place = keys[entry * 2]! & (2 ** bits - 1);
      this.#bits[place >>> 5]! |= 1 << (place & 31);
    }
  }

  /** True if an entry may have a key with this first number. */
  mayHold(a: number): boolean {
    const place = a & (this.#bits.length * 32 - 1);
    return ((this.#bits[place >>> 5]! >>> (place & 31)) & 1) === 1;
  }
}
