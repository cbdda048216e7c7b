import { DESCRIPTION } from '#contract/description.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { originOf } from '#server/http/origin.ts';
import type { Http, Route } from '#server/http/serve.ts';
import { openapiOf } from './openapi.ts';

/** `GET /openapi.json`, also `/2/openapi.json`: describes every operation that the platform has too. */
export function description({ http }: { readonly http: Http }): Route[] {
  return [http.serve(DESCRIPTION.openapi, ({ c }) => openapiOf(OPERATIONS, originOf(c)))];
}
