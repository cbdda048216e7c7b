import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import {
  FILTER_ATTRIBUTES,
  FILTER_OPERATORS,
  isCondition,
  readFilter,
  type FilterAttribute,
} from '#core/catalog/filter.ts';
import { AGE_GROUPS, AVAILABILITIES, CONDITIONS, GENDERS } from '#core/catalog/product.ts';
import { readProduct } from '#core/catalog/read-product.ts';
import { product } from '#tests/support/data/products.ts';

const PAGE = readFileSync('docs/catalog.md', 'utf8');

/** The cells of the table under a heading, without its head. */
function tableOf(heading: string): string[][] {
  const [, part = ''] = PAGE.split(`## ${heading}\n`);
  const lines = part.split('\n## ')[0]?.split('\n') ?? [];
  return lines
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The texts in backquotes. */
const quoted = (text = ''): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, each]) => each ?? '');

const attributes = tableOf('Attributes');
const LISTS: Readonly<Record<string, readonly string[]>> = {
  availability: AVAILABILITIES,
  condition: CONDITIONS,
  gender: GENDERS,
  age_group: AGE_GROUPS,
};

it('all attributes are documented, with those that are required', () => {
  expect(attributes.map(([name]) => name)).toEqual(ATTRIBUTES);
  const missing = readProduct({}).errors.map(({ parameter }) => parameter);
  const required = attributes.flatMap(([name = '', is]) =>
    is === 'yes' || (is === 'one of three' && name === 'brand') ? [name] : [],
  );
  expect(missing.toSorted()).toEqual(required.toSorted());
});

it.each(attributes)('the limit and the values of %s are documented', (name = '', _, most, form) => {
  const errorsOf = (value: string): string[] =>
    readProduct(product('a', { [name]: value })).errors.map(({ message }) => message);
  const rule = `"${name}" must have at most ${most} characters`;
  expect(errorsOf('a'.repeat(Number(most) + 1)).includes(rule)).toBe(most !== '');
  expect(errorsOf('a'.repeat(Number(most)))).not.toContain(rule);
  const list = LISTS[name];
  if (list) expect(quoted(form)).toEqual(list);
  else if (name === 'price') expect(errorsOf(quoted(form)[0] ?? '')).toEqual([]);
});

it('all filters are documented with the operators and values that they take', () => {
  const rows = tableOf('Filters of a set');
  expect(rows.map(([name]) => name)).toEqual(FILTER_ATTRIBUTES);
  for (const [name, operators, value] of rows) {
    const attribute = name as FilterAttribute;
    const taken = FILTER_OPERATORS.filter((operator) =>
      isCondition(readFilter({ attribute, operator, value: quoted(value)[0] ?? '' })),
    );
    expect([name, operators?.split(', ').toSorted()]).toEqual([name, taken.toSorted()]);
  }
});
