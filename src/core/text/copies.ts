import { addressSpans } from './address.ts';
import { fold } from './fold.ts';
import { linkedBy } from './linked.ts';

/**
 * The form in which copies of a text are equal: folded, with single spaces, without the platform's shortened addresses,
 * which are different in every Post.
 */
export function copyForm(text: string): string {
  let left = '';
  let from = 0;
  for (const { start, end } of addressSpans(text)) {
    const address = text.slice(start, end);
    if (linkedBy(fold(address))) continue;
    left += text.slice(from, start);
    from = end;
  }
  const plain = fold(left + text.slice(from))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain === '' ? text : plain;
}
