import { plainProblem } from '#contract/fault.ts';
import type { CallingApp, Caller } from './caller.ts';

/** The caller's app, which every token has. @throws {@link Fault} 403 for a caller without one. */
export function callingApp({ app }: Caller): CallingApp {
  if (app) return app;
  throw plainProblem(403, 'Forbidden');
}
