import { account } from '#core/query/values.ts';
import { wholePercents, type Cause, type Causes } from './causes.ts';

type Named = Pick<Cause, 'kind' | 'name'>;

/** The name of a cause in a sentence. */
export function causeName({ kind, name }: Named): string {
  if (kind === 'repost') return `reposts of ${account(name)}`;
  if (kind === 'account') return account(name);
  return kind === 'phrase' || kind === 'word' ? `“${name}”` : name;
}

/** The most words of a label. */
const MOST_WORDS = 3;

/** The name of a cause in at most three words, for a place with little room. */
export function causeLabel(cause: Named): string {
  const { kind, name } = cause;
  if (kind === 'repost' || kind === 'account') return causeName(cause);
  // Of an address, its host: the rest of it is long, and says little.
  if (kind === 'link') return name.replace(/\/.*/s, '');
  return name.split(/\s+/).slice(0, MOST_WORDS).join(' ');
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
