import type { Condition } from '#core/query/ast.ts';
import {
  clauseFor,
  KIND_CLAUSES,
  unknownKind,
  urlClause,
  type QueryPart,
} from '#core/query/clause.ts';
import { condition } from '#core/query/condition.ts';
import { MIN_POSTS } from '#core/text/keyness.ts';
import type { Span } from '#core/time/span.ts';
import { object } from '#core/import/json.ts';
import { evaluateAmong } from '#server/index/evaluate.ts';
import { PREFIX_OF } from '#server/index/forward.ts';
import { andNot, size } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import {
  countAmong,
  itemOf,
  mostFrequent,
  partOf,
  type Sets,
  type AnalysisSubject,
} from './sets.ts';
import { languagesOf, signedItems, wordingOf } from './wording.ts';
import { COMPARED, tallyFlags } from '#server/index/tally-flags.ts';
import { nameOf, type CountedTerms } from '#server/index/counted-terms.ts';
import type { TermGroup } from '#server/index/term-table.ts';
import type { BreakdownItem, KINDS } from '#contract/counts/breakdown-answers.ts';

/** The Posts that are broken down, and those with which their words are compared. */
export interface BreakdownSubject extends AnalysisSubject {
  readonly span: Span;
  readonly compared: Span;
}

/** Flags that fewer Posts have are weak evidence. */
const LEAST_OF = {
  hashtag: MIN_POSTS,
  cashtag: MIN_POSTS,
  emoji: MIN_POSTS,
  domain: MIN_POSTS,
  address: MIN_POSTS,
} as const;

/** The number of Posts of each kind, in steps. */
export function* postKinds({ now, posts }: Sets, due: Due) {
  const kinds = [];
  for (const [name, text] of Object.entries(KIND_CLAUSES)) {
    const kind = name as (typeof KINDS)[number];
    const open = unknownKind(kind).map((term) => ({ kind: 'term', term }) as const);
    const unknown = yield* countAmong(now, { kind: 'any', of: open }, due);
    if (kind === 'original' && unknown > 0) continue;
    const part = partOf(text);
    const n = yield* countAmong(now, condition(part.ast), due);
    kinds.push({ ...itemOf(name, part, n, posts), name: kind, unknown });
  }
  return kinds;
}

/** Items of a group whose terms are compared with nothing, most frequent first. */
export function plainItems(
  group: TermGroup,
  operator: string,
  counted: CountedTerms,
  { posts }: Sets,
  limit: number,
  accepts: (name: string) => boolean = () => true,
): BreakdownItem[] {
  const items: BreakdownItem[] = [];
  for (const entry of mostFrequent(counted.counts, 1)) {
    if (items.length === limit) break;
    const term = nameOf(counted, entry);
    const name = term?.slice(PREFIX_OF[group].length);
    if (term === undefined || name === undefined || !accepts(name)) continue;
    const part = clauseFor(operator, name, { kind: 'term', term });
    if (part) items.push(itemOf(name, part, counted.counts.posts[entry]!, posts));
  }
  return items;
}

/** The newest Post of a subject with a term. */
export function* newestWith(
  state: SourceState,
  { condition: wanted, span }: BreakdownSubject,
  term: string,
  due: Due,
): Steps<PostRow | null> {
  const both: Condition = { kind: 'all', of: [{ kind: 'term', term }, wanted] };
  const [hit] = yield* state.newest(both, span, 1, {}, due);
  return (hit && state.rows([hit.id])[0]) ?? null;
}

/** The number of followers of a Post's author, as its row or else the newest import of users has it; null if none does. */
function followersOf(state: SourceState, row: PostRow | null): number | null {
  if (!row) return null;
  const own = row.rest === null ? null : object(JSON.parse(row.rest))?.author_followers;
  const json = row.authorId === null ? null : state.object('users', row.authorId);
  const metrics = json === null ? null : object(object(JSON.parse(json))?.public_metrics);
  const n = own ?? metrics?.followers_count;
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 ? n : null;
}

/** Authors with their followers. */
export function* withFollowers(
  state: SourceState,
  subject: BreakdownSubject,
  found: readonly BreakdownItem[],
  due: Due,
) {
  const items = [];
  for (const item of found) {
    const row = yield* newestWith(state, subject, `from:${item.name}`, due);
    items.push({ ...item, followers: followersOf(state, row) });
  }
  return items;
}

/** An item of a link: it counts what its clause counts, which other addresses may match too. */
function* linkItem(
  { now, posts: all }: Sets,
  name: string,
  part: QueryPart,
  term: string,
  due: Due,
): Steps<BreakdownItem> {
  const wanted = condition(part.ast);
  let n = 0;
  for (const { chunk, posts } of now) {
    if (due()) yield;
    // Every Post with the term meets the condition, so that only the others need a look at positions.
    const others = andNot(posts, chunk.list(term));
    n += size(posts) - size(others);
    n += size(yield* evaluateAmong(others, wanted, chunk, due));
  }
  return itemOf(name, part, n, all);
}

/** The domains or addresses that most Posts link to. */
function* linksOf(
  group: 'domain' | 'address',
  counted: CountedTerms,
  sets: Sets,
  limit: number,
  due: Due,
): Steps<BreakdownItem[]> {
  const items: BreakdownItem[] = [];
  for (const entry of mostFrequent(counted.counts, MIN_POSTS)) {
    if (items.length === limit) break;
    const term = nameOf(counted, entry);
    if (term === undefined) continue;
    const name = term.slice(PREFIX_OF[group].length);
    const part = urlClause(name);
    if (part) items.push(yield* linkItem(sets, name, part, term, due));
  }
  return items.sort((a, b) => b.posts - a.posts || (a.name < b.name ? -1 : 1));
}

/** The lists of a breakdown whose items may be causes of its Posts. */
export function* rankedLists(subject: AnalysisSubject, sets: Sets, due: Due) {
  const flags = yield* tallyFlags(sets.now, sets.before, LEAST_OF, due);
  const languages = yield* languagesOf(sets, flags.language, due);
  const [hashtags, cashtags, emoji] = COMPARED.map((group) =>
    signedItems(group, flags[group], mostFrequent(flags[group].counts, MIN_POSTS), sets, subject),
  );
  return {
    flags,
    ...(yield* wordingOf(sets, subject, languages, due)),
    hashtags: hashtags!,
    cashtags: cashtags!,
    emoji: emoji!,
    domains: yield* linksOf('domain', flags.domain, sets, subject.limit, due),
    addresses: yield* linksOf('address', flags.address, sets, subject.limit, due),
    authors: { items: plainItems('author', 'from', flags.author, sets, subject.limit) },
  };
}
