import { BROKEN_ANSWER, SIGNED_OUT, UNREACHABLE } from '#app/api/answer-fault.ts';
import { refusalWords } from '#app/editor/diagnostic-words.ts';
import {
  CACHE_DELETED,
  CACHE_EARLIER,
  CACHE_FULL,
  CACHE_OUTDATED,
  BAD_BACKUP,
} from '#app/counts/cache/records.ts';
import { REFUSED_PAGE, STUCK_PAGES } from '#app/counts/fetch/faults.ts';
import { PROBLEMS, type Fault } from '#contract/fault.ts';
import { BUDGET_REACHED, PLATFORM_SLOW, PLATFORM_UNREACHABLE } from '#contract/counts/platform.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { RAISE_BUDGET } from './cost-text.ts';

/** A fault in the user's words: what happened and what to do; the technical details are one click away. */
export interface FaultWords {
  readonly what: string;
  readonly todo: string;
}

/** The words for a cache from before the first release. */
export const EARLIER_CACHE: FaultWords = {
  what: 'The counts and boards stored in this browser are of an earlier version of this page.',
  todo: 'To keep them, press Export all in the settings of that version. Then delete the data of this site in the browser, reload this page, and import the file.',
};

const BY_TYPE: Readonly<Record<string, FaultWords>> = {
  [UNREACHABLE]: {
    what: 'The service doesn’t answer.',
    todo: 'Start it again (npm start), then retry. Stored counts stay.',
  },
  [SIGNED_OUT]: {
    what: 'This browser is not signed in.',
    todo: 'The note at the top of the page says how to sign in. Stored counts stay.',
  },
  [BROKEN_ANSWER]: {
    what: 'This page doesn’t understand the service’s answer.',
    todo: 'Reload the page: service and page may have different versions.',
  },
  [CACHE_FULL]: {
    what: 'The browser has no room left for counts.',
    todo: 'Free some disk space, or let old counts make room in Settings, then retry. Loading continues where it stopped.',
  },
  [CACHE_OUTDATED]: {
    what: 'A newer version of this page has changed the cache.',
    todo: 'Reload this tab. No fetched counts are lost.',
  },
  [CACHE_EARLIER]: EARLIER_CACHE,
  [CACHE_DELETED]: {
    what: 'The counts and boards stored in this browser were deleted.',
    todo: 'Reload this tab to start without them. Counts the service bought are not lost.',
  },
  [PLATFORM_UNREACHABLE]: {
    what: 'The service cannot reach the platform.',
    todo: 'Check the service’s connection, then retry. Loaded pages are kept. If the request was sent, the platform may have billed it.',
  },
  [PLATFORM_SLOW]: {
    what: 'The platform took too long to answer.',
    todo: 'Retry. Loaded pages are kept. The platform may have billed the request.',
  },
  [BUDGET_REACHED]: {
    what: 'The budget is used up, so nothing more is bought.',
    todo: `Wait for the next day or month (UTC), or ${RAISE_BUDGET}.`,
  },
  [REFUSED_PAGE]: {
    what: 'The source twice sent contradictory numbers. They are not shown.',
    todo: 'See the details for the evidence. Retry later to request the page again.',
  },
  [STUCK_PAGES]: {
    what: 'The source announces more pages but doesn’t send them.',
    todo: 'Loaded counts stay. Retry later for the rest.',
  },
  [BAD_BACKUP]: {
    what: 'This file isn’t an export of counts, or it is damaged. Nothing was imported.',
    todo: 'Choose a file that Settings exported.',
  },
};

function ofPlatform(fault: Fault): FaultWords | null {
  switch (fault.status) {
    case 400:
      return {
        what: `The platform refused this query: ${refusalWords(fault.message)}`,
        todo: 'Change the query or the range.',
      };
    case 401:
      return {
        what: 'The platform rejects the token: it is missing, wrong or expired.',
        todo: 'Enter a valid token in the settings.',
      };
    case 403:
      return fault.body.type === `${PROBLEMS}client-forbidden`
        ? {
            what: 'The token has no access to the archive, only to the last seven days.',
            todo: 'Choose “Recent”, or set the token’s access in Settings.',
          }
        : {
            what: `The platform does not allow this: ${fault.message}`,
            todo: 'Check the token’s permissions in the platform’s console.',
          };
    case 503:
      return {
        what: 'The platform is overloaded and did not answer after several attempts.',
        todo: 'Retry in a minute. Loaded pages are kept.',
      };
    default:
      return null;
  }
}

/** Explains a fault by its type and status, with the source's own explanation if there is one. */
export function faultWords(fault: Fault, source: SourceId = 'posts'): FaultWords {
  const reason = fault.message;
  const known = BY_TYPE[fault.body.type] ?? (source === 'platform' ? ofPlatform(fault) : null);
  if (known) return known;
  switch (fault.status) {
    case 0:
      return { what: `${fault.body.title}.`, todo: 'Reload the page. Stored counts stay.' };
    case 400:
      return {
        what: `The source refused this query: ${refusalWords(reason)}`,
        todo: 'Change the query or the range.',
      };
    case 401:
      return {
        what: 'The session has expired.',
        todo: 'Reload the page to sign in again.',
      };
    case 403:
      return {
        what: `This access doesn’t cover the range: ${reason}`,
        todo: 'Choose “Recent”, or a source with access to the archive.',
      };
    case 429:
      return { what: 'The rate limit is used up.', todo: 'Wait until it resets, then retry.' };
    case 503:
      return {
        what: 'The source is overloaded and did not answer after several attempts.',
        todo: 'Retry in a minute. Loaded pages are kept.',
      };
    default:
      return { what: reason, todo: 'Retry. If it happens again, see the details.' };
  }
}
