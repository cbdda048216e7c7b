import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { call, pathWith } from '#app/api/endpoint-call.ts';
import { endpoint } from '#contract/endpoint.ts';

const answer = v.object({ line: v.string(), body: v.unknown() });
const ENDPOINTS = {
  read: endpoint('GET', '/things/:id/runs/:run', {
    authentication: ['session'],
    params: v.object({ id: v.string(), run: v.string() }),
    query: v.object({ after: v.optional(v.string()), text: v.optional(v.string()) }),
    answer,
  }),
  change: endpoint('PUT', '/things/:id', {
    authentication: ['session'],
    params: v.object({ id: v.string() }),
    body: v.object({ name: v.string() }),
    answer,
  }),
};

/** Answers with what it was sent. */
const CLIENT: Parameters<typeof call>[0] = {
  json: async (path, schema) => v.parse(schema, { line: `GET ${path}`, body: null }),
  send: async (method, path, body, schema) => v.parse(schema, { line: `${method} ${path}`, body }),
};

test('a value of a parameter stays one part of the path, whatever its characters', () => {
  const read = { path: '/a/:id/runs/:run' };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string(), (id, run) => {
      const parts = pathWith(read, { id, run }).split('/');
      expect(parts.map(decodeURIComponent)).toEqual(['', 'a', id, 'runs', run]);
    }),
  );
});

test('a call sends the values of the path escaped, the given parameters and the body', async () => {
  const id = 'a/b?c#d$&';
  const params = { id, run: '1' };
  const lines = [
    await call(CLIENT, ENDPOINTS.read, { params }),
    await call(CLIENT, ENDPOINTS.read, { params, query: { after: undefined, text: 'a&b c' } }),
    await call(CLIENT, ENDPOINTS.change, { params: { id }, body: { name: 'x' } }),
  ];
  expect(lines).toEqual([
    { line: 'GET /things/a%2Fb%3Fc%23d%24%26/runs/1', body: null },
    { line: 'GET /things/a%2Fb%3Fc%23d%24%26/runs/1?text=a%26b+c', body: null },
    { line: 'PUT /things/a%2Fb%3Fc%23d%24%26', body: { name: 'x' } },
  ]);
});

test('a call that lacks an input, or has one that the contract does not know, does not compile', () => {
  const calls = [
    // @ts-expect-error -- `params` is missing
    () => call(CLIENT, ENDPOINTS.read),
    // @ts-expect-error -- `body` is missing
    () => call(CLIENT, ENDPOINTS.change, { params: { id: '1' } }),
    // @ts-expect-error -- there is no query
    () => call(CLIENT, ENDPOINTS.change, { params: { id: '1' }, body: { name: '' }, query: {} }),
  ];
  expect(calls).toHaveLength(3);
});
