import { BROKEN_ANSWER, SIGNED_OUT, UNREACHABLE } from '#app/api/answer-fault.ts';
import {
  CACHE_BROKEN,
  CACHE_DELETED,
  CACHE_FULL,
  CACHE_OUTDATED,
  BAD_BACKUP,
} from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';

/** What a page says whose cache was deleted while it was open. */
export const DELETED_UNDER_PAGE =
  'The counts and boards that this browser kept were deleted. What is on screen stays until you reload; nothing more is fetched or saved before.';

const BY_TYPE: Readonly<Record<string, string>> = {
  [UNREACHABLE]: 'The service does not answer. Start it again (npm start), then retry.',
  [SIGNED_OUT]:
    'This browser is not signed in. Open the address that Groundswell printed when it started.',
  [CACHE_FULL]: 'The browser has no room left for counts. Free some disk space, then retry.',
  [CACHE_OUTDATED]: 'Groundswell was updated in another tab. Reload this page to go on.',
  [CACHE_DELETED]:
    'The counts and boards that this browser kept were deleted. Reload this page to begin again without them.',
  [CACHE_BROKEN]:
    'The browser could not read or write the cache. Reload the page; what the service holds stays.',
};

/**
 * What went wrong in the settings, as one or two sentences: what happened, and what to do.
 *
 * @param file - Name of the file that was read, if it was one.
 */
export function faultText(error: unknown, file = 'This file'): string {
  if (!(error instanceof Fault)) {
    return `Something went wrong in the page: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { body, status, message } = error;
  if (body.type === BAD_BACKUP) {
    return `${file} is not a backup of a Groundswell cache, or it is damaged. Nothing of it was kept.`;
  }
  const known = BY_TYPE[body.type];
  if (known) return known;
  if (body.type === BROKEN_ANSWER) return `${body.title}. Reload the page.`;
  if (status === 404) {
    return 'The service has no token of the platform, or no longer. Set it and start it again.';
  }
  if (status === 401) return 'The service no longer knows this page. Reload it.';
  if (status === 400) return `The service did not take this: ${message}`;
  return `The service could not do this: ${message}`;
}
