import { endpoint } from './endpoint.ts';

/** Importing from the dashboard. */
export const IMPORT = {
  /** The bytes of a file, its name in `?name=`. The answer is a `ControlEvent` per line. */
  file: endpoint('POST', '/import', { authentication: ['session'] }),
  /** Stops the import that has the name in the request's `WORK_HEADER`. */
  stop: endpoint('POST', '/import/stop', { authentication: ['session'] }),
};
