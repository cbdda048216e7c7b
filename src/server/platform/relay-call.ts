import { CountsRequest } from '#contract/counts/count-operations.ts';
import { splitList } from '#contract/parameters.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { StoredParts, VaultWindow } from './page-table.ts';

/** A request in the form sent to the platform, which validates its values. */
export interface RelayCall {
  readonly product: 'counts' | 'search' | 'own';
  readonly endpoint: CountsEndpoint;
  /** The path of the platform. */
  readonly path: string;
  /** The parameters as received, with a leading `?` if there are any. */
  readonly search: string;
  readonly query: string;
  readonly parts: StoredParts;
  /** The whole request as text, equal for equal ones. */
  readonly key: string;
  /**
   * The key under which others may reuse its page; null for search, and without closed bounds or with
   * other parameters.
   */
  readonly window: VaultWindow | null;
  /** The most that a page of search may return; zero for counts. */
  readonly brings: Resources;
  /** True if its Posts are of the account that the token is for, and cost less. */
  readonly isOwner?: boolean;
}

/** Posts and users of an answer, by which search is billed. */
export interface Resources {
  readonly posts: number;
  readonly users: number;
}

const FIELDS = CountsRequest.entries['search_count.fields'].default as string;

/** The members of a bucket in sorted order. */
export function relayedFields(text: string | null): string {
  if (text === null) return FIELDS;
  return [...new Set(splitList(text))].sort().join(',');
}

/** The whole request as text, equal for equal ones. */
export function callKey(path: string, given: URLSearchParams): string {
  return JSON.stringify([path, ...[...given].sort(([a], [b]) => (a < b ? -1 : 1))]);
}
