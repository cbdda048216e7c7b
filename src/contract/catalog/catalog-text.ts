import * as v from 'valibot';
import { expected } from '#contract/ads/advertising.ts';
import { UNSTORED } from '#core/text/unstored.ts';

/** Most characters of a name. */
export const MOST_IN_NAME = 255;

/** A text without surrounding spaces. @param most - Its most characters. */
export function shortText(parameter: string, most: number) {
  const message = expected(`a text of 1 to ${most} characters`, parameter);
  return v.pipe(
    v.string(message),
    v.trim(),
    v.check((value) => {
      const length = Array.from(value).length;
      return length > 0 && length <= most && !UNSTORED.test(value);
    }, message),
  );
}

/** Product keys, each once. @param most - Their most number. */
export const keys = (most: number) =>
  v.pipe(
    v.array(
      v.pipe(v.string(), v.regex(/^\d{1,16}$/, expected('a product_key', 'product_keys'))),
      expected('a list of product keys', 'product_keys'),
    ),
    v.check(
      (list) => list.length > 0 && list.length <= most,
      expected(`1 to ${most} product keys`, 'product_keys'),
    ),
    v.check(
      (list) => new Set(list).size === list.length,
      expected('each product key once', 'product_keys'),
    ),
  );

/** A text, or none. */
export const orNull = v.nullable(v.string());
