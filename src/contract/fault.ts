/**
 * The one error of the interface, on both sides: the service's rules throw it, `server/http/errors.ts` alone makes
 * it an HTTP answer, and `app/api/client.ts` makes it a Fault again.
 */
export interface FaultBody {
  title: string;
  detail?: string;
  type: string;
  status?: number;
  errors?: { parameters?: Record<string, string[]>; message: string }[];
  [extra: string]: unknown;
}

/** Prefix of the URLs of problem types (platform-facts 1.7). */
export const PROBLEMS = 'https://api.x.com/2/problems/';

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly status: number;
  readonly body: FaultBody;
  /** Extra response headers with lower-case names, such as `x-rate-limit-reset` on a 429. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: FaultBody, headers: Record<string, string> = {}) {
    super(body.errors?.[0]?.message ?? body.detail ?? body.title);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A wrong parameter with its value, which is absent if the parameter is missing. */
export interface WrongParameter {
  readonly parameter: string;
  readonly value?: string;
  readonly message: string;
}

/** 400 with the recorded shape for all that is wrong in what a request says (platform-facts 1.7). */
export function invalidWith(...errors: NonNullable<FaultBody['errors']>): Fault {
  return new Fault(400, {
    errors,
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${PROBLEMS}invalid-request`,
  });
}

/** {@link invalidWith} for wrong parameters. */
export function invalidParameters(wrong: readonly WrongParameter[]): Fault {
  return invalidWith(
    ...wrong.map(({ parameter, value, message }) => ({
      parameters: { [parameter]: value === undefined ? [] : [value] },
      message,
    })),
  );
}

/** A problem that its status explains, such as 401 and 429 (recorded, platform-facts 1.7 and section 0). */
export function plainProblem(
  status: number,
  title: string,
  detail: string = title,
  headers: Record<string, string> = {},
): Fault {
  return new Fault(status, { title, type: 'about:blank', status, detail }, headers);
}

/** {@link invalidParameters} for one parameter. */
export function invalidRequest(parameter: string, value: string, message: string): Fault {
  return invalidParameters([{ parameter, value, message }]);
}
