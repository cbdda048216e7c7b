import { describe, expect, test } from 'vitest';
import { unreachable } from '#app/api/client.ts';
import { faultWords } from '#app/board/fault-words.ts';
import { cacheFault } from '#app/counts/cache-opening.ts';
import { Fault } from '#contract/fault.ts';

const full = Object.assign(new Error('aborted'), { inner: { name: 'QuotaExceededError' } });
const refused = (status: number): Fault => new Fault(status, { title: 'no', type: 'about:blank' });

describe('a fault says what happened and what to do', () => {
  test.each<[string, Fault, RegExp, RegExp]>([
    ['a service that is away', unreachable('x'), /does not answer/, /npm start/],
    ['a browser without room', cacheFault(full), /no room left/, /Free some disk space/],
    ['a store that is broken', cacheFault(new Error('x')), /store for counts/, /Reload/],
    ['a refused query', refused(400), /refused this query/, /Change the query/],
    ['a limit that is used up', refused(429), /rate limit/, /reset/],
    ['an overloaded source', refused(503), /overloaded/, /Retry in a minute/],
  ])('%s', (_, fault, what, todo) => {
    const said = faultWords(fault);
    expect(said.what).toMatch(what);
    expect(said.todo).toMatch(todo);
  });
});
