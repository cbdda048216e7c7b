import type { RelationFigures } from '#contract/control/control.ts';
import type { ImportedInto } from '#server/posts/editor/collection-import.ts';
import { noRelations } from './archive-relations.ts';
import type { ReadBatch, Refusal } from './reading.ts';

export interface ImportProgress {
  /** The file being read. */
  readonly file: string;
  /** Bytes on disk, of all files together. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Rows and relations read so far, including refused ones. */
  readonly rows: number;
  /** Rows per second since the beginning. */
  readonly rate: number;
  /** Null until it can be estimated. */
  readonly secondsLeft: number | null;
}

export interface ImportSummary {
  /** `added + already + refused`: rows of Posts, and refused ones of any kind. */
  readonly read: number;
  readonly added: number;
  readonly already: number;
  readonly refused: number;
  /** Relations in the files, new or not. */
  readonly relations: Readonly<RelationFigures>;
  /** Posts in the files that notes were requested for, new or not. */
  readonly noteRequests: number;
  /** The first {@link SHOWN_REASONS} refused rows. */
  readonly reasons: readonly Refusal[];
  readonly seconds: number;
  /** The collection that the Posts are in; absent if there is none. */
  readonly collection?: ImportedInto;
  /** True if it was stopped before the end; the counted Posts are in the store. */
  readonly stopped: boolean;
}

/** Maximum number of refused rows that are listed; the others are only counted. */
export const SHOWN_REASONS = 20;

/** An import that failed. Running it again adds what is missing and nothing twice. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  /** Class of the cause: `FeedError` or `MapError` for the input, `StoreError` for the store. */
  readonly kind: string;
  /** The content of the store; null if the store failed, which keeps what it had committed. */
  readonly summary: ImportSummary | null;

  constructor(
    kind: string,
    message: string,
    summary: ImportSummary | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.kind = kind;
    this.summary = summary;
  }
}

const PROGRESS_EVERY_MS = 200;

/** The number of relations of all kinds. */
export function sumOfRelations(figures: Readonly<RelationFigures>): number {
  return Object.values(figures).reduce((sum, n) => sum + n, 0);
}

/** The running figures of an import. */
export class ImportTally {
  read = 0;
  added = 0;
  already = 0;
  refused = 0;
  noteRequests = 0;
  readonly #relations = noRelations();
  readonly #reasons: Refusal[] = [];
  readonly #now: () => number;
  readonly #began: number;
  #reported: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#began = now();
    this.#reported = this.#began;
  }

  take(
    {
      posts,
      requests,
      figures,
      refused,
    }: Pick<ReadBatch, 'posts' | 'requests' | 'figures' | 'refused'>,
    { added, already }: { added: number; already: number },
  ): void {
    for (const name of Object.keys(figures) as (keyof RelationFigures)[]) {
      this.#relations[name] += figures[name];
    }
    this.read += posts.length + refused.length;
    this.added += added;
    this.already += already;
    this.refused += refused.length;
    this.noteRequests += requests.length;
    this.#reasons.push(...refused.slice(0, SHOWN_REASONS - this.#reasons.length));
  }

  /** Corrects the figures for Posts that another import added first. */
  overtaken(posts: number): void {
    this.added -= posts;
    this.already += posts;
  }

  progress({ file, bytesRead, bytesTotal }: ReadBatch): ImportProgress | null {
    const now = this.#now();
    if (now - this.#reported < PROGRESS_EVERY_MS) return null;
    this.#reported = now;
    const seconds = (now - this.#began) / 1000;
    const rows = this.read + sumOfRelations(this.#relations);
    return {
      file,
      bytesRead,
      bytesTotal,
      rows,
      rate: rows / seconds,
      secondsLeft: bytesRead === 0 ? null : (seconds * (bytesTotal - bytesRead)) / bytesRead,
    };
  }

  summary(stopped: boolean): ImportSummary {
    const { read, added, already, refused, noteRequests } = this;
    const seconds = (this.#now() - this.#began) / 1000;
    const relations = { ...this.#relations };
    const reasons = [...this.#reasons];
    const counts = { read, added, already, refused, relations, noteRequests };
    return { ...counts, reasons, seconds, stopped };
  }
}
