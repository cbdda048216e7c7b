import { COMMUNITIES } from '#contract/relations/communities.ts';
import { formatInstant } from '#contract/instant.ts';
import { currentSource, type FindSource } from '#server/http/current-source.ts';
import { notFound } from '#server/posts/json/partial-error.ts';
import type { Http, Route } from '#server/http/serve.ts';
import { someOf } from '#server/posts/json/post-json.ts';

/** `GET /2/communities/{id}`: a community of this service. */
export function communities({ http, source }: { http: Http; source: FindSource }): Route[] {
  return [
    http.serve(COMMUNITIES.one, ({ c, params: { id }, query }) => {
      const found = currentSource(c, source, 'posts').posts.community(id);
      if (!found) {
        const named = { value: id, resource_type: 'community', parameter: 'id' } as const;
        return { errors: [notFound(named)] };
      }
      const { name, createdAt, members } = found;
      const all = { id, name, created_at: formatInstant(createdAt), member_count: members };
      return { data: someOf(all, ['id', 'name'], query['community.fields'] ?? []) };
    }),
  ];
}
