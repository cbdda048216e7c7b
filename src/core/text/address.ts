/**
 * Generic top-level domains from before 2012 (IANA root zone), and two country ones that are used like
 * them.
 */
const GENERIC =
  'aero|arpa|asia|biz|cat|com|coop|edu|gov|info|int|jobs|mil|mobi|museum|name|net|org|pro|tel|travel|xxx|co|tv';

/** Top-level domains of countries in Latin letters (IANA root zone). */
const COUNTRY =
  'a[cdefgilmoqrstuwxz]|b[abdefghijmnorstvwyz]|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|' +
  'g[abdefghilmnpqrstuwy]|h[kmnrtu]|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|' +
  'm[acdeghklmnopqrstuvwxyz]|n[acefgilopruz]|om|p[aefghklmnrstwy]|qa|r[eosuw]|' +
  's[abcdeghiklmnorstuvxyz]|t[cdfghjklmnortvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw]';

const LABEL = String.raw`[\p{L}\p{N}\p{So}](?:[\p{L}\p{M}\p{N}\p{So}_-]*[\p{L}\p{M}\p{N}\p{So}])?`;
const PLAIN_LABEL = '[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?';
const PORT = String.raw`(?::\d{1,5})?`;
const AFTER = String.raw`(?![a-z0-9@+-]|\.[a-z0-9])`;

// An address ends before the punctuation of the surrounding sentence; brackets belong to it in pairs.
const IN_PATH = String.raw`[\p{L}\p{M}\p{N}!*';:=+,.$/%#\[\]_~@&|?-]`;
const ENDS_PATH = String.raw`[\p{L}\p{M}\p{N}=+/#$%_~&-]`;
const PAIR = String.raw`\(${IN_PATH}*\)`;
const PATH = `(?:(?=[/?#])(?:${IN_PATH}|${PAIR})*(?:${ENDS_PATH}|${PAIR}))?`;

const ADDRESS = new RegExp(
  String.raw`(?<![a-z0-9@＠$#＃])(?:https?://(?:${LABEL}\.)+\p{L}(?:[\p{L}\p{M}\p{N}-]*\p{L})?` +
    String.raw`|(?<![-_./])(?:(?:${PLAIN_LABEL}\.)+(?:${GENERIC})${AFTER}` +
    String.raw`|(?:${PLAIN_LABEL}\.){2,}(?:${COUNTRY})${AFTER}` +
    String.raw`|${PLAIN_LABEL}\.(?:${COUNTRY})(?=${PORT}/)))${PORT}${PATH}`,
  'giu',
);

/** A longer text is not an address (twitter-text). */
const LONGEST = 4096;

/**
 * Finds the web addresses that the platform shortens, as its twitter-text library does: those with
 * `http://` or `https://`, and bare ones with a domain of {@link GENERIC} or of a country;
 * `name.country` alone only with a path. Generic domains from after 2012 are addresses only with
 * `http://`.
 *
 * @returns Positions in UTF-16 units, `[start, end)`, ascending, disjoint.
 */
export function addressSpans(text: string): { start: number; end: number }[] {
  if (!text.includes('.')) return [];
  return Array.from(text.matchAll(ADDRESS), ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  })).filter(({ start, end }) => end - start <= LONGEST);
}
