import type { Span } from '#core/time/span.ts';

/** Posts that were created, or deleted, at one time. */
export interface CountChange {
  /** Time of the Posts, epoch ms; for a count, the last ms of its bucket. */
  readonly created: number;
  /** Whole; negative if they were deleted. */
  readonly posts: number;
}

/** All that is learned at one time: an entry of the log from which an alert rings. Without changes it is the time alone. */
export interface AlertStep {
  /** Epoch ms. A clock that was set back is taken as unmoved. */
  readonly at: number;
  readonly posts?: readonly CountChange[];
  /** The time up to which counts are complete from now on, or null if they are as Posts arrive; as before if absent. */
  readonly horizon?: number | null;
  /** Times whose counts will stay incomplete. */
  readonly unknown?: readonly Span[];
}

/** A bucket with its Posts. */
export interface BucketPosts {
  readonly bucket: Span;
  readonly posts: number;
  readonly usual: number;
}

/** A message of an alert. Instants are epoch ms. */
export type AlertMessage = {
  /** The time at which it was known. */
  readonly at: number;
  /** Start of the bucket in which its event began; with the kind, it identifies the message. */
  readonly onset: number;
} & (
  | ({
      readonly kind: 'rise' | 'stronger';
      /** True if more Posts of the bucket may come. */
      readonly running: boolean;
    } & BucketPosts)
  | {
      readonly kind: 'over';
      /** The rise, without the calm buckets at its end. */
      readonly span: Span;
      readonly posts: number;
    }
  | ({ readonly kind: 'found-later' | 'low-day' } & BucketPosts)
  | {
      readonly kind: 'silence';
      readonly span: Span;
      /** Posts that are usual in it. */
      readonly usual: number;
    }
  | { readonly kind: 'cannot-see'; readonly span: Span }
);

/** The identity of a message: whatever is sent again under it was sent before. */
export const messageId = (alert: string, { onset, kind }: AlertMessage): string =>
  `${alert}/${onset}/${kind}`;

/** True if a message is only listed, and never sent. */
export const isListedOnly = ({ kind }: AlertMessage): boolean => kind === 'found-later';
