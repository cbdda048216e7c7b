/**
 * The terms of rules as small numbers, those of the Post that is being matched, and how often each occurred.
 * Comparing numbers, not texts, is what makes trying hundreds of rules per Post cheap.
 */
export class RuleTerms {
  /** Posts read so far; the number of the current one. */
  posts = 0;
  /** Numbers of the current Post's terms that rules use, without repeats. */
  present: number[] = [];
  readonly #assumed: (term: string) => number;
  readonly #weight: number;
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #free: number[] = [];
  /** By number: rules that use the term, Posts that had it, and the last Post that had it. */
  readonly #uses: number[] = [];
  readonly #seen: number[] = [];
  readonly #last: number[] = [];
  readonly #prior: number[] = [];
  /** Uses of terms by the name before their colon. */
  readonly #kinds = new Map<string, number>();
  /** Numbers of the current Post's words by position; -1 for a word that no rule uses. */
  #words: number[] = [];

  /**
   * @param assumed - The number of occurrences of a term per Post, before any was seen.
   * @param weight - Posts that the assumption weighs as much as.
   */
  constructor(assumed: (term: string) => number, weight: number) {
    this.#assumed = assumed;
    this.#weight = weight;
  }

  /** The number of a term of a rule, which keeps it until {@link RuleTerms.release}. */
  use(term: string): number {
    const known = this.#numbers.get(term);
    const number = known ?? this.#free.pop() ?? this.#texts.length;
    if (known === undefined) {
      this.#numbers.set(term, number);
      this.#texts[number] = term;
      this.#uses[number] = 0;
      this.#seen[number] = 0;
      this.#last[number] = 0;
      this.#prior[number] = this.#assumed(term);
    }
    this.#uses[number] = (this.#uses[number] ?? 0) + 1;
    this.#count(term, 1);
    return number;
  }

  /** Ends one use of a term. */
  release(number: number): void {
    const term = this.#texts[number] ?? '';
    const uses = (this.#uses[number] ?? 0) - 1;
    this.#uses[number] = uses;
    this.#count(term, -1);
    if (uses > 0) return;
    this.#numbers.delete(term);
    this.#free.push(number);
  }

  #count(term: string, by: number): void {
    const colon = term.indexOf(':');
    if (colon <= 0) return;
    const kind = term.slice(0, colon);
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + by);
  }

  /** True if a rule uses a term with that name before the colon. */
  uses(kind: string): boolean {
    return (this.#kinds.get(kind) ?? 0) > 0;
  }

  /** The number of occurrences of a term per Post. */
  frequency(number: number): number {
    const before = (this.#prior[number] ?? 0) * this.#weight;
    return (before + (this.#seen[number] ?? 0)) / (this.#weight + this.posts);
  }

  /** Begins the next Post. */
  begin(): void {
    this.posts += 1;
    this.present = [];
    this.#words = [];
  }

  /** Adds the next word of the Post. */
  word(word: string): void {
    this.#words.push(this.#add(word));
  }

  /** Adds a term without a position. */
  flag(term: string): void {
    this.#add(term);
  }

  #add(term: string): number {
    const number = this.#numbers.get(term);
    if (number === undefined) return -1;
    if (this.#last[number] !== this.posts) {
      this.#last[number] = this.posts;
      this.#seen[number] = (this.#seen[number] ?? 0) + 1;
      this.present.push(number);
    }
    return number;
  }

  /** True if the Post has a term. */
  has(number: number): boolean {
    return this.#last[number] === this.posts;
  }

  /** True if the Post has words at consecutive positions. */
  hasPhrase(numbers: readonly number[]): boolean {
    for (const number of numbers) if (!this.has(number)) return false;
    const words = this.#words;
    for (let from = 0; from <= words.length - numbers.length; from++) {
      let i = 0;
      while (i < numbers.length && words[from + i] === numbers[i]) i++;
      if (i === numbers.length) return true;
    }
    return false;
  }
}
