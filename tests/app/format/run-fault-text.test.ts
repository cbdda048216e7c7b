import { describe, expect, test } from 'vitest';
import { BROKEN_ANSWER, unreachable } from '#app/api/answer-fault.ts';
import { faultWords } from '#app/format/run-fault-text.ts';
import {
  CACHE_BROKEN,
  CACHE_DELETED,
  CACHE_EARLIER,
  CACHE_FULL,
  CACHE_OUTDATED,
  BAD_BACKUP,
} from '#app/counts/cache/records.ts';
import { refusedPage, stuckPages } from '#app/counts/fetch/faults.ts';
import { Fault, PROBLEMS } from '#contract/fault.ts';
import { BUDGET_REACHED, PLATFORM_SLOW, PLATFORM_UNREACHABLE } from '#contract/counts/platform.ts';

const refused = (status: number, type = 'about:blank'): Fault =>
  new Fault(status, { title: 'no', detail: 'because of it', type });
const cache = (type: string): Fault =>
  new Fault(0, { title: 'The browser’s store for counts failed', type });

describe('a fault says what happened and what to do', () => {
  test.each<[string, Fault, RegExp, RegExp]>([
    ['a service that is away', unreachable('x'), /doesn’t answer/, /npm start/],
    ['a browser without room', cache(CACHE_FULL), /no room left/, /Free some disk space/],
    ['a store of a newer version', cache(CACHE_OUTDATED), /newer version/, /Reload this tab/],
    ['a store of an earlier version', cache(CACHE_EARLIER), /earlier version/, /Export all/],
    ['a store that was deleted', cache(CACHE_DELETED), /were deleted/, /Reload this tab/],
    ['a store that is broken', cache(CACHE_BROKEN), /store for counts/, /Reload/],
    ['an answer of another form', refused(200, BROKEN_ANSWER), /understand/, /versions/],
    [
      'a refused query',
      refused(400),
      /source refused this query: because of it/,
      /Change the query/,
    ],
    ['a session that is over', refused(401), /session has expired/, /Reload/],
    ['an access that ends', refused(403), /doesn’t cover/, /“Recent”/],
    ['a limit that is used up', refused(429), /rate limit/, /reset/],
    ['an overloaded source', refused(503), /overloaded/, /Retry in a minute/],
    ['a platform out of reach', refused(502, PLATFORM_UNREACHABLE), /cannot reach/, /billed/],
    ['a slow platform', refused(504, PLATFORM_SLOW), /too long/, /billed/],
    ['a budget', refused(429, BUDGET_REACHED), /budget is used up/, /Settings/],
    ['a page that contradicts itself', refusedPage([]), /contradict/, /evidence/],
    ['pages that never come', stuckPages(0), /announces more/, /stay/],
    ['a file that is no backup', refused(0, BAD_BACKUP), /isn’t an export/, /Settings exported/],
    ['something else', refused(418), /because of it/, /details/],
  ])('%s', (_, fault, what, todo) => {
    const said = faultWords(fault);
    expect(said.what).toMatch(what);
    expect(said.todo).toMatch(todo);
  });
});

describe('the platform’s own refusals', () => {
  test.each<[string, Fault, RegExp, RegExp]>([
    ['a query', refused(400), /platform refused this query: because of it/, /Change the query/],
    ['a token', refused(401), /missing, wrong or expired/, /in the settings/],
    [
      'the archive',
      refused(403, `${PROBLEMS}client-forbidden`),
      /no access to the archive, only to the last seven days/,
      /“Recent”/,
    ],
    ['something else', refused(403), /does not allow this: because of it/, /console/],
    ['overload', refused(503), /platform is overloaded/, /Retry in a minute/],
    ['a limit', refused(429), /rate limit/, /reset/],
    ['a budget of ours', refused(429, BUDGET_REACHED), /budget is used up/, /Settings/],
  ])('%s', (_, fault, what, todo) => {
    const said = faultWords(fault, 'platform');
    expect(said.what).toMatch(what);
    expect(said.todo).toMatch(todo);
  });
});
