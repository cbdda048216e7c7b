import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { oneOf, parametersOf, toBaseVersion, wholeFrom } from '#contract/ads/advertising.ts';
import { plainProblem } from '#contract/fault.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { advertiserBody, entity, listing } from '#server/ads/envelope.ts';
import { errorHandler } from '#server/http/errors.ts';
import { readParameters } from '#server/http/params.ts';

const Query = parametersOf({
  name: v.string(),
  count: v.optional(wholeFrom('count', 1, 1000), '200'),
  kinds: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
    ),
  ),
  type: v.optional(oneOf('type', ['MANUAL', 'FILTERED'])),
});

const app = new Hono({ getPath: (request) => toBaseVersion(getPath(request)) });
app.onError(
  errorHandler(
    () => null,
    () => {},
    advertiserBody,
  ),
);
app.get('/5/things/:id', (c) => {
  const { request: query, texts } = readParameters(new URL(c.req.url).searchParams, Query);
  return c.json(entity({ params: c.req.param(), query, texts }, { id: '7' }));
});
app.post('/5/things/:id', () => {
  throw advertiserFault(404, 'NOT_FOUND', 'No thing has the id 7', { parameter: 'id', value: '7' });
});
app.get('/5/limited', () => {
  throw plainProblem(429, 'Too Many Requests');
});
app.get('/2/limited', () => {
  throw plainProblem(429, 'Too Many Requests');
});

const ask = async (path: string, init?: RequestInit) => {
  const answer = await app.request(path, init);
  const type = answer.headers.get('content-type');
  return { status: answer.status, type, body: (await answer.json()) as unknown };
};

describe('answers', () => {
  it.each(['/5', '/9', '/12'])('%s repeats the parameters that were sent', async (version) => {
    const { body } = await ask(`${version}/things/7?name=a&count=20&kinds=b,c`);
    expect(body).toEqual({
      request: { params: { id: '7', name: 'a', count: 20, kinds: ['b', 'c'] } },
      data: { id: '7' },
    });
  });

  it('a listing says where the next page begins, and a total only where it is known', () => {
    const call = { texts: {} };
    const request = { params: {} };
    expect(listing(call, { data: [1], next: 'c-1' })).toEqual({
      request,
      next_cursor: 'c-1',
      data: [1],
    });
    expect(listing(call, { data: [], next: null, total: 0 })).toEqual({
      request,
      next_cursor: null,
      total_count: 0,
      data: [],
    });
  });
});

describe('errors', () => {
  it('names every missing and malformed parameter, with its value', async () => {
    const { status, type, body } = await ask('/12/things/7?count=0&type=X&odd=1');
    expect([status, type]).toEqual([400, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      errors: [
        { code: 'MISSING_PARAMETER', parameter: 'name', message: '"name" is a missing parameter' },
        {
          code: 'INVALID_PARAMETER',
          parameter: 'count',
          value: '0',
          message: 'Expected a whole number from 1 to 1000, got "0" for count',
        },
        {
          code: 'INVALID_PARAMETER',
          parameter: 'type',
          value: 'X',
          message: 'Expected one of MANUAL, FILTERED, got "X" for type',
        },
        {
          code: 'INVALID_PARAMETER',
          parameter: 'odd',
          value: '1',
          message: '"odd" is not a parameter of this operation',
        },
      ],
      request: { params: { id: '7', count: '0', type: 'X', odd: '1' } },
    });
  });

  it('repeats the fields of a form, without the signature', async () => {
    const { status, body } = await ask('/5/things/7?a=1&oauth_token=t', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=b&oauth_signature=s',
    });
    expect(status).toBe(404);
    expect(body).toEqual({
      errors: [
        { code: 'NOT_FOUND', message: 'No thing has the id 7', parameter: 'id', value: '7' },
      ],
      request: { params: { id: '7', a: '1', name: 'b' } },
    });
  });

  it('has the form of the interface that was called', async () => {
    expect((await ask('/5/limited')).body).toEqual({
      errors: [{ code: 'TOO_MANY_REQUESTS', message: 'Too Many Requests' }],
      request: { params: {} },
    });
    expect((await ask('/2/limited')).body).toMatchObject({ title: 'Too Many Requests' });
  });
});
