import type { Condition } from '#core/query/ast.ts';

type Group = Extract<Condition, { kind: 'all' | 'any' }>;

/** The parts of a group, those of groups of its own kind in their place, each once. */
function partsOf(group: Group): Condition[] {
  const parts = new Map<string, Condition>();
  for (const each of group.of) {
    const part = simplify(each);
    for (const one of part.kind === group.kind ? part.of : [part]) {
      parts.set(one.kind === 'term' ? one.term : JSON.stringify(one), one);
    }
  }
  return [...parts.values()];
}

/**
 * An equal condition without what would only cost time: nested groups of one kind, repeated parts, double
 * negations. A query of 4,096 characters has room for a thousand of each, and every chunk is searched for all.
 */
export function simplify(condition: Condition): Condition {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const of = partsOf(condition);
      const [only] = of;
      return of.length === 1 && only ? only : { kind: condition.kind, of };
    }
    case 'not': {
      const of = simplify(condition.of);
      return of.kind === 'not' ? of.of : { kind: 'not', of };
    }
    default:
      return condition;
  }
}
