import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';
import { CreateRequest, PostPath } from '#contract/posts.ts';
import type { CreateAnswer, DeleteAnswer } from '#contract/posts.ts';
import { POSTING_SCOPES } from '#server/auth/tokens.ts';
import type { Author } from '#server/posts/compose.ts';
import type { PostService } from './create-post.ts';
import {
  callerOf,
  openedSource,
  takeDay,
  takeRate,
  tellAccess,
  userOf,
} from '#server/http/context.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { UNCACHED } from '#server/http/context.ts';
import { readBody } from '#server/http/json-body.ts';
import { NoParameters, readParameters, readPath } from '#server/http/params.ts';

function postingOf({ posting }: RouteDeps): PostService {
  if (posting) return posting;
  throw plainProblem(404, 'Not Found', 'Posts can not be made here.');
}

function answer(c: Context, status: 200 | 201, body: CreateAnswer | DeleteAnswer): Response {
  c.header('content-type', 'application/json; charset=utf-8');
  c.header('cache-control', UNCACHED);
  return c.body(JSON.stringify(body), status);
}

/** Who posts; the request has then been counted as one of `endpoint`. */
function posterOf(c: Context, deps: RouteDeps, endpoint: 'create' | 'delete'): Author {
  const caller = callerOf(c, deps.gate);
  tellAccess(c, 'read-write');
  takeRate(c, caller, endpoint, deps.limiters[endpoint]);
  if (endpoint === 'create') takeDay(c, caller, deps.limiters.createDay);
  return userOf(caller, POSTING_SCOPES);
}

/** `POST /2/tweets`: a Post of text alone, in Your posts. */
export function createPost(deps: RouteDeps) {
  return async (c: Context): Promise<Response> => {
    const author = posterOf(c, deps, 'create');
    readParameters(c.req.url, NoParameters);
    const { text } = await readBody(c, CreateRequest);
    const post = await postingOf(deps).create(author, text);
    openedSource(c, deps, 'posts');
    const id = String(post.id);
    return answer(c, 201, { data: { id, text: post.text, edit_history_tweet_ids: [id] } });
  };
}

/** `DELETE /2/tweets/{id}`: the author takes a Post out of Your posts. */
export function deletePost(deps: RouteDeps) {
  return async (c: Context): Promise<Response> => {
    const author = posterOf(c, deps, 'delete');
    readParameters(c.req.url, NoParameters);
    const { id } = readPath(c.req.param(), PostPath);
    await postingOf(deps).remove(author, id);
    openedSource(c, deps, 'posts');
    return answer(c, 200, { data: { deleted: true } });
  };
}
