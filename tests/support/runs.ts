import fc from 'fast-check';
import { expect } from 'vitest';
import { long } from './long.ts';

/** Runs of a law that names no number, in the short form; fast-check's own 100 in the long one. */
const SHORT = 40;

/**
 * Runs of a law that names its number: a fifth of it in `npm test`, all of it in `npm run test:long`.
 *
 * @param full - Runs in the long form.
 */
export function runs(full: number): number {
  return long() ? full : Math.ceil(full / 5);
}

// What a file named a law says is worth all of its runs, whichever form.
const law = expect.getState().testPath?.endsWith('law.test.ts') ?? false;
fc.configureGlobal(law || long() ? {} : { numRuns: SHORT });
