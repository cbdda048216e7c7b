import { VIEW_LINK } from '#contract/links/view-link.ts';
import { plainProblem } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';
import type { ServiceContext } from '#server/context.ts';
import { clientGone } from '#server/http/errors.ts';
import { clientAddress } from '#server/http/origin.ts';
import type { Call, Route } from '#server/http/serve.ts';
import { comparedSpan, spanBetween } from '#server/http/span-between.ts';
import type { LinkCounts } from '#server/links/link-counts.ts';
import { viewSettings, type OpenLink } from '#server/links/board-links.ts';
import { anonymousCauses } from '#server/links/view-causes.ts';
import { openViewLinks } from '#server/links/view-links.ts';

/** A visitor, who reads Posts as a program without an account does: without where they came from. */
const VISITOR = { access: 'enterprise', kind: 'app', user: null } as const;

/** `/view/:secret`: the board of a view link, as its page reads it. */
export function viewRoutes(context: ServiceContext & { readonly counts: LinkCounts }): Route[] {
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
    span: Span,
    compared?: Span,
  ) => {
    const asked = await views.askedOf(open);
    views.check(open, asked, query, span, compared);
    return views.analysed(asked);
  };
  return [
    http.serve(VIEW_LINK.open, async ({ c, params: { secret }, body: { password } }) => {
      const address = clientAddress(c);
      const open = links.open('view', secret, address);
      const token = await views.unlock(open, password, address);
      const { posts, presets } = viewSettings(open.link);
      const { file, source } = await views.shownOf(open);
      const board = Buffer.from(file).toString('base64');
      links.visit(open.link.id);
      return { token, name: open.board.name, board, source, posts, presets };
    }),
    http.serve(VIEW_LINK.counts, async ({ c, params, body: { questions } }) => {
      const answer = await views.count(openedBy({ c, params }), questions, c.req.raw.signal);
      c.header('content-type', 'application/json');
      return c.body(answer);
    }),
    http.serve(VIEW_LINK.causes, async ({ c, params, query: request, texts }) => {
      const open = openedBy({ c, params });
      const { query } = request;
      const span = spanBetween(request, texts);
      const compared = comparedSpan(request, texts, span);
      const id = await askedIn(open, query, span, compared);
      if (query === undefined) throw new RangeError('expected a query');
      const hidden = (await counts.context(id)).hidden[id];
      const { signal } = c.req.raw;
      const question = { what: 'causes', query, span, compared, limit: 0 } as const;
      const accountsOf = async (text: string, time: Span): Promise<number> => {
        const windows = { bounds: Float64Array.of(time.start, time.end), length: 1 };
        const asked = { what: 'accounts', query: text, span: time, windows, limit: 0 } as const;
        const found = await analyse(id, asked, hidden, signal);
        return found?.result.buckets[0] ?? 0;
      };
      const answer = async () => {
        const causes = (await analyse(id, question, hidden, signal))?.result;
        if (!causes || viewSettings(open.link).posts) return causes;
        return await anonymousCauses(causes, question, accountsOf);
      };
      const data = await views.inTurn(open, 'posts', answer, signal);
      return data ? { data } : clientGone();
    }),
    http.serve(VIEW_LINK.ranked, async ({ c, params, query: request, texts }) => {
      const open = openedBy({ c, params });
      if (!viewSettings(open.link).posts) {
        throw plainProblem(403, 'Forbidden', 'This link shows no Posts.');
      }
      const id = await askedIn(open, request.query, spanBetween(request, texts));
      const answer = () => Promise.resolve(rank(c, id, request, texts, VISITOR));
      return await views.inTurn(open, 'posts', answer, c.req.raw.signal);
    }),
  ];
}
