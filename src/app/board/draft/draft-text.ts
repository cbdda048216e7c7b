import { LINK_WRITE, POST_WRITE } from '#contract/counts/prices.ts';
import { priceOfPost } from '#contract/posts/post-price.ts';
import { addressSpans } from '#core/text/address.ts';
import type { TextSpan } from '#core/text/placed-terms.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** A piece of a draft, and its marks. */
export interface DraftPiece {
  readonly text: string;
  /** True if a topic counts the draft by it. */
  readonly met: boolean;
  /** True if a topic does not count the draft because of it. */
  readonly against: boolean;
  /** True if it exceeds the limit. */
  readonly over: boolean;
}

/**
 * Cuts a draft where a mark begins or ends.
 *
 * @param over - The position from which it is too long; null if it is not.
 * @returns Pieces that joined are the text; none is empty.
 */
export function draftPieces(
  text: string,
  met: readonly TextSpan[],
  against: readonly TextSpan[],
  over: number | null,
): DraftPiece[] {
  const marks = [...met, ...against].flatMap(({ start, end }) => [start, end]);
  const cuts = [...new Set([0, ...marks, over ?? 0, text.length])].toSorted((a, b) => a - b);
  const within = (spans: readonly TextSpan[], at: number): boolean =>
    spans.some(({ start, end }) => start <= at && at < end);
  return cuts.slice(1).map((end, i) => {
    const start = cuts[i] ?? 0;
    return {
      text: text.slice(start, end),
      met: within(met, start),
      against: within(against, start),
      over: over !== null && start >= over,
    };
  });
}

/**
 * The price of posting a draft through the platform's API, and its reason. The published price list names Posts "containing
 * a URL"; whether that includes an address without `https://` it does not say.
 */
export function draftCost(text: string, format: Formatter): string {
  const money = ({ amount }: { readonly amount: number }): string => format.money(amount / 1e6);
  const amount = priceOfPost(text, false);
  if (amount === LINK_WRITE.amount) {
    return `A link makes it ${money(LINK_WRITE)} to post through the API, instead of ${money(POST_WRITE)}.`;
  }
  const [address] = addressSpans(text);
  const bare = address && text.slice(address.start, address.end);
  const perhaps = bare ? `, or ${money(LINK_WRITE)} if ${bare} counts as a link` : '';
  return `${money({ amount })} to post through the API${perhaps}.`;
}
