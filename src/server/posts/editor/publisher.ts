import type { Access } from '#contract/accounts/access.ts';
import type { Bill } from '#server/billing/billing.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';
import type { CreateRequest } from '#contract/posts/create-request.ts';

/** The publisher of a Post: an account, through an app of an access level. */
export interface Publishing {
  readonly user: Account;
  readonly access: Access;
}

/** Publishes Posts for other concepts, by the rules of Posts. */
export interface Publisher {
  /** Rejects with {@link Fault} for a Post that these rules refuse. */
  check(by: Publishing, request: CreateRequest): Promise<void>;
  /** Reserves the id of a Post. */
  reserve(): bigint;
  /** A Post by its id; null if there is none. */
  find(id: bigint): Promise<PostRow | null>;
  /**
   * Creates a Post with a reserved id. It is durable when the promise resolves.
   *
   * Rejects like {@link check}, with {@link PostExistsError} if the id is taken, and with {@link StoreError} if the file
   * cannot be written.
   */
  publish(
    by: Publishing,
    request: CreateRequest,
    id: bigint,
    charges: Bill['charges'],
  ): Promise<void>;
}
