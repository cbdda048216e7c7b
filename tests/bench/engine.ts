import type { Condition } from '#core/query/ast.ts';
import { BUCKET_MS, bucketCount, floorTo } from '#core/time/bucket.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** How many Posts meet a condition in each bucket of a span; bounds are whole buckets. */
export interface Question {
  readonly condition: Condition;
  readonly span: Span;
  readonly granularity: Granularity;
}

/** Something that answers questions about the same Posts. */
export interface Engine {
  readonly name: string;
  /**
   * Prepares a question, as far as the engine can without its answer.
   *
   * @returns What answers it, as often as it is called: a count per bucket.
   */
  ask(question: Question): Promise<() => Uint32Array | Promise<Uint32Array>>;
  close(): void;
}

/** Buckets of a question, in whole seconds. */
export interface Buckets {
  readonly first: number;
  readonly width: number;
  readonly count: number;
}

/** The buckets that a question asks for. */
export function bucketsOf({ span, granularity }: Question): Buckets {
  return {
    first: floorTo(span.start, granularity) / 1000,
    width: BUCKET_MS[granularity] / 1000,
    count: bucketCount(span.start, span.end, granularity),
  };
}

/** The first place in ascending numbers whose number is at least `least`. */
export function firstFrom(ascending: Uint32Array, least: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
