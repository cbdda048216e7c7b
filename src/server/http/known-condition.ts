import { invalidRequest } from '#contract/fault.ts';
import type { Ast, Condition, Diagnostic } from '#core/query/ast.ts';
import { condition, type StoreKnowledge } from '#core/query/condition.ts';
import { message } from '#core/query/message.ts';

/** The first clause of a query whose collection does not exist: an unknown collection is no empty one. */
export function unknownCollection(ast: Ast, known: StoreKnowledge): Diagnostic | null {
  if (ast.kind !== 'clause') {
    for (const part of ast.of) {
      const found = unknownCollection(part, known);
      if (found) return found;
    }
    return null;
  }
  if (ast.operator !== 'in' || known.collection(ast.value) !== null) return null;
  const { at, length, value } = ast;
  const said = `There is no collection named '${value}'`;
  return { at, length, rule: 'unknown-collection', message: said };
}

/**
 * The meaning of a query in a store.
 *
 * @param query - Its text, for messages.
 * @throws {@link Fault} 400 if it names a collection that does not exist.
 */
export function knownCondition(ast: Ast, query: string, known: StoreKnowledge): Condition {
  const unknown = unknownCollection(ast, known);
  if (!unknown) return condition(ast, known);
  throw invalidRequest('query', query, message([unknown]));
}
