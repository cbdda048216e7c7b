import {
  matchesText,
  type Facets,
  type PriceComparison,
  type ProductCondition,
} from '#core/catalog/filter.ts';

/** True if a number compares with another as an operator says. */
function compares(operator: PriceComparison, value: number, to: number): boolean {
  if (operator === 'EQUAL_TO') return value === to;
  return operator === 'GREATER_THAN' ? value > to : value < to;
}

function isMet(operator: PriceComparison, value: number | null, to: number): boolean {
  return value !== null && compares(operator, value, to);
}

/**
 * True if a product meets a filter. Money compares only within one currency. A path matches if it is the value or lies
 * below it. A product without a value meets only NOT_CONTAINS.
 */
export function productMeets(facets: Facets, condition: ProductCondition): boolean {
  switch (condition.of) {
    case 'money': {
      const { attribute, operator, value } = condition;
      return facets.currency === value.currency && isMet(operator, facets[attribute], value.amount);
    }
    case 'inventory':
      return isMet(condition.operator, facets.inventory, condition.value);
    case 'text':
      return matchesText(condition.operator, facets[condition.attribute], condition.value);
  }
}
