import { Fault, PROBLEMS } from '#contract/fault.ts';

/** Codes of the advertiser interface (platform-facts, section 10, and its additions). */
export type AdvertiserCode =
  | 'INVALID_PARAMETER'
  | 'MISSING_PARAMETER'
  | 'EXCLUSIVE_PARAMETERS'
  | 'INCLUSIVE_PARAMETERS'
  | 'ILLEGAL_CHARACTERS'
  | 'REQUEST_TOO_COMPLEX'
  | 'INVALID_TIME_WINDOW'
  | 'UNAUTHORIZED_ACCESS'
  | 'ACCOUNT_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'ACTION_NOT_ALLOWED'
  | 'UNAUTHORIZED_CLIENT_APPLICATION'
  | 'READONLY_CLIENT_APPLICATION'
  | 'CAMPAIGN_NOT_FOUND'
  | 'LINE_ITEM_NOT_FOUND'
  | 'FUNDING_INSTRUMENT_NOT_FOUND'
  | 'PROMOTED_TWEET_NOT_FOUND'
  | 'MEDIA_CREATIVE_NOT_FOUND'
  | 'ACCOUNT_MEDIA_NOT_FOUND'
  | 'MEDIA_NOT_FOUND'
  | 'PROMOTABLE_USER_NOT_FOUND'
  | 'TAILORED_AUDIENCE_NOT_FOUND'
  | 'TARGETING_CRITERION_NOT_FOUND'
  | 'TWEET_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'NOT_FOUND'
  | 'INVALID_ID_ILLEGAL_CHARACTERS'
  | 'METHOD_NOT_ALLOWED'
  | 'CANCELLED_REQUEST'
  | 'LOCK_ACQUISITION_TIMEOUT'
  | 'TOO_MANY_REQUESTS'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'OVER_CAPACITY';

/** One error of an answer. `parameter` and `value` are absent where the error is about the whole request. */
export interface AdvertiserError {
  readonly code: AdvertiserCode;
  readonly message: string;
  readonly parameter?: string;
  /** As sent; absent for a missing parameter. */
  readonly value?: string;
  readonly details?: string;
}

/** Faults of rules of the advertiser interface, with the errors that they answer. */
const errorsOf = new WeakMap<Fault, readonly AdvertiserError[]>();

/** A fault of the advertiser interface with several errors, at least one. */
export function advertiserFaults(status: number, errors: readonly AdvertiserError[]): Fault {
  const [first] = errors;
  if (!first) throw new RangeError('expected at least one error, got none');
  const { code, message } = first;
  const fault = new Fault(status, { title: code, type: 'about:blank', status, detail: message });
  errorsOf.set(fault, errors);
  return fault;
}

/** A fault of the advertiser interface. @param at - The parameter that it is about, and its value as sent. */
export function advertiserFault(
  status: number,
  code: AdvertiserCode,
  message: string,
  at: Pick<AdvertiserError, 'parameter' | 'value' | 'details'> = {},
): Fault {
  return advertiserFaults(status, [{ code, message, ...at }]);
}

/** The members of the answer to a batch besides its errors. */
interface BatchErrors {
  /** The errors of each operation, in their order. */
  readonly operation_errors: readonly (readonly AdvertiserError[])[];
  readonly request: readonly object[];
}

const batches = new WeakMap<Fault, BatchErrors>();

/**
 * A fault of operations of a batch (docs campaign-management/reference, POST batch).
 *
 * @param request - The part of the request that it repeats.
 */
export function batchFault(
  operations: BatchErrors['operation_errors'],
  request: readonly object[],
): Fault {
  const first = operations.flat()[0];
  const { code = 'INVALID_PARAMETER', message = 'An operation is not possible' } = first ?? {};
  const fault = advertiserFault(400, code, message);
  batches.set(fault, { operation_errors: operations, request });
  return fault;
}

/** The errors of the operations of a batch; undefined for any other fault. */
export function batchErrors(fault: Fault): BatchErrors | undefined {
  return batches.get(fault);
}

const BY_STATUS: ReadonlyMap<number, AdvertiserCode> = new Map([
  [400, 'INVALID_PARAMETER'],
  [401, 'UNAUTHORIZED_ACCESS'],
  [403, 'ACTION_NOT_ALLOWED'],
  [404, 'ROUTE_NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [408, 'CANCELLED_REQUEST'],
  [413, 'REQUEST_TOO_COMPLEX'],
  [429, 'TOO_MANY_REQUESTS'],
  [503, 'SERVICE_UNAVAILABLE'],
]);

const BY_TYPE: ReadonlyMap<string, AdvertiserCode> = new Map([
  [`${PROBLEMS}oauth1-permissions`, 'READONLY_CLIENT_APPLICATION'],
  [`${PROBLEMS}unsupported-authentication`, 'UNAUTHORIZED_CLIENT_APPLICATION'],
]);

/** The errors of any fault, in the form of the advertiser interface. */
export function advertiserErrors(fault: Fault): readonly AdvertiserError[] {
  const own = errorsOf.get(fault);
  if (own) return own;
  const { status, body } = fault;
  const code = BY_TYPE.get(body.type) ?? BY_STATUS.get(status) ?? 'INTERNAL_ERROR';
  const wrong = body.errors ?? [];
  if (wrong.length === 0) return [{ code, message: fault.message }];
  return wrong.map(({ parameters = {}, message }) => {
    const [named] = Object.entries(parameters);
    if (!named) return { code, message };
    const [parameter, [value]] = named;
    if (value === undefined) return { code: 'MISSING_PARAMETER', message, parameter };
    // Recorded (platform-facts, section 10).
    const isTime = message.startsWith('Expected time,');
    return { code, message, parameter, value, ...(isTime && { details: 'invalid date' }) };
  });
}
