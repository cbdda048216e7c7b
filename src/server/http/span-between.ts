import { invalidRequest } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';

export type SpanBounds = Readonly<
  Partial<Record<`${'' | 'compare_'}${'start' | 'end'}_time`, number | undefined>>
>;
export type SpanTexts = Readonly<Record<string, string>>;

/** The span of two required bounds. @throws {@link Fault} 400 if one of the two is missing, or the end is not after the start. */
export function spanBetween(
  bounds: SpanBounds,
  texts: SpanTexts,
  prefix: '' | 'compare_' = '',
): Span {
  const [from, to] = [`${prefix}start_time`, `${prefix}end_time`] as const;
  const [start, end] = [bounds[from], bounds[to]];
  for (const [name, at] of [
    [from, start],
    [to, end],
  ] as const) {
    if (at === undefined)
      throw invalidRequest(name, '', `'${name}' must be an instant such as 2024-01-31T08:30:00Z`);
  }
  if (start! < end!) return { start: start!, end: end! };
  const text = texts[to] ?? '';
  throw invalidRequest(to, text, `Invalid '${to}':'${text}'. '${to}' must be after '${from}'`);
}

/** The time with which words are compared: by default the one of the same length just before. */
export function comparedSpan(bounds: SpanBounds, texts: SpanTexts, { start, end }: Span): Span {
  const isGiven = bounds.compare_start_time !== undefined || bounds.compare_end_time !== undefined;
  return isGiven
    ? spanBetween(bounds, texts, 'compare_')
    : { start: start - (end - start), end: start };
}
