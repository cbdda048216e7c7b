import type { Ast, Diagnostic } from '#core/query/ast.ts';
import { nearest } from '#core/query/nearest.ts';

const plain = (name: string): string => name.normalize('NFC').toLowerCase();

/** A collection's name as the value of `in:`, in quotes unless it is one word. */
export function inValue(name: string): string {
  return /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*$/u.test(name) ? name : `"${name}"`;
}

/** The name that the text from a value on begins with, such as `Fight night` of `Fight night boxing`. */
function begunBy(rest: string, names: readonly string[]): string | undefined {
  const fits = names.filter((name) => {
    const after = rest.slice(name.length);
    return plain(rest.slice(0, name.length)) === plain(name) && /^(?:$|[\s()])/.test(after);
  });
  return fits.toSorted((a, b) => b.length - a.length)[0];
}

/**
 * Collections in a query that do not exist, and names of several words without quotes, of which `in:` takes only the
 * first.
 *
 * @param names - The source's collections; if none are known, nothing is said.
 */
export function collectionFaults(ast: Ast, text: string, names: readonly string[]): Diagnostic[] {
  if (names.length === 0) return [];
  if (ast.kind !== 'clause') return ast.of.flatMap((part) => collectionFaults(part, text, names));
  if (ast.operator !== 'in') return [];
  const written = text.slice(ast.at, ast.at + ast.length);
  const lead = /^[^:]*:/.exec(written)?.[0] ?? '';
  const { at, value } = ast;
  const whole = written.endsWith('"') ? undefined : begunBy(text.slice(at + lead.length), names);
  const known = names.some((name) => plain(name) === plain(value));
  if (whole !== undefined && whole.length > value.length) {
    const length = lead.length + whole.length;
    const message = `Only “${value}” belongs to in: here. A name of several words needs quotes`;
    return [{ at, length, rule: 'unquoted-collection', message, fix: `${lead}"${whole}"` }];
  }
  if (known) return [];
  const begins = names.filter((name) => plain(name).startsWith(plain(value)));
  const similar = nearest(plain(value), names.map(plain));
  const meant = begins.length === 1 ? begins[0] : names.find((name) => plain(name) === similar);
  const message = `There is no collection “${value}”`;
  const fix = meant === undefined ? {} : { fix: lead + inValue(meant) };
  return [{ at, length: ast.length, rule: 'unknown-collection', message, ...fix }];
}
