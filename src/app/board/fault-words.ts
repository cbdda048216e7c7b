import { UNREACHABLE } from '#app/api/client.ts';
import { CACHE_FULL } from '#app/counts/cache-port.ts';
import type { Fault } from '#contract/fault.ts';

/** A fault as a marketer reads it: what happened and what to do; the body stays one click away. */
export interface FaultWords {
  readonly what: string;
  readonly todo: string;
}

/** Says a fault in words, by its status and, where the service explained itself, in its own. */
export function faultWords(fault: Fault): FaultWords {
  const said = fault.message;
  if (fault.body.type === UNREACHABLE) {
    return {
      what: 'The service does not answer.',
      todo: 'Start it again (npm start), then retry. What is cached stays here.',
    };
  }
  if (fault.body.type === CACHE_FULL) {
    return {
      what: 'The browser has no room left for counts.',
      todo: 'Free some disk space, then retry: it goes on where it stopped.',
    };
  }
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
