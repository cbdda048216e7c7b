import type { SourceId } from '#contract/source.ts';
import type { Gate } from '#server/auth/tokens.ts';
import type { RateLimiter } from '#server/http/rate-limit.ts';
import type { Turns } from '#server/http/turns.ts';
import type { Relay } from '#server/platform/relay.ts';
import type { Slices } from '#server/posts/slices.ts';
import type { CountSource } from '#server/posts/source.ts';
import type { Control } from './control/routes.ts';
import type { PostService } from './posts/create-post.ts';

/** Limits, each by endpoint and pool. */
export interface Limiters {
  readonly counts: RateLimiter;
  readonly searchRecent: RateLimiter;
  readonly searchRecentOfUser: RateLimiter;
  readonly searchAll: RateLimiter;
  readonly create: RateLimiter;
  /** Of all users of the app together. */
  readonly createDay: RateLimiter;
  readonly delete: RateLimiter;
}

/** What the routes work with; everything is handed in. */
export interface RouteDeps {
  /** A source that is open now, or null. */
  readonly source: (id: SourceId) => CountSource | null;
  readonly gate: Gate;
  readonly limiters: Limiters;
  /** Of Your posts; null where none are made here. */
  readonly posting: PostService | null;
  /** Null where the platform is not connected. */
  readonly relay: Relay | null;
  /** Of evaluations of queries. */
  readonly slices: Slices;
  /** Of large answers. */
  readonly turns: Turns;
  /** Key that seals page tokens. */
  readonly pageKey: Uint8Array;
  /** Epoch ms. */
  readonly now: () => number;
  /** The port that is listened on, or null where requests come without one. */
  readonly port: () => number | null;
  /** Folder of the built dashboard. */
  readonly assets: string;
  /** Work that the command line hands over; null where there is none. */
  readonly control: Control | null;
}
