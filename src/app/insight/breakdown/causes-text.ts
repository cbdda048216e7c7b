import type { Formatter } from '#app/format/formatter.ts';
import { wholePercents, type Cause, type Causes } from '#core/causes/causes.ts';
import { account } from '#core/query/values.ts';

/** Causes, and those of the usual time that are missing. */
export interface ShownCauses extends Causes {
  readonly missing: readonly Cause[];
}

/** The name of a cause in a sentence. */
export function causeName({ kind, name }: Pick<Cause, 'kind' | 'name'>): string {
  if (kind === 'repost') return `reposts of ${account(name)}`;
  if (kind === 'account') return account(name);
  return kind === 'phrase' || kind === 'word' ? `“${name}”` : name;
}

/** A row of the causes: its name, its part of all Posts in whole percent, and its cause; null for all other Posts. */
export interface CauseRow {
  readonly name: string;
  readonly percent: number;
  readonly of: Cause | null;
}

/** The causes with their shares, which sum to 100, then everything else; none without Posts. */
export function causeRows({ posts, groups, rest }: Causes): CauseRow[] {
  if (posts === 0) return [];
  const percents = wholePercents([...groups, rest].map((part) => part.posts));
  const isUsual = rest.usual !== null && rest.posts <= rest.usual;
  const others = groups.length === 0 ? 'no single cause' : 'everything else';
  return [
    ...groups.map((of, i) => ({ name: causeName(of), percent: percents[i] ?? 0, of })),
    ...(rest.posts > 0
      ? [
          {
            name: isUsual ? `${others}, as usual` : others,
            percent: percents.at(-1) ?? 0,
            of: null,
          },
        ]
      : []),
  ];
}

/** The causes as lines of text, under a heading. */
export function causesText(heading: string, causes: ShownCauses, format: Formatter): string {
  const rows = causeRows(causes).map(
    ({ name, percent }) => `${format.share(percent / 100)} ${name}`,
  );
  const missing = causes.missing.map(
    (cause) => `${causeName(cause)}: ${missingCauseWords(cause, format)}`,
  );
  return [heading, ...rows, ...missing].join('\n');
}

/** `3 of the usual 20`. */
export function missingCauseWords({ posts, usual }: Cause, format: Formatter): string {
  return `${format.count(posts)} of the usual ${format.count(Math.round(usual ?? 0))}`;
}
