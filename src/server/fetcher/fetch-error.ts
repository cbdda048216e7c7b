import { errorCode } from '#core/thrown.ts';

/**
 * The reason a request to another machine failed: `address` is refused by the rules, `redirect` and `status` are
 * answers, `certificate` is any fault of TLS, `answer` an answer that is too large, `timeout` none in time, and
 * `connection` everything else between the two machines, such as a name that does not resolve.
 */
export type FetchFault =
  | 'address'
  | 'redirect'
  | 'status'
  | 'certificate'
  | 'answer'
  | 'timeout'
  | 'connection';

/** A request to another machine that failed. The message is a sentence for the owner of the address. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly fault: FetchFault;

  constructor(fault: FetchFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Codes of OpenSSL's verification of a certificate that begin with none of the other prefixes (tls.html#x509). */
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|ERROR_IN_CERT_|EPROTO)/;
/** The meaning of a code in words. */
const WHY: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not resolve',
  ENODATA: 'the name does not resolve',
  ECONNREFUSED: 'nothing listens at that address',
  ECONNRESET: 'the server broke it off',
  EPIPE: 'the server broke it off',
  UND_ERR_SOCKET: 'the server closed it before the end of its answer',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
};
const LATE = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

/** The meaning of a failure, by the code of its error or of one of its causes. */
export function fetchErrorOf(error: unknown, seconds: number): FetchError {
  if (error instanceof FetchError) return error;
  const options = { cause: error };
  // With several addresses, the errors of all of them; each failed for itself.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (first instanceof FetchError) return first;
  const code = errorCode(error) || errorCode(first);
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || name === 'AbortError' || LATE.test(code)) {
    return new FetchError('timeout', `There was no answer within ${seconds} seconds.`, options);
  }
  if (CERTIFICATE.test(code)) {
    return new FetchError(
      'certificate',
      `The server's certificate was not accepted: ${code}.`,
      options,
    );
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new FetchError('answer', 'The answer is too large.', options);
  }
  const why = WHY[code] ?? (code || 'unknown');
  return new FetchError('connection', `The connection failed: ${why}.`, options);
}
