import { plainProblem } from '#contract/fault.ts';
import type { PollRequest } from '#contract/posts/polls.ts';
import { priceOfPost } from '#contract/posts/post-price.ts';
import type { Bill } from '#server/billing/billing.ts';
import type { Json } from '#core/import/json.ts';
import type { AnsweredPost } from '#server/posts/json/answers.ts';
import type { PostChange } from '#server/posts/editor/changes.ts';
import {
  checkLength,
  composePost,
  PostIds,
  type Author,
  type PostParts,
} from '#server/posts/editor/compose.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { wholeText } from '#server/posts/json/facts.ts';
import { isVerified } from '#server/posts/json/post-json.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { languageOf } from '#server/posts/index/language.ts';
import { newPoll } from '#server/posts/store/polls.ts';
import { checkClock, readId } from '#core/import/id.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import { unknownResource } from '#server/users/acting.ts';
import { RecentTexts } from '#server/posts/editor/recent-texts.ts';
import { answeredBy, quotedBy, type Poster } from './answered.ts';
import { carriedFrom, editedBy, notEditable, onlyNewest, type EditedPost } from './edited.ts';
import { isPremium } from './subscription.ts';
import { checkCashtags, isSelfService } from './summons.ts';
import { attachedBy } from './attached.ts';
import { PostExistsError } from '#server/posts/editor/post-changes.ts';
import type { CreateRequest } from '#contract/posts/create-request.ts';

/** A created Post or version. */
export interface Created {
  readonly id: bigint;
  /** As answers show it: a long text is shortened. */
  readonly text: string;
  /** Ids of all versions, oldest first. */
  readonly versions: readonly bigint[];
}

/** A checked request. */
interface Draft {
  readonly parts: PostParts;
  readonly poll: PollRequest | undefined;
  /** The version that the Post replaces. */
  readonly edited: EditedPost | undefined;
  /** Micro-dollars. */
  readonly price: number;
}

/** The fields of a request that are stored as they are, and those that follow from them. */
function storedFields(request: CreateRequest): Json {
  const { text: _, reply: __, quote_tweet_id: ___, edit_options: ____, poll, ...fields } = request;
  const { community_id: community, share_with_followers: shared = false, nullcast } = request;
  const setting = request.reply_settings ?? poll?.reply_settings;
  // True if followers get the Post in their timelines (platform-openapi, Tweet).
  const followers = nullcast === true ? false : community === undefined ? undefined : shared;
  return {
    ...fields,
    ...(setting !== undefined && { reply_settings: setting }),
    ...(followers !== undefined && { scopes: { followers } }),
  };
}

/** Requires that a community exists and has the author as a member. @throws {@link Fault} 403. */
function checkCommunity(finder: PostFinder, { id, username }: Author, community: string): void {
  const detail = finder.community(community)
    ? `@${username} is not a member of the community [${community}].`
    : `There is no community with the id [${community}].`;
  if (!finder.isMember(community, id)) throw plainProblem(403, 'Forbidden', detail);
}

/** Checks a request, and finds what it refers to. */
async function draftOf(
  poster: Poster,
  request: CreateRequest,
  finder: PostFinder,
  now: number,
  media: MediaUploads,
): Promise<Draft> {
  const { user: author, access } = poster;
  const { text: own = '', reply, quote_tweet_id: quote, community_id, edit_options } = request;
  const { poll } = request;
  const edited = edit_options && editedBy(finder, author, edit_options.previous_post_id, now);
  const { fields: before, ...carried } = edited ? carriedFrom(edited, request) : { fields: {} };
  const attached = request.media && attachedBy(media, finder, author, request.media);
  const answered = reply && answeredBy(finder, poster, reply, own);
  const quoted = quote === undefined ? undefined : quotedBy(finder, poster, quote);
  if (community_id !== undefined) checkCommunity(finder, author, community_id);
  const text = (answered?.lead ?? '') + own;
  const isReply = answered !== undefined || carried.answered !== undefined;
  checkLength(text, { mayBeLong: () => isPremium(finder, author.id), isReply });
  if (isSelfService(access)) checkCashtags(text);
  const parts = {
    ...carried,
    text,
    lang: await languageOf(own),
    ...(answered && { answered: answered.post }),
    ...(quoted !== undefined && { quoted }),
    ...(attached && { attached }),
    fields: { ...before, ...storedFields(request) },
  };
  return { parts, poll, edited, price: priceOfPost(text, answered?.isSummoned === true) };
}

/** The Posts to which a new Post refers. */
function answersOf({ answered, quoted }: PostParts): AnsweredPost[] {
  return [
    ...(answered ? [{ kind: 'reply' as const, target: BigInt(answered.id) }] : []),
    ...(quoted === undefined ? [] : [{ kind: 'quote' as const, target: BigInt(quoted) }]),
  ];
}

/** The changes that add a Post with its poll, media and references. */
function additions(post: NewPost, parts: PostParts, poll: StoredObject | null): PostChange[] {
  const changes: PostChange[] = [{ what: 'create', of: [post] }];
  const objects = [...(poll ? [poll] : []), ...(parts.attached?.objects ?? [])];
  if (objects.length > 0) changes.push({ what: 'putObjects', of: [objects] });
  const answers = answersOf(parts);
  const author = post.authorId ?? '';
  if (answers.length > 0) changes.push({ what: 'answer', of: [post.id, author, answers] });
  return changes;
}

/** Creates and deletes Posts of a source on behalf of their authors. */
export class PostService {
  readonly #editor: PostEditor;
  readonly #now: () => number;
  readonly #recent: RecentTexts;
  readonly #media: MediaUploads;
  readonly #ids = new PostIds();

  /** @param now - epoch ms. */
  constructor(editor: PostEditor, now: () => number, media: MediaUploads) {
    this.#editor = editor;
    this.#media = media;
    this.#now = now;
    this.#recent = new RecentTexts(editor);
  }

  /**
   * Creates a Post, now, or a new version of one. It is durable when the promise resolves.
   *
   * @param finder - As the author sees the source.
   * @param charges - Records the price with the Post; nothing by default.
   * @param reserved - Its id, see {@link reserve}; a new one by default.
   *
   * Rejects with {@link PostExistsError} if there is a Post of the reserved id; with {@link Fault} 400 if the text is too long, or an id is of no Post, media or user, 403 if a reply, quote
   * or edit is not possible, the author is not a member of the community, or posted the same in the last 24 hours (body
   * recorded, platform-facts section 3), {@link ClockError} if no id contains the time; {@link StoreError} where the
   * file cannot be written.
   */
  async create(
    poster: Poster,
    request: CreateRequest,
    finder: PostFinder,
    charges: Bill['charges'] = () => [],
    reserved: bigint | null = null,
  ): Promise<Created> {
    checkClock(this.#now());
    const draft = await draftOf(poster, request, finder, this.#now(), this.#media);
    const author = { ...poster.user, isVerified: isVerified(finder, poster.user.id) };
    const { edited } = draft;
    const { text, attached, fields } = draft.parts;
    // The same text with other pictures is another Post, also after an edit of its text.
    const isCompared = !attached && fields?.['attachments'] === undefined;
    const texts = await this.#recent.of(author.id, this.#now());
    for (;;) {
      const now = this.#now();
      checkClock(now);
      const id = reserved ?? this.#ids.next(now);
      if (isCompared && !texts.take(id, text, now, edited?.row.id)) {
        const detail = 'You are not allowed to create a Tweet with duplicate content.';
        throw plainProblem(403, 'Forbidden', detail);
      }
      try {
        const created = await this.#write(author, draft, id, now, charges(draft.price));
        if (edited) texts.drop(edited.row.id, wholeText(edited.row));
        return created;
      } catch (error) {
        texts.drop(id, text);
        if (edited && wholeText(edited.row) === text) texts.take(edited.row.id, text, now);
        // An import added a Post with this id; try the next one.
        if (reserved !== null || !(error instanceof PostExistsError)) throw error;
      }
    }
  }

  /**
   * Checks a Post that is created later.
   *
   * Rejects with {@link Fault} like {@link create}, but for a text that was posted already.
   */
  async check(poster: Poster, request: CreateRequest, finder: PostFinder): Promise<void> {
    await draftOf(poster, request, finder, this.#now(), this.#media);
  }

  /** Reserves the id of a Post that is created now: who stores it first finds the Post by it after a crash. */
  reserve(): bigint {
    checkClock(this.#now());
    return this.#ids.next(this.#now());
  }

  async #write(
    author: Author,
    draft: Draft,
    id: bigint,
    now: number,
    charges: readonly PostChange[],
  ): Promise<Created> {
    const { edited } = draft;
    const poll = draft.poll ? newPoll(String(this.#ids.next(now)), draft.poll, now) : null;
    const attachments = poll && { attachments: { poll_ids: [poll.key] } };
    const parts = { ...draft.parts, fields: { ...draft.parts.fields, ...attachments } };
    const post = composePost(author, parts, id, now);
    if (!edited) {
      await this.#editor.write(...additions(post, parts, poll), ...charges);
      return { id, text: post.text, versions: [id] };
    }
    const objects = parts.attached?.objects ?? [];
    const [done] = await this.#editor.write(
      { what: 'edit', of: [edited.row.id, post] },
      { what: 'putObjects', of: [objects] },
      ...charges,
    );
    // Another edit, or its deletion, was faster.
    if (!done) throw notEditable(onlyNewest(undefined));
    return { id, text: post.text, versions: [...edited.versions, id] };
  }

  /**
   * Deletes a Post of the author with all its versions, given by any of them. Its reposts are deleted in parts, so that
   * other writers do not wait for all of them; after an error, some may be left, and the Post with them.
   *
   * @param id - 1 to 19 digits, as sent.
   * @param charges - Records the price with the deletion; nothing by default.
   * @throws {@link Fault} 404 if there is no such Post, 403 if it has another author; {@link StoreError} if the file
   *   cannot be written.
   */
  async remove(author: Author, id: string, charges: Bill['charges'] = () => []): Promise<void> {
    const wanted = readId(id);
    const row = wanted === null ? null : await this.#editor.find(wanted);
    if (!row) throw unknownResource('tweet', 'id', id);
    if (row.authorId !== author.id) {
      const detail =
        'You are not permitted to perform this action: only the author of a Post may delete it.';
      throw plainProblem(403, 'Forbidden', detail);
    }
    const texts = await this.#recent.of(author.id, this.#now());
    const paid = charges();
    for (let isWhole = false; !isWhole;) {
      const [removed] = await this.#editor.write({ what: 'remove', of: [row.id] }, ...paid);
      if (removed.posts.length === 0) throw unknownResource('tweet', 'id', id);
      for (const post of removed.posts) texts.drop(post.id, post.text);
      this.#media.release(removed.media);
      isWhole = removed.isWhole;
    }
  }
}
