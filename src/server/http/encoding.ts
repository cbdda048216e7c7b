export type ContentCoding = 'gzip' | 'br' | 'identity';

/** The codings of computed answers, in the order of preference: every client and proxy reads gzip. */
const ENCODINGS: readonly ContentCoding[] = ['gzip', 'br', 'identity'];

/** A weight by RFC 9110 section 12.4.2: 0 to 1 with at most three decimals. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Weight of identity where the header does not name it: below the least possible weight, yet acceptable. */
const UNNAMED = 0.0005;

/** The weight of each coding in the header. A member with a malformed weight is ignored. */
function readWeights(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of accept.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = member.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    // Both names mean gzip (RFC 9110 section 8.4.1.3).
    if (coding !== '' && WEIGHT.test(weight)) {
      weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
    }
  }
  return weights;
}

/**
 * Chooses the content coding of an answer by the request's `Accept-Encoding` (RFC 9110 section 12.5.3).
 *
 * @param accept - The header; without one the answer is not encoded.
 * @param worthIt - Whether encoding saves anything; if not, identity is chosen wherever it is acceptable.
 * @param preferred - Of codings with equal weight, the first.
 * @returns The coding of the greatest weight; null where the client refuses each of them, identity by name or by
 *   `*;q=0`.
 */
export function chooseEncoding(
  accept: string | undefined,
  worthIt = true,
  preferred: readonly ContentCoding[] = ENCODINGS,
): ContentCoding | null {
  if (accept === undefined) return 'identity';
  const weights = readWeights(accept);
  const weightOf = (encoding: ContentCoding): number =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? UNNAMED : 0);
  if (!worthIt && weightOf('identity') > 0) return 'identity';
  const [best] = preferred.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : null;
}
