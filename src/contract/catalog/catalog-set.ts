import * as v from 'valibot';
import { FILTER_ATTRIBUTES, FILTER_OPERATORS } from '#core/catalog/filter.ts';
import { expected, oneOf, parametersOf } from '#contract/ads/advertising.ts';
import { UNSTORED } from '#core/text/unstored.ts';
import { shortText, MOST_IN_NAME, keys, orNull } from './catalog-text.ts';

const MOST_IN_SET = 50;

const MOST_FILTERS = 30;

const MOST_DESCRIPTION = 1000;

export const SET_TYPES = ['MANUAL', 'FILTERED'] as const;

const Filter = v.strictObject(
  {
    attribute: oneOf('filters', FILTER_ATTRIBUTES),
    operator: oneOf('filters', FILTER_OPERATORS),
    value: v.pipe(
      v.union(
        [v.string(), v.pipe(v.number(), v.transform(String))],
        expected('a text or a number as the value', 'filters'),
      ),
      v.check(
        (value) => Array.from(value).length <= 750 && !UNSTORED.test(value),
        expected('a value of at most 750 characters', 'filters'),
      ),
    ),
  },
  'Expected objects with attribute, operator and value for filters',
);

export const SetBody = parametersOf({
  name: shortText('name', MOST_IN_NAME),
  description: v.optional(v.nullable(shortText('description', MOST_DESCRIPTION))),
  type: oneOf('type', SET_TYPES),
  product_keys: v.optional(keys(MOST_IN_SET)),
  filters: v.optional(
    v.pipe(
      v.array(Filter, expected('a list of filters', 'filters')),
      v.check(
        (list) => list.length > 0 && list.length <= MOST_FILTERS,
        ({ input }) => `Expected 1 to ${MOST_FILTERS} filters, got ${input.length} for filters`,
      ),
    ),
  ),
});
export type SetBody = v.InferOutput<typeof SetBody>;

export const SetChange = parametersOf({
  name: v.optional(shortText('name', MOST_IN_NAME)),
  description: v.optional(v.nullable(shortText('description', MOST_DESCRIPTION))),
  product_keys: v.optional(keys(MOST_IN_SET)),
});
export type SetChange = v.InferOutput<typeof SetChange>;

export const SetObject = v.object({
  id: v.string(),
  name: v.string(),
  description: orNull,
  type: v.picklist(SET_TYPES),
  filters: v.array(v.object({ attribute: v.string(), operator: v.string(), value: v.string() })),
  product_ids: v.nullable(v.array(v.string())),
  processing_status: v.picklist(['DONE', 'PROCESSING', 'FAILED']),
});
export type SetObject = v.InferOutput<typeof SetObject>;
