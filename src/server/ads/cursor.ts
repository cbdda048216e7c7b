import { packCursor, unpackCursor, type Seal } from '#core/cursor.ts';
import { advertiserFault } from './advertiser-fault.ts';

/** Beginning of every cursor (recorded, platform-facts, section 10). */
const PREFIX = 'c-';

/** The listing for which a cursor is valid: that of an account, with its filters and its order. */
export type Bound = readonly unknown[];

/**
 * Makes the cursor of the next page.
 *
 * @param position - The keys of the last entity of this page.
 */
export function cursorAfter(position: readonly string[], bound: Bound, seal: Seal): string {
  return PREFIX + packCursor(position, JSON.stringify(bound), seal);
}

/**
 * Reads the cursor of a request.
 *
 * @returns The position after which the page begins.
 * @throws {@link Fault} 400 INVALID_PARAMETER if it was changed, or made for another listing or other filters.
 */
export function readCursor(cursor: string, bound: Bound, seal: Seal): readonly string[] {
  const packed = cursor.startsWith(PREFIX) ? cursor.slice(PREFIX.length) : '';
  const position = unpackCursor(packed, JSON.stringify(bound), seal);
  if (position) return position;
  const message = `Expected a cursor of this listing with the same filters, got "${cursor}" for cursor`;
  throw advertiserFault(400, 'INVALID_PARAMETER', message, { parameter: 'cursor', value: cursor });
}
