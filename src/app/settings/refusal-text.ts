import { faultText } from '#app/format/fault-text.ts';
import { Fault } from '#contract/fault.ts';

/** Explains why the service refused a change. A refusal that the user can act on keeps the service's words. */
export function refusalText(error: unknown): string {
  if (error instanceof Fault && [404, 409].includes(error.status)) return error.message;
  return faultText(error);
}
