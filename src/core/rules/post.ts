import { fold } from '#core/text/fold.ts';
import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import { LINK, streamTermsOf } from '#core/text/terms.ts';
import { tokens } from '#core/text/tokens.ts';
import type { AmountName, SearchedField } from './operators.ts';

/** A Post with what only the rules of a stream look for. What is unknown is absent. */
export interface StreamPost {
  readonly id: bigint;
  readonly post: IndexablePost;
  /** The Post that it quotes. */
  readonly quoted?: IndexablePost;
  /** Texts of the author's profile, and of the pages that the Post links to. Read only if a rule searches them. */
  readonly texts?: (field: SearchedField) => readonly string[];
  /** A number of the author; undefined if it is unknown. */
  readonly amount?: (name: AmountName) => number | undefined;
  /** Usernames and ids of accounts that the author is affiliated with. */
  readonly affiliates?: readonly string[];
  /** The same of the user whom the Post replies to. */
  readonly toAffiliates?: readonly string[];
}

/** A Post as rules see it. */
export interface PostView {
  readonly id: bigint;
  readonly terms: PostTerms;
  /** Words of a field; an empty string separates two texts, so that no phrase spans them. */
  readonly words: (field: SearchedField) => readonly string[];
  /** The folded text of the Post, and that of the Post that it quotes. */
  readonly texts: () => readonly string[];
  /** Folded addresses. */
  readonly addresses: () => readonly string[];
  /** Undefined if it is unknown. */
  readonly amount: (name: AmountName) => number | undefined;
}

/** Codes of no language: `und`, `zxx`, and the platform's own, such as `qme`, in the range that ISO 639 leaves for them. */
const NO_LANGUAGE = /^(?:und|zxx|q[a-t][a-z])$/i;

/** Domains of a Post's annotations, each with all its entities: `47.*`. */
function domains(contexts: readonly string[] = []): string[] {
  return [...new Set(contexts.map((context) => `context:${context.split('.', 1)[0]}.*`))];
}

/** Adds what only rules look for. */
function withMore(terms: PostTerms, of: StreamPost): PostTerms {
  const { affiliates = [], toAffiliates = [], post } = of;
  const { lang = '' } = post;
  const more = [
    ...(lang === '' || NO_LANGUAGE.test(lang) ? [] : ['has:lang']),
    ...domains(post.contexts),
    ...affiliates.map((name) => `from_affiliate_of:${fold(name, 'stream')}`),
    ...toAffiliates.map((name) => `to_affiliate_of:${fold(name, 'stream')}`),
  ];
  return more.length === 0 ? terms : { ...terms, flags: [...terms.flags, ...more] };
}

function wordsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text, i) => [...(i === 0 ? [] : ['']), ...tokens(text, 'stream')]);
}

function addressesOf({ urls, text }: IndexablePost): readonly string[] {
  return urls?.map((url) => fold(url, 'stream')) ?? fold(text, 'stream').match(LINK) ?? [];
}

/** Reads a Post as rules see it: accents count, and the text of the quoted Post counts as its own. */
export function postView(of: StreamPost): PostView {
  const { id, post, quoted, texts = () => [], amount = () => undefined } = of;
  const read = new Map<SearchedField, readonly string[]>();
  let folded: readonly string[] | null = null;
  return {
    id,
    terms: withMore(streamTermsOf(post, quoted), of),
    words: (field) => {
      const known = read.get(field);
      if (known) return known;
      const words = wordsOf(texts(field));
      read.set(field, words);
      return words;
    },
    texts: () =>
      (folded ??= [post, ...(quoted ? [quoted] : [])].map(({ text }) => fold(text, 'stream'))),
    addresses: () => [...addressesOf(post), ...(quoted ? addressesOf(quoted) : [])],
    amount,
  };
}
