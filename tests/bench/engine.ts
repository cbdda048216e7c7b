import type { Condition } from '#core/query/ast.ts';
import { BUCKET_MS, bucketCount, floorTo, type Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** Asks how many Posts meet a condition in each bucket of a span, whose bounds are bucket edges. */
export interface Question {
  readonly condition: Condition;
  readonly span: Span;
  readonly granularity: Granularity;
}

/** A way of counting Posts. All engines of a run hold the same Posts. */
export interface Engine {
  readonly name: string;
  /**
   * Prepares a question as far as the engine can without answering it.
   *
   * @returns A function that answers it on every call: a count per bucket.
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

/** The buckets of a question. */
export function bucketsOf({ span, granularity }: Question): Buckets {
  return {
    first: floorTo(span.start, granularity) / 1000,
    width: BUCKET_MS[granularity] / 1000,
    count: bucketCount(span.start, span.end, granularity),
  };
}

/** The index of the first number that is at least `least`, else the length. */
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
