import { formatInstant } from '#contract/instant.ts';
import { fold } from '#core/text/fold.ts';
import { linkedBy } from '#core/text/linked.ts';
import { LINK } from '#core/text/terms.ts';
import { PREFIX_OF } from '#server/index/forward.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';
import { setsOf } from './sets.ts';
import { postsIn } from '#server/index/chunk-posts.ts';
import type { TermGroup } from '#server/index/term-table.ts';
import type { BreakdownAnswer, BreakdownItem } from '#contract/counts/breakdown-answers.ts';
import {
  type BreakdownSubject,
  newestWith,
  rankedLists,
  plainItems,
  postKinds,
  withFollowers,
} from './ranked-lists.ts';

/** An address as the newest Post with it has it. */
function* writtenAs(
  state: SourceState,
  subject: BreakdownSubject,
  address: string,
  due: Due,
): Steps<string> {
  const row = yield* newestWith(state, subject, PREFIX_OF.address + address, due);
  if (!row) return address;
  const post = storedPost(row, state.object);
  const urls = post.urls ?? post.text.match(LINK) ?? [];
  return urls.find((url) => linkedBy(fold(url))?.address === address) ?? address;
}

/** Ids of places, next to which a Post has their names. */
const PLACE_ID = /^[0-9a-f]{16}$/;

/** Without places whose longer name is there too: `paris` next to `paris, france`. */
function withoutShorter(places: readonly BreakdownItem[]): BreakdownItem[] {
  return places.filter(
    ({ name, posts }) =>
      !places.some((other) => other.posts === posts && other.name.startsWith(`${name},`)),
  );
}

/**
 * The breakdown of the Posts of a span that match a query, exact, from the index alone, in steps.
 *
 * @returns As `BreakdownAnswer`.
 */
export function* breakdownOf(
  state: SourceState,
  subject: BreakdownSubject,
  due: Due,
): Steps<BreakdownAnswer['data']> {
  const { condition: wanted, span, compared, limit } = subject;
  const sets = setsOf(
    yield* postsIn(state.chunks, wanted, span, due),
    yield* postsIn(state.chunks, wanted, compared, due),
  );
  const { flags, authors, addresses: found, ...lists } = yield* rankedLists(subject, sets, due);
  const addresses = [];
  for (const item of found) {
    addresses.push({ ...item, url: yield* writtenAs(state, subject, item.name, due) });
  }
  const plain = (group: TermGroup, operator: string, accepts?: (name: string) => boolean) =>
    plainItems(group, operator, flags[group], sets, limit, accepts);
  return {
    posts: sets.posts,
    compared: {
      start: formatInstant(compared.start),
      end: formatInstant(compared.end),
      posts: sets.postsBefore,
    },
    kinds: yield* postKinds(sets, due),
    authors: {
      distinct: flags.author.counts.size,
      items: yield* withFollowers(state, subject, authors.items, due),
    },
    ...lists,
    addresses,
    languages: plain('language', 'lang'),
    countries: plain('country', 'place_country'),
    places: withoutShorter(plain('place', 'place', (name) => !PLACE_ID.test(name))),
  };
}
