import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** The built program from which the service starts its threads. */
export const threadEntry = (): URL => pathToFileURL(join(inject('programs'), 'groundswell.js'));
