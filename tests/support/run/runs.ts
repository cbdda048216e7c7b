import fc from 'fast-check';
import { expect } from 'vitest';
import { long } from './long.ts';

/** The short form has the same cases each time, so that what fails there fails by the change; the long form draws new ones. */
const SEED = 2006;

/** Default runs of a property in the short form, and of a law; the long form has fast-check's default of 100. */
const SHORT = 10;
const SHORT_LAW = 20;

/**
 * Runs of a property: a tenth of `full` in `npm test`, all of them in `npm run test:long`.
 *
 * @param full - Runs in the long form.
 */
export function runs(full: number): number {
  return long() ? full : Math.ceil(full / 10);
}

const law = expect.getState().testPath?.endsWith('law.test.ts') ?? false;
fc.configureGlobal(long() ? {} : { seed: SEED, numRuns: law ? SHORT_LAW : SHORT });
