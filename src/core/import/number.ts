/** A count as files write it: `1234`, `1,234`, `1.234`, `12.0`; null for anything else, such as `1.2K`. */
export function readCount(text: string): number | null {
  if (/^\d{1,15}(?:\.0+)?$/.test(text)) return Number(text);
  return /^\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+$/.test(text)
    ? Number(text.replaceAll(/\D/g, ''))
    : null;
}

/** The character between the whole units and the decimals of amounts. */
export type DecimalMark = '.' | ',';

const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|kr\.?|zł|Kč|Ft)`;
const BLANK = String.raw`[ \u00a0\u202f]?`;
const AMOUNT = new RegExp(
  String.raw`^(?:${CURRENCY}${BLANK})?(\d[\d.,'\u00a0\u202f ]*?)(?:${BLANK}${CURRENCY})?$`,
  'u',
);
const SEPARATORS = /[.,'\u00a0\u202f ]/g;

interface Parts {
  /** With separators of thousands. */
  readonly whole: string;
  readonly mark: string;
  readonly decimals: string;
}

/** Divides an amount at its last separator; null if it is none. */
function partsOf(text: string): Parts | null {
  const [, amount] = AMOUNT.exec(text) ?? [];
  if (amount === undefined) return null;
  const [, whole = '', mark = '', decimals = ''] = /^(.*)([.,])(\d*)$/.exec(amount) ?? [];
  return mark === '' ? { whole: amount, mark, decimals } : { whole, mark, decimals };
}

/** True if the last separator could also be one of thousands. */
function isOpen({ whole, decimals }: Parts): boolean {
  return decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
}

function isMark(text: string): text is DecimalMark {
  return text === '.' || text === ',';
}

/** The decimal mark that an amount shows; null if it shows none, as `12`, `1,234` and `1.234`. */
export function markIn(text: string): DecimalMark | null {
  const parts = partsOf(text);
  if (!parts || !isMark(parts.mark) || parts.whole.includes(parts.mark)) return null;
  return isOpen(parts) ? null : parts.mark;
}

/**
 * An amount as files write it, with or without a currency: `12.5`, `$1,234.56`, `1.234,56 €`, `1'234.50`.
 *
 * @param mark - The decimal mark that other amounts of the file show. Where none does, `1,234` is above a thousand and
 *   `1.234` is not.
 * @returns Millionths of a unit, rounded; null for anything else.
 */
export function readAmount(text: string, mark: DecimalMark | null): number | null {
  const parts = partsOf(text);
  if (!parts) return null;
  const isThousands =
    parts.whole.includes(parts.mark) || (isOpen(parts) && parts.mark !== (mark ?? '.'));
  const grouped = isThousands ? `${parts.whole}${parts.mark}${parts.decimals}` : parts.whole;
  const decimals = isThousands ? '' : parts.decimals;
  if (!/^\d+$|^\d{1,3}(?:([.,'\u00a0\u202f ])\d{3})(?:\1\d{3})*$/.test(grouped)) return null;
  if (parts.mark !== '' && !isThousands && decimals === '') return null;
  const whole = grouped.replaceAll(SEPARATORS, '');
  if (whole.length > 9 || decimals.length > 9) return null;
  return Number(whole) * 1_000_000 + Math.round(Number(decimals.padEnd(9, '0')) / 1000);
}
