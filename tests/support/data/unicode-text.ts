import * as fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/** Any code point but surrogates. */
const codePoint = fc.integer({ min: 0, max: LAST - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (value) => {
    const code = typeof value === 'string' ? (value.codePointAt(0) ?? -1) : -1;
    const isOne = code >= 0 && String.fromCodePoint(code) === value;
    const past = code - SURROGATES.first;
    if (!isOne || (past >= 0 && past < SURROGATES.count))
      throw new RangeError('expected a code point');
    return past < 0 ? code : code - SURROGATES.count;
  },
);

/**
 * Texts of any code points, as `fc.string({ unit: 'binary' })` has them. That unit makes a table of all code points, which
 * takes a second and slows every garbage collection of the worker.
 */
export const unicodeText = (constraints: Omit<fc.StringConstraints, 'unit'> = {}) =>
  fc.string({ ...constraints, unit: codePoint });
