import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** The built program that the service's threads are started from. */
export const threadEntry = (): URL => pathToFileURL(join(inject('programs'), 'groundswell.js'));
