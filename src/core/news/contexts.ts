/** The contexts of the Posts of a story, as far as their mentions, cashtags, places and annotations show them. */
export interface Contexts {
  readonly events: readonly string[];
  readonly organizations: readonly string[];
  readonly people: readonly string[];
  readonly places: readonly string[];
  readonly products: readonly string[];
  readonly tickers: readonly string[];
  readonly teams: readonly string[];
  readonly topics: readonly string[];
}

/** One thing that a Post names, by where a story lists it. */
export interface Named {
  readonly kind: keyof Contexts;
  readonly name: string;
  /** The category of the story as its annotation gives it. */
  readonly category?: string;
}

/** Kinds of entity annotations of a text (docs.x.com, annotations). */
const ENTITY_KINDS: Readonly<Record<string, keyof Contexts>> = {
  Person: 'people',
  Place: 'places',
  Product: 'products',
  Organization: 'organizations',
  Other: 'topics',
};

/** Domains of context annotations by kind and category (docs.x.com, annotations). Other domains are topics. */
const DOMAINS: readonly (readonly [domains: string, kind: keyof Contexts, category?: string])[] = [
  ['12', 'teams', 'Sports'],
  ['60 92 93', 'people', 'Sports'],
  ['6 27 28 39 40 43 44 68 83', 'events', 'Sports'],
  ['11 26', 'topics', 'Sports'],
  ['35', 'people', 'Politics'],
  ['38', 'events', 'Politics'],
  ['88', 'organizations', 'Politics'],
  ['54 56 58 94 120', 'people', 'Entertainment'],
  ['114 117 118', 'events', 'Entertainment'],
  ['3 4 22 23 55 71 84 85 86 87 89 91 130', 'topics', 'Entertainment'],
  ['10', 'people'],
  ['13 156 158 159 160', 'places'],
  ['29 119 175', 'events'],
  ['47', 'organizations', 'Business & Finance'],
  ['166', 'organizations', 'Business & Finance'],
  ['174', 'topics', 'Business & Finance'],
  ['48', 'products', 'Technology'],
  ['78 79 165', 'topics', 'Technology'],
];
const BY_DOMAIN = new Map(
  DOMAINS.flatMap(([domains, kind, category]) =>
    domains.split(' ').map((domain) => [domain, { kind, category }] as const),
  ),
);

/** The thing that an entity annotation of a text names. */
export function namedByEntity(type: string, name: string): Named {
  return { kind: ENTITY_KINDS[type] ?? 'topics', name };
}

/** The thing that a context annotation names, by the id of its domain. */
export function namedByDomain(domain: string, name: string): Named {
  const { kind = 'topics', category } = BY_DOMAIN.get(domain) ?? {};
  return { kind, name, ...(category !== undefined && { category }) };
}

/** The category of a story if no annotation says one. */
const OTHER = 'Other';
/** Part of the Posts that must name something, and at least two of them: else it is not what the story is about. */
const LEAST_PART = 0.1;
const LEAST = 2;
const MOST = 10;

function byCount([a, x]: readonly [string, number], [b, y]: readonly [string, number]): number {
  return y - x || (a < b ? -1 : 1);
}

/** The names of each kind that enough Posts contain, the most frequent first, and the most frequent category. */
export function contextsOf(posts: readonly (readonly Named[])[]): {
  readonly contexts: Contexts;
  readonly category: string;
} {
  const counts = new Map<keyof Contexts, Map<string, number>>();
  const categories = new Map<string, number>();
  const add = (to: Map<string, number>, name: string): void =>
    void to.set(name, (to.get(name) ?? 0) + 1);
  for (const post of posts) {
    const seen = new Set<string>();
    for (const { kind, name, category } of post) {
      const key = `${kind} ${name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const of = counts.get(kind) ?? new Map<string, number>();
      counts.set(kind, of);
      add(of, name);
      const says = category ?? (kind === 'tickers' ? 'Business & Finance' : undefined);
      if (says !== undefined) add(categories, says);
    }
  }
  const least = Math.max(LEAST, LEAST_PART * posts.length);
  const of = (kind: keyof Contexts): string[] =>
    [...(counts.get(kind) ?? [])]
      .filter(([, n]) => n >= least)
      .sort(byCount)
      .slice(0, MOST)
      .map(([name]) => name);
  const [most] = [...categories].filter(([, n]) => n >= least).sort(byCount);
  return {
    contexts: {
      events: of('events'),
      organizations: of('organizations'),
      people: of('people'),
      places: of('places'),
      products: of('products'),
      tickers: of('tickers'),
      teams: of('teams'),
      topics: of('topics'),
    },
    category: most?.[0] ?? OTHER,
  };
}
