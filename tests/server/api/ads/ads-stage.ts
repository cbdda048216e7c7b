import { expect } from 'vitest';
import type { AdKindName } from '#contract/ads/ad-kinds.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { stage } from '#tests/support/service/conformance.ts';

/** A service with one advertiser. */
export type AdsStage = ReturnType<typeof adsStage>;

/** Starts a service with one advertiser for the tests of a file. */
export function adsStage(fields: AdFields = { name: 'Shop', timezone: 'Europe/Berlin' }) {
  const on = stage();
  const alice = on.signer('alice');
  /** Adds an account of a user. */
  const addAccount = (holder: string, of: AdFields = {}): AdEntity =>
    on.service.ads.add([{ kind: 'ACCOUNT', holder, parent: null, fields: of }], on.now)[0]!;
  /** Id of the advertiser's account. */
  const account = addAccount(alice.id, fields).id;
  /** Adds entities below another one of the account. */
  const below = (kind: AdKindName, parent: string, ...all: readonly AdFields[]): AdEntity[] =>
    on.service.ads.add(
      all.map((each) => ({ kind, holder: account, parent: parent || null, fields: each })),
      on.now,
    );
  return {
    on,
    alice,
    account,
    addAccount,
    below,
    /** Adds entities to the account. */
    add: (kind: AdKindName, ...all: readonly AdFields[]) => below(kind, '', ...all),
    /** Creates, changes or deletes by fields in the query, as advertiser. */
    order: (
      method: 'POST' | 'PUT' | 'DELETE',
      path: string,
      sent: Readonly<Record<string, string | number>> = {},
    ) => {
      const pairs = Object.entries(sent).map(
        ([name, value]) => `${name}=${encodeURIComponent(value)}`,
      );
      return alice.send(method, pairs.length === 0 ? path : `${path}?${pairs.join('&')}`);
    },
    /** Every page of a listing. @param path - With a query. @param between - Runs after each page. */
    pages: async (path: string, between = () => {}) => {
      const pages: Record<string, unknown>[][] = [];
      let cursor: string | null = null;
      do {
        const more: string = cursor === null ? '' : `&cursor=${cursor}`;
        const { status, body } = await alice.get(path + more);
        expect(status).toBe(200);
        pages.push(body.data);
        cursor = body.next_cursor;
        between();
      } while (cursor !== null);
      return pages;
    },
  };
}
