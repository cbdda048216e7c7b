import fc from 'fast-check';
import type { Formula } from '#core/series/formula.ts';

export const series = <S>(of: S): Formula<S> => ({ kind: 'series', of });

/** The common formulas over two series. */
export const PAIRS = {
  sum: (a, b) => ({ kind: 'sum', a, b }),
  difference: (a, b) => ({ kind: 'difference', a, b }),
  quotient: (a, b) => ({ kind: 'quotient', a, b }),
  part: (a, b) => ({ kind: 'quotient', a, b: { kind: 'sum', a, b } }),
} satisfies Record<string, <S>(a: Formula<S>, b: Formula<S>) => Formula<S>>;
export type Pair = keyof typeof PAIRS;
export const PAIR_NAMES = Object.keys(PAIRS) as Pair[];

/** A common formula over two series, by whatever refers to them. */
export const pairOf = <S>(name: Pair, a: S, b: S): Formula<S> => PAIRS[name](series(a), series(b));

/** Formulas over the given series, each with at least one. */
export function formulasOver<S>(leaves: readonly S[]): fc.Arbitrary<Formula<S>> {
  const one = fc.constantFrom(...leaves).map(series);
  const number = fc
    .tuple(fc.nat(2000), fc.constantFrom(1, 10, 1e6))
    .map(([value, over]): Formula<S> => ({ kind: 'number', value: value / over }));
  const { tree } = fc.letrec<{ tree: Formula<S> }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      one,
      number,
      fc.record({
        kind: fc.constantFrom('sum', 'difference', 'product', 'quotient'),
        a: tie('tree'),
        b: tie('tree'),
      }),
    ),
  }));
  return fc
    .tuple(one, fc.constantFrom('sum', 'difference', 'product', 'quotient'), tree)
    .map(([a, kind, b]): Formula<S> => ({ kind, a, b }));
}
