import * as v from 'valibot';
import { MAX_LINKS, ViewSettings, type LinkKind } from '#contract/links/links.ts';
import type { RateLimit } from '#contract/endpoint.ts';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { clientPart, Failures } from '#server/auth/failures.ts';
import { hashOf } from '#server/auth/hash.ts';
import type { Service } from '#server/auth/store.ts';
import { RateLimiter } from '#server/http/rate-limit.ts';
import type { Machine } from '#server/machine.ts';
import { randomText } from '#server/random.ts';
import type { BoardLink } from './board-link-table.ts';

/** 160 bits. */
const SECRET_BYTES = 20;
/** Time for which a revoked link can be restored, as other removals. */
const RESTORABLE_MS = 30 * MINUTE_MS;
/** Days for which a link that has ended answers 410, then 404. */
const GONE_DAYS = 400;
/** Wrong secrets of an address in 15 minutes. Right ones are answered whatever their address did before. */
const WRONG = { failures: 30, windowSeconds: 900 };
/** Requests of a link. A page that shows a view sends several of them. */
const REQUESTS: Readonly<Record<LinkKind, RateLimit>> = {
  data: { requests: 60, windowSeconds: 60 },
  view: { requests: 600, windowSeconds: 60 },
};

export interface BoardLinksDeps extends Pick<Machine, 'now' | 'random'> {
  readonly service: Pick<Service, 'boardLinks' | 'boards' | 'logins'>;
}

/** A link in use, and the version of its board. */
export interface OpenLink {
  readonly link: BoardLink;
  readonly board: { readonly revision: string; readonly name: string };
}

/** The settings of a view link. */
export function viewSettings({ settings }: Pick<BoardLink, 'settings'>): ViewSettings {
  return v.parse(ViewSettings, JSON.parse(settings));
}

/** 429. @param reset - Unix seconds. @param now - Epoch ms. */
export function tooManyRequests(reset: number, now: number): Fault {
  const seconds = Math.max(1, Math.ceil(reset - now / 1000));
  const detail = 'Too many requests; wait before the next one.';
  return plainProblem(429, 'Too Many Requests', detail, { 'retry-after': String(seconds) });
}

/** Links to boards, for anyone who has their secrets. */
export function openBoardLinks({ service, now, random }: BoardLinksDeps) {
  const { boardLinks: table, boards, logins } = service;
  const wrong = new Failures(WRONG, now);
  const requests = {
    data: new RateLimiter(REQUESTS.data, now, null),
    view: new RateLimiter(REQUESTS.view, now, null),
  };
  const hasLogin = ({ login }: BoardLink): boolean => login === '' || !!logins.byId(login);
  const boardOf = ({
    login,
    board,
  }: Pick<BoardLink, 'login' | 'board'>): OpenLink['board'] | null => {
    const { revision, name = null } = boards.find(login, board) ?? {};
    return revision === undefined || name === null ? null : { revision, name };
  };
  /** A link that the caller may change: its own, or any for an administrator. */
  const changeable = (id: string, login: string | null): BoardLink | null => {
    const link = table.find(id);
    return link && (login === null || link.login === login) ? link : null;
  };
  return {
    /** The links that have not ended, the newest first. @param login - Null for those of all. */
    list: (login: string | null): (BoardLink & { readonly boardName: string | null })[] =>
      table
        .open(now())
        .filter((link) => (login === null || link.login === login) && hasLogin(link))
        .map((link) => ({ ...link, boardName: boardOf(link)?.name ?? null })),
    /**
     * Makes a link to a board of a login.
     *
     * @param settings - Those of its kind, which become JSON.
     * @returns The link and its secret, which nothing can tell again.
     * @throws {@link Fault} 404 if there is no such board; 409 beyond {@link MAX_LINKS}.
     */
    add: (
      kind: LinkKind,
      login: string,
      {
        board,
        name,
        days,
      }: { readonly board: string; readonly name: string; readonly days: number },
      settings: object = {},
    ): { readonly link: BoardLink; readonly secret: string } => {
      if (!boardOf({ login, board })) {
        throw plainProblem(404, 'Not Found', 'There is no saved board of that id.');
      }
      const at = now();
      if (table.open(at).filter((link) => link.login === login).length >= MAX_LINKS) {
        const detail = `There are ${MAX_LINKS} links already. Revoke one first.`;
        throw plainProblem(409, 'Conflict', detail);
      }
      const secret = randomText(random, SECRET_BYTES);
      const link = {
        kind,
        login,
        board,
        name,
        settings: JSON.stringify(settings),
        createdAt: at,
        endsAt: at + days * DAY_MS,
      };
      const id = table.add(link, hashOf(secret), at - GONE_DAYS * DAY_MS);
      return { link: { ...link, id, revokedAt: null }, secret };
    },
    /** Ends a link. @param login - Null for an administrator. @returns False if there is none that it may end. */
    revoke: (id: string, login: string | null): boolean =>
      changeable(id, login) !== null && table.revoke(id, now()),
    /** Undoes {@link revoke}, for 30 minutes. */
    restore: (id: string, login: string | null): boolean =>
      changeable(id, login) !== null && table.restore(id, now() - RESTORABLE_MS),
    visits: (id: string) => table.visits(id, now()),
    /** Counts a visit of a link. */
    visit: (id: string): void => table.visit(id, now()),
    /**
     * The link of a secret and its board. Every secret takes the same look-up; only wrong ones are limited.
     *
     * @param address - IP address of the client; null if unknown.
     * @throws {@link Fault} 404 for a wrong secret, or one of another kind; 429 after many wrong ones of an address, or
     *   many requests of the link; 410 if it was revoked or has ended, or its board or login was removed.
     */
    open: (kind: LinkKind, secret: string, address: string | null): OpenLink => {
      const link = table.byHash(hashOf(secret));
      if (link?.kind !== kind) {
        const pool = clientPart(address);
        const until = wrong.lockedUntil(pool);
        if (until !== null) throw tooManyRequests(until, now());
        wrong.add(pool);
        throw plainProblem(404, 'Not Found', 'There is no link with this secret.');
      }
      const { exceeded, reset } = requests[kind].take(link.id);
      if (exceeded) throw tooManyRequests(reset, now());
      const board = boardOf(link);
      if (link.revokedAt !== null || link.endsAt <= now() || !hasLogin(link) || !board) {
        throw plainProblem(410, 'Gone', 'This link has ended.');
      }
      return { link, board };
    },
  };
}

export type BoardLinks = ReturnType<typeof openBoardLinks>;
