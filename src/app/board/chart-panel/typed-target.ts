import type { Target } from '#app/chart/chart-props.ts';
import { typedNumber } from '#app/settings/parse-number.ts';

/** Above this, an axis shows nothing else. */
const MOST = 1e12;
/** As in the address: longer labels would be cut off in the chart. */
export const LABEL_MOST = 60;

/** A typed target; null if the field is empty; or how to fix it. */
export type TypedTarget = { readonly target: Target | null } | { readonly wrong: string };

/**
 * Reads a typed target. Thousands may be grouped as the locale does.
 *
 * @param decimal - The locale's decimal separator.
 */
export function typedTarget(text: string, label: string, decimal: string): TypedTarget {
  const bare = text.trim();
  if (bare === '') return { target: null };
  const group = decimal === ',' ? /[.\s’']/g : /[,\s’']/g;
  const grouped = /^\d{1,3}([.,’'\u00a0\u202f ])\d{3}(\1\d{3})*([.,]\d+)?$/.exec(bare);
  const plain = grouped && grouped[1] !== decimal ? bare.replace(group, '') : bare;
  const typed = typedNumber(plain, decimal);
  if ('wrong' in typed) return { wrong: `“${bare}” is not a number. ${typed.wrong}` };
  const { value } = typed;
  if (value <= 0) return { wrong: 'A target is above 0.' };
  if (value > MOST) return { wrong: 'A target is at most 1 trillion.' };
  return { target: { value: Number(value.toFixed(6)), label: label.trim().slice(0, LABEL_MOST) } };
}
