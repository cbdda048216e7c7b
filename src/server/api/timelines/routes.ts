import { HIDE_REPLY, TIMELINES, type HideAnswer } from '#contract/posts/timelines.ts';
import type { Condition } from '#core/query/ast.ts';
import { fold } from '#core/text/fold.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { object, string } from '#core/import/json.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import type { FoundPost } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import {
  change,
  finderOf,
  knownPost,
  notPermitted,
  ownId,
  type RelationDeps,
} from '#server/users/acting.ts';
import { userById } from '#server/users/authors.ts';
import { timelinePage } from '#server/users/post-pages.ts';
import { postReader, userReader } from '#server/users/reading.ts';

const NO_REPOST: Condition = { kind: 'not', of: { kind: 'term', term: 'is:retweet' } };

/** Posts made for promotion alone are in no timeline of others. */
const NOT_PROMOTED: Condition = { kind: 'not', of: { kind: 'term', term: 'is:nullcast' } };

/** True unless a Post is one of a community, and its author did not share it with followers. */
function isBroadcast({ rest }: FoundPost): boolean {
  return rest.community_id === undefined || object(rest.scopes)?.followers === true;
}

/** The author of the Post that began a Post's conversation; null if it is unknown. */
function hostOf(finder: PostFinder, { row, rest }: FoundPost): string | null {
  const id = readId(string(rest.conversation_id) ?? allFacts(row).conversationId ?? '');
  if (id === null || id === row.id) return null;
  return finder.rows([id])[0]?.authorId ?? null;
}

/** Posts by a user, of those whom it follows, Posts that mention it, and Posts that quote a Post; hides replies. */
export function timelines(deps: RelationDeps): Route[] {
  const { http } = deps;
  const [ofUser, ofPost] = [userReader(deps), postReader(deps)];
  return [
    http.serve(TIMELINES.posts, (call) =>
      ofUser(call, (reading) => {
        const { id } = call.params;
        const by: Condition = { kind: 'term', term: `from:${id}` };
        return timelinePage(reading, by, { call, of: ['posts by', id], hasEnds: true });
      }),
    ),
    http.serve(TIMELINES.mentions, (call) =>
      ofUser(call, function* (reading) {
        const { id } = call.params;
        const name = string((yield* userById(reading, id))?.username);
        const mention: Condition =
          name === undefined ? { kind: 'any', of: [] } : { kind: 'term', term: `@${fold(name)}` };
        const wanted: Condition = { kind: 'all', of: [mention, NO_REPOST] };
        const timeline = { call, of: ['mentions of', id], hasEnds: true };
        return yield* timelinePage(reading, wanted, timeline);
      }),
    ),
    http.serve(TIMELINES.home, (call) => {
      const { caller, params } = call;
      const source = ownId(caller, params.id);
      return ofUser(call, (reading) => {
        const { relations } = reading.state;
        const authors = new Set([source, ...relations.targets('follow', source)]);
        for (const kind of ['mute', 'block'] as const) {
          for (const id of relations.targets(kind, source)) authors.delete(id);
        }
        const by = [...authors].map((id): Condition => ({ kind: 'term', term: `from:${id}` }));
        const wanted: Condition = { kind: 'all', of: [{ kind: 'any', of: by }, NOT_PROMOTED] };
        const of = ['home of', params.id];
        return timelinePage(reading, wanted, { call, of, hasEnds: true, has: isBroadcast });
      });
    }),
    http.serve(TIMELINES.quotes, (call) =>
      ofPost(call, (reading) => {
        const { id } = call.params;
        const quotes: Condition = { kind: 'term', term: `quotes_of_tweet_id:${id}` };
        return timelinePage(reading, quotes, { call, of: ['quotes of', id], hasEnds: false });
      }),
    ),
    http.serve(HIDE_REPLY, async (call): Promise<HideAnswer> => {
      const { caller, params, body } = call;
      const finder = finderOf(deps, call);
      const reply = knownPost(finder, params.tweet_id, 'tweet_id');
      const source = ownId(caller, caller.user.id);
      if (hostOf(finder, reply) !== caller.user.id) {
        throw notPermitted('only the author of a conversation may hide its replies.');
      }
      const what = body.hidden ? 'relate' : 'unrelate';
      await change(deps, call, { what, of: ['hide', source, reply.row.id] });
      return { data: { hidden: body.hidden } };
    }),
  ];
}
