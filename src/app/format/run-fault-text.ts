import { BROKEN_ANSWER, SIGNED_OUT, UNREACHABLE } from '#app/api/answer-fault.ts';
import {
  CACHE_DELETED,
  CACHE_FULL,
  CACHE_OUTDATED,
  BAD_BACKUP,
} from '#app/counts/cache/records.ts';
import { REFUSED_PAGE, STUCK_PAGES } from '#app/counts/fetch/faults.ts';
import { PROBLEMS, type Fault } from '#contract/fault.ts';
import { BUDGET_REACHED, PLATFORM_SLOW, PLATFORM_UNREACHABLE } from '#contract/platform.ts';
import type { SourceId } from '#contract/source.ts';

/** A fault as a marketer reads it: what happened and what to do; the body stays one click away. */
export interface FaultWords {
  readonly what: string;
  readonly todo: string;
}

const BY_TYPE: Readonly<Record<string, FaultWords>> = {
  [UNREACHABLE]: {
    what: 'The service does not answer.',
    todo: 'Start it again (npm start), then retry. What is cached stays here.',
  },
  [SIGNED_OUT]: {
    what: 'This browser is not signed in.',
    todo: 'Open the address that Groundswell printed when it started, or get a new one in a terminal: npm run -s groundswell -- link. What is cached stays here.',
  },
  [BROKEN_ANSWER]: {
    what: 'The service answered in a form that this page does not know.',
    todo: 'Reload the page: service and page may be of different versions.',
  },
  [CACHE_FULL]: {
    what: 'The browser has no room left for counts.',
    todo: 'Free some disk space, or let old counts make room in Settings, then retry: it goes on where it stopped.',
  },
  [CACHE_OUTDATED]: {
    what: 'A newer version of this page keeps the counts in another form.',
    todo: 'Reload this tab; nothing that was fetched is lost.',
  },
  [CACHE_DELETED]: {
    what: 'The counts and boards that this browser kept were deleted.',
    todo: 'Reload this tab: it begins again without them. What the service bought is not lost.',
  },
  [PLATFORM_UNREACHABLE]: {
    what: 'The service cannot reach the platform.',
    todo: 'Look at the service’s connection, then retry; pages that came are kept. If the request went out, the platform may have billed it.',
  },
  [PLATFORM_SLOW]: {
    what: 'The platform took too long to answer.',
    todo: 'Retry; pages that came are kept. The platform may have billed the request.',
  },
  [BUDGET_REACHED]: {
    what: 'The budget is reached: nothing more is bought.',
    todo: 'Wait for the next day or month (UTC), or raise it in Settings.',
  },
  [REFUSED_PAGE]: {
    what: 'The source gave numbers that contradict themselves, twice. They are not shown.',
    todo: 'The details hold the evidence. Retry later: the page is asked anew.',
  },
  [STUCK_PAGES]: {
    what: 'The source promises more pages and does not give them.',
    todo: 'What came is kept. Retry later for the rest.',
  },
  [BAD_BACKUP]: {
    what: 'This file is no export of counts, or it is damaged. Nothing of it was taken.',
    todo: 'Choose a file that Settings exported.',
  },
};

function ofPlatform(fault: Fault): FaultWords | null {
  switch (fault.status) {
    case 400:
      return {
        what: `The platform refused this query: ${fault.message}`,
        todo: 'Change the query or the range.',
      };
    case 401:
      return {
        what: 'The platform does not accept the token: it is missing, wrong or expired.',
        todo: 'Set GROUNDSWELL_PLATFORM_TOKEN in the service to a valid one and start it again.',
      };
    case 403:
      return fault.body.type === `${PROBLEMS}client-forbidden`
        ? {
            what: 'The token is not enrolled for the archive: it reaches the last seven days only.',
            todo: 'Choose the recent window, or set the token’s access in Settings.',
          }
        : {
            what: `The platform does not allow this: ${fault.message}`,
            todo: 'Check in the platform’s console what the token may do.',
          };
    case 503:
      return {
        what: 'The platform is overloaded and did not answer after several tries.',
        todo: 'Retry in a minute; pages that came are kept.',
      };
    default:
      return null;
  }
}

/** Says a fault in words, by its type and status and, where its source explained itself, in its own. */
export function faultWords(fault: Fault, source: SourceId = 'posts'): FaultWords {
  const said = fault.message;
  const known = BY_TYPE[fault.body.type] ?? (source === 'platform' ? ofPlatform(fault) : null);
  if (known) return known;
  switch (fault.status) {
    case 0:
      return { what: `${fault.body.title}.`, todo: 'Reload the page; what is kept here stays.' };
    case 400:
      return {
        what: `The source refused this query: ${said}`,
        todo: 'Change the query or the range.',
      };
    case 401:
      return {
        what: 'The service no longer knows this page.',
        todo: 'Reload the page; it signs in by itself.',
      };
    case 403:
      return {
        what: `This access does not reach that far: ${said}`,
        todo: 'Choose the recent window, or a source with access to the archive.',
      };
    case 429:
      return { what: 'The rate limit is used up.', todo: 'Wait for its reset, then retry.' };
    case 503:
      return {
        what: 'The source is overloaded and did not answer after several tries.',
        todo: 'Retry in a minute; pages that came are kept.',
      };
    default:
      return { what: said, todo: 'Retry; if it stays, the details say more.' };
  }
}
