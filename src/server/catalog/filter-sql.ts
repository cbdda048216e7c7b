import type { Condition } from '#core/catalog/filter.ts';
import type { Value } from '#server/db/driver.ts';

/** A condition in SQL over the columns of `facet`. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
  /** Index that finds the rows by the condition alone; null if there is none. */
  readonly index: string | null;
}

const SIGNS = { GREATER_THAN: '>', EQUAL_TO: '=', LESS_THAN: '<' } as const;

/** A condition as SQL that is true for the same products as `meets`. */
export function clauseOf(condition: Condition): Clause {
  switch (condition.of) {
    case 'money': {
      const { attribute, operator, value } = condition;
      const index = `facet_${attribute}`;
      const sql = `currency = ? AND ${attribute} ${SIGNS[operator]} ?`;
      return { sql, values: [value.currency, value.amount], index };
    }
    case 'inventory': {
      const sql = `inventory ${SIGNS[condition.operator]} ?`;
      return { sql, values: [condition.value], index: 'facet_inventory' };
    }
    case 'text': {
      const { attribute, operator, value } = condition;
      const index = `facet_${attribute}`;
      switch (operator) {
        case 'EQUAL_TO':
          return { sql: `${attribute} = ?`, values: [value], index };
        case 'MATCH': {
          // A path below another continues with ' > '; the character after a space is '!'.
          const sql = `(${attribute} >= ? AND ${attribute} < ? AND (${attribute} = ? OR ${attribute} >= ?))`;
          return { sql, values: [value, `${value} >!`, value, `${value} > `], index };
        }
        case 'CONTAINS':
          return { sql: `instr(${attribute}, ?) > 0`, values: [value], index: null };
        case 'NOT_CONTAINS':
          return { sql: `ifnull(instr(${attribute}, ?), 0) = 0`, values: [value], index: null };
      }
    }
  }
}
