/** Supported content codings. */
export type Encoding = 'gzip' | 'br' | 'identity';

/** In order of preference at equal weight. Every client and proxy reads gzip. */
const ENCODINGS: readonly Encoding[] = ['gzip', 'br', 'identity'];

/** A weight by RFC 9110 section 12.4.2: 0 to 1 with at most three decimals. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Weight of identity if the header does not mention it: acceptable, but below every weight that a header can give. */
const UNMENTIONED = 0.0005;

/** Weights by coding. Members with a malformed weight are ignored. */
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
 * @param accept - The header; undefined if absent, in which case the answer is not encoded.
 * @param worthIt - Whether encoding gains anything; if not, identity is chosen wherever it is acceptable.
 * @returns The coding with the greatest weight, at equal weight gzip before br before identity; null if the client
 *   refuses all of them, identity by name or by `*;q=0`.
 */
export function chooseEncoding(accept: string | undefined, worthIt = true): Encoding | null {
  if (accept === undefined) return 'identity';
  const weights = readWeights(accept);
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? UNMENTIONED : 0);
  if (!worthIt && weightOf('identity') > 0) return 'identity';
  const [best] = ENCODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : null;
}
