import { VIEW_LINK } from '#contract/links/view-link.ts';
import { plainProblem } from '#contract/fault.ts';
import type { ServiceContext } from '#server/context.ts';
import { clientGone } from '#server/http/errors.ts';
import { clientAddress } from '#server/http/origin.ts';
import type { Call, Route } from '#server/http/serve.ts';
import { comparedSpan, spanBetween } from '#server/http/span-between.ts';
import type { OpenLink } from '#server/links/board-links.ts';
import type { Figures } from '#server/links/figures-thread.ts';
import type { LinkCounts } from '#server/links/link-counts.ts';
import { openViewLinks, viewSettings } from '#server/links/view-links.ts';

/** A visitor, who reads Posts as a dashboard does that acts as no account. */
const VISITOR = { access: 'enterprise', kind: 'session', user: null } as const;

/** `/view/:secret`: the board of a view link, as its page reads it. */
export function viewRoutes(
  context: ServiceContext & { readonly figures: Figures; readonly counts: LinkCounts },
): Route[] {
  const { http, links, counts, analyse, rank } = context;
  const views = openViewLinks(context);
  const openedBy = ({
    c,
    params,
  }: Pick<Call<null, unknown, { secret: string }>, 'c' | 'params'>) => {
    const open = links.open('view', params.secret, clientAddress(c));
    views.checkToken(open, c.req.header('authorization'));
    return open;
  };
  /** The source of a question about Posts, if the link may ask it. */
  const askedIn = async (
    open: OpenLink,
    query: string | undefined,
    span: { start: number; end: number },
  ) => {
    const asked = await views.askedOf(open);
    views.check(open, asked, query, span);
    return views.analysed(asked);
  };
  return [
    http.serve(VIEW_LINK.open, async ({ c, params: { secret }, body: { password } }) => {
      const address = clientAddress(c);
      const open = links.open('view', secret, address);
      const token = await views.unlock(open, password, address);
      const { posts, presets } = viewSettings(open.link);
      const board = Buffer.from(counts.version(open).file).toString('base64');
      const source = await views.sourceOf(open);
      links.visit(open.link.id);
      return { token, name: open.board.name, board, source, posts, presets };
    }),
    http.serve(VIEW_LINK.counts, async ({ c, params, body: { questions } }) => ({
      answers: await views.count(openedBy({ c, params }), questions, c.req.raw.signal),
    })),
    http.serve(VIEW_LINK.causes, async ({ c, params, query: request, texts }) => {
      const open = openedBy({ c, params });
      const { query } = request;
      const span = spanBetween(request, texts);
      const compared = comparedSpan(request, texts, span);
      const id = await askedIn(open, query, span);
      if (!analyse || query === undefined) throw new RangeError('expected a query and an analyst');
      const hidden = (await counts.context(id)).hidden[id];
      const { signal } = c.req.raw;
      const question = { what: 'causes', query, span, compared, limit: 0 } as const;
      const found = await analyse(id, question, hidden, signal);
      if (!found) return clientGone();
      return {
        data: await views.shown(open, id, { query, span, compared }, found.result, hidden, signal),
      };
    }),
    http.serve(VIEW_LINK.ranked, async ({ c, params, query: request, texts }) => {
      const open = openedBy({ c, params });
      if (!viewSettings(open.link).posts) {
        throw plainProblem(403, 'Forbidden', 'This link shows no Posts.');
      }
      const id = await askedIn(open, request.query, spanBetween(request, texts));
      return await rank(c, id, request, texts, VISITOR);
    }),
  ];
}
