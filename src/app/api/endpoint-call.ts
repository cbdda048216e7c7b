import type * as v from 'valibot';
import type { Endpoint, EndpointRules } from '#contract/endpoint.ts';
import type { Client } from './client.ts';

type Schema = v.GenericSchema<unknown, unknown>;
type Answering = Endpoint<EndpointRules & { readonly answer: Schema }>;

/** The input of a part of an endpoint's request, which may be omitted if every member may. */
type Part<E, K extends 'params' | 'query' | 'body'> =
  E extends Readonly<Record<K, infer S extends Schema>>
    ? keyof v.InferInput<S> extends never
      ? { readonly [P in K]?: never }
      : Partial<v.InferInput<S>> extends v.InferInput<S>
        ? { readonly [P in K]?: v.InferInput<S> }
        : { readonly [P in K]: v.InferInput<S> }
    : { readonly [P in K]?: never };

/** The values of the path and of the query, and the JSON body, as the contract describes an endpoint. */
export type CallInput<E> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>;

/** The part of a {@link Client} that {@link call} needs. */
export type EndpointClient = Pick<Client, 'send' | 'json'>;

/** The path of an endpoint with the values of its parameters, escaped, so that no value changes the path. */
export function pathWith(
  { path }: { readonly path: string },
  values: Readonly<Record<string, string>>,
): string {
  return path.replaceAll(/:(\w+)/g, (parameter, name: string) => {
    const value = values[name];
    return value === undefined ? parameter : encodeURIComponent(value);
  });
}

/**
 * Calls an endpoint while the user waits, so it gives up on the first lost connection, and repeats no change.
 *
 * @returns The answer, read by the endpoint's schema.
 * @throws {Fault} as {@link Client.json} and {@link Client.send} do.
 */
export async function call<E extends Answering>(
  client: EndpointClient,
  endpoint: E,
  ...[input]: Partial<CallInput<E>> extends CallInput<E> ? [CallInput<E>?] : [CallInput<E>]
): Promise<v.InferOutput<E['answer']>> {
  const {
    params = {},
    query = {},
    body,
  }: { params?: object; query?: object; body?: unknown } = input ?? {};
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given).toString();
  const path = pathWith(endpoint, { ...params }) + (search && `?${search}`);
  const options = { signal: new AbortController().signal, impatient: true };
  const { method, answer } = endpoint;
  return method === 'GET'
    ? await client.json(path, answer, options)
    : await client.send(method, path, body, answer, options);
}
