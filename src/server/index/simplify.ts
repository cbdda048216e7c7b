import type { Condition } from '#core/query/ast.ts';

type Group = Extract<Condition, { kind: 'all' | 'any' }>;

/** Leaves out sets of Posts, which have names. */
const withoutSets = (name: string, value: unknown): unknown =>
  name === 'posts' ? undefined : value;

/** The distinct parts of a group, with nested groups of the same kind flattened. */
function partsOf(group: Group): Condition[] {
  const parts = new Map<string, Condition>();
  for (const each of group.of) {
    const part = simplify(each);
    for (const flat of part.kind === group.kind ? part.of : [part]) {
      parts.set(flat.kind === 'term' ? flat.term : JSON.stringify(flat, withoutSets), flat);
    }
  }
  return [...parts.values()];
}

/**
 * Simplifies a condition without changing its meaning: nested groups of one kind, repeated parts,
 * double negations. A query of 4,096 characters may have a thousand of each, and every chunk is
 * searched for all.
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
