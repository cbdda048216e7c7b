import { BROKEN_ANSWER, SIGNED_OUT, UNREACHABLE } from '#app/api/answer-fault.ts';
import { refusalWords } from '#app/editor/diagnostic-words.ts';
import {
  CACHE_BROKEN,
  CACHE_DELETED,
  CACHE_EARLIER,
  CACHE_FULL,
  CACHE_OUTDATED,
  BAD_BACKUP,
} from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';
import { errorMessage } from '#core/thrown.ts';
import { EARLIER_CACHE } from './run-fault-text.ts';

/** The message of a page whose cache was deleted while it was open. */
export const DELETED_UNDER_PAGE =
  'The counts and boards stored in this browser were deleted. The screen stays as it is until you reload; until then nothing is fetched or saved.';

/** The message of a page whose user may no longer act as an account. */
export const NO_LONGER_ACTING =
  'You can no longer act as that account. No account is selected now.';

/** The message of a page that waits for a tab with an older version. */
export const BLOCKED_BY_TAB =
  'An older Groundswell in another tab is using the counts of this browser. Close or reload that tab: this one then continues by itself.';

const BY_TYPE: Readonly<Record<string, string>> = {
  [UNREACHABLE]: 'The service doesn’t answer. Start it again (npm start), then retry.',
  [SIGNED_OUT]: 'This browser is not signed in. The note at the top of the page says how.',
  [CACHE_FULL]: 'The browser has no room left for counts. Free some disk space, then retry.',
  [CACHE_OUTDATED]: 'Groundswell was updated in another tab. Reload this page to continue.',
  [CACHE_EARLIER]: `${EARLIER_CACHE.what} ${EARLIER_CACHE.todo}`,
  [CACHE_DELETED]:
    'The counts and boards stored in this browser were deleted. Reload this page to start without them.',
  [CACHE_BROKEN]:
    'The browser could not read or write the cache. Reload the page. Counts at the service are safe.',
};

/**
 * A fault in one or two sentences: what happened, and what to do.
 *
 * @param file - Name of the file that was read, if it was one.
 */
export function faultText(error: unknown, file = 'This file'): string {
  if (!(error instanceof Fault)) {
    return `Something went wrong: ${errorMessage(error)}`;
  }
  const { body, status, message } = error;
  if (body.type === BAD_BACKUP) {
    return `${file} is not a backup of a Groundswell cache, or it is damaged. Nothing was imported.`;
  }
  const known = BY_TYPE[body.type];
  if (known) return known;
  if (body.type === BROKEN_ANSWER) return `${body.title}. Reload the page.`;
  // A refusal that the user can act on keeps the service's words.
  if ([404, 409, 422].includes(status)) return message;
  if (status === 401) return 'The session has expired. Reload the page.';
  if (status === 400) return `The service rejected this: ${refusalWords(message)}`;
  return `The service could not do this: ${message}`;
}
