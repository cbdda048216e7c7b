import { endpoint } from './endpoint.ts';

/** Importing from the dashboard. */
export const IMPORT = {
  /** The body is the file, `?name=` its name. The answer is one `ControlEvent` per line. */
  file: endpoint('POST', '/import', { authentication: ['session'] }),
  /** Stops the import that `WORK_HEADER` names. */
  stop: endpoint('POST', '/import/stop', { authentication: ['session'] }),
};
