import { formatInstant } from '#contract/instant.ts';
import { plainProblem } from '#contract/fault.ts';
import { DATA_FILES, type DataFile } from '#contract/links/data-file.ts';
import {
  DATA_LINK,
  KNOWN_HEADER,
  LINKS,
  MAX_LINK_ROWS,
  type LinkInfo,
  type NewView,
  type ViewSettings,
} from '#contract/links/links.ts';
import type { ServiceContext } from '#server/context.ts';
import { clientAddress } from '#server/http/origin.ts';
import type { Route } from '#server/http/serve.ts';
import type { BoardLink } from '#server/links/board-link-table.ts';
import { openDataLinks } from '#server/links/data-links.ts';
import { openLinkCounts } from '#server/links/link-counts.ts';
import { viewSettings } from '#server/links/board-links.ts';
import { viewRoutes } from './view-routes.ts';
import type { Caller } from '#server/auth/caller.ts';

const TYPES: Readonly<Record<DataFile, string>> = {
  'wide.csv': 'text/csv; charset=utf-8',
  'long.csv': 'text/csv; charset=utf-8',
  'series.json': 'application/json',
  'chart.svg': 'image/svg+xml; charset=utf-8',
};

/** Of every answer of a link. Pages of other sites may read it and show its picture, which runs nothing. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `etag, ${KNOWN_HEADER}`,
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
};

const viewInfo = ({ password, ...view }: ViewSettings) => ({
  ...view,
  password: password !== null,
});

/** `/links`: the links of the caller's login, and `/data`, which answers data links. */
export function linkRoutes(context: ServiceContext): Route[] {
  const { http, links, service, network, passwords } = context;
  const counts = openLinkCounts(context);
  const data = openDataLinks({ ...context, counts });
  const loginOf = ({ login }: Caller): string => {
    if (login || !network) return login?.id ?? '';
    throw plainProblem(403, 'Forbidden', 'Links belong to people who sign in.');
  };
  /** Null for an administrator, who sees and ends those of all. */
  const scopeOf = (caller: Caller): string | null =>
    caller.login?.role === 'administrator' ? null : loginOf(caller);
  const infoOf = (link: BoardLink, board: string | null): LinkInfo => {
    const { visits, last } = links.visits(link.id);
    const { id, kind, name, login, createdAt, endsAt } = link;
    return {
      id,
      kind,
      name,
      board,
      login: login === '' ? null : (service.logins.byId(login)?.name ?? null),
      created_at: formatInstant(createdAt),
      ends_at: formatInstant(endsAt),
      used_at: last === null ? null : formatInstant(last),
      visits,
      view: kind === 'view' ? viewInfo(viewSettings(link)) : null,
    };
  };
  const settingsOf = async ({ password, ...view }: NewView): Promise<ViewSettings> => ({
    ...view,
    password: password === null ? null : await passwords.hash(password),
  });
  return [
    http.serve(LINKS.list, ({ caller }) => ({
      links: links.list(scopeOf(caller)).map((link) => infoOf(link, link.boardName)),
    })),
    http.serve(LINKS.add, async ({ caller, body: of }) => {
      const login = loginOf(caller);
      const { link, secret } = links.add(
        of.kind,
        login,
        of,
        of.kind === 'view' ? await settingsOf(of.view) : {},
      );
      return { link: infoOf(link, service.boards.find(login, of.board)?.name ?? null), secret };
    }),
    http.serve(LINKS.revoke, ({ caller, params: { id } }) => ({
      revoked: links.revoke(id, scopeOf(caller)),
    })),
    http.serve(LINKS.restore, ({ caller, params: { id } }) => ({
      restored: links.restore(id, scopeOf(caller)),
    })),
    http.serve(DATA_LINK, async ({ c, params: { secret, file: name }, query }) => {
      for (const [header, value] of Object.entries(HEADERS)) c.header(header, value);
      const open = links.open('data', secret, clientAddress(c));
      links.visit(open.link.id);
      const file = DATA_FILES.find((each) => each === name);
      if (!file) {
        const detail = `A data link has no such file: expected one of ${DATA_FILES.join(', ')}.`;
        throw plainProblem(404, 'Not Found', detail);
      }
      const { last = null, by = null, zone = null, theme = 'light' } = query;
      const wanted = { file, last, by, zone, theme, maxRows: MAX_LINK_ROWS };
      const match = c.req.header('if-none-match') ?? null;
      const { etag, figures } = await data.read(open, wanted, match, c.req.raw.signal);
      c.header('etag', etag);
      if (!figures) return c.body(null, 304);
      c.header('content-type', TYPES[file]);
      c.header(KNOWN_HEADER, String(figures.known));
      return c.body(figures.bytes);
    }),
    ...viewRoutes({ ...context, counts }),
  ];
}
