import { matchesText, type PriceComparison, type ProductCondition } from '#core/catalog/filter.ts';
import { between, decidedBy, type CellTest } from './facet-cells.ts';
import type { FacetColumn, ColumnTest } from './facet-columns.ts';
import type { FacetTexts } from './facet-texts.ts';

/** A test of amounts and numbers, which are whole; a missing one is below 0. */
function numberTest(operator: PriceComparison, to: number): CellTest {
  if (operator === 'EQUAL_TO') return between(to, to);
  return operator === 'GREATER_THAN' ? between(to + 1, Infinity) : between(0, to - 1);
}

/** The tests that the cells of products that meet every condition pass, the cheapest tests first. */
export function testsOf(conditions: readonly ProductCondition[], texts: FacetTexts): ColumnTest[] {
  const textTest = (isMet: (text: string | null) => boolean): CellTest =>
    decidedBy((cell) => isMet(cell === 0 ? null : texts.textOf(cell)));
  const numbers: ColumnTest[] = [];
  const currencies: ColumnTest[] = [];
  const ofText = new Map<FacetColumn, Extract<ProductCondition, { of: 'text' }>[]>();
  for (const condition of conditions) {
    if (condition.of === 'text') {
      ofText.set(condition.attribute, [...(ofText.get(condition.attribute) ?? []), condition]);
    } else if (condition.of === 'inventory') {
      numbers.push([condition.of, numberTest(condition.operator, condition.value)]);
    } else {
      const { amount, currency } = condition.value;
      numbers.push([condition.attribute, numberTest(condition.operator, amount)]);
      currencies.push(['currency', textTest((text) => text === currency)]);
    }
  }
  const matches = [...ofText].map(([column, all]): ColumnTest => {
    const isMet = (text: string | null): boolean =>
      all.every(({ operator, value }) => matchesText(operator, text, value));
    return [column, textTest(isMet)];
  });
  return [...numbers, ...currencies, ...matches];
}
