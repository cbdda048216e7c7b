import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { CreateRequest } from '#contract/posts.ts';
import { checkLength, composePost, PostIds } from '#server/posts/compose.ts';
import type { Author, PostParts } from '#server/posts/compose.ts';
import { leadingMentions } from '#core/text/entities.ts';
import type { Change } from '#server/posts/changes.ts';
import type { PostEditor } from '#server/posts/editor.ts';
import type { PostFinder } from '#server/posts/source.ts';
import { languageOf } from '#server/posts/language.ts';
import { hasSnowflake, readId } from '#server/import/id.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import { PostExistsError } from '#server/posts/writer.ts';
import type { NewPost } from '#server/posts/writer.ts';
import { RecentTexts } from '#server/posts/recent-texts.ts';
import { answeredBy, quotedBy } from './answered.ts';
import { attachedBy } from './attached.ts';

/** A Post that does not exist (body recorded: github.com/plhery/node-twitter-api-v2 issue 338; platform-openapi). */
function notFound(id: string): Fault {
  return new Fault(404, {
    title: 'Not Found Error',
    detail: `Could not find tweet with id: [${id}].`,
    type: `${PROBLEMS}resource-not-found`,
    status: 404,
    resource_type: 'tweet',
    resource_id: id,
    parameter: 'id',
    value: id,
  });
}

function refuseEarly(now: number): void {
  if (hasSnowflake(now)) return;
  const detail = `The clock of this service shows ${formatInstant(now)}, which is earlier than any Post id. Correct the clock, then try again.`;
  throw plainProblem(503, 'Service Unavailable', detail);
}

/** Checks a request, and finds what it refers to. */
async function partsOf(
  author: Author,
  request: CreateRequest,
  finder: PostFinder,
  media: MediaUploads | null,
): Promise<PostParts> {
  const { text: own = '', reply, quote_tweet_id: quote, ...fields } = request;
  const attached = request.media && attachedBy(media, finder, author, request.media);
  const answered = reply && answeredBy(finder, author, reply, own);
  const text = (answered?.lead ?? '') + own;
  // The mentions that a reply begins with do not count (platform-facts, section 3).
  checkLength(text, answered ? Array.from(leadingMentions(text)).length : 0);
  return {
    text,
    lang: await languageOf(own),
    ...(answered && { answered: answered.post }),
    ...(quote !== undefined && { quoted: quotedBy(finder, quote) }),
    ...(attached && { attached }),
    fields,
  };
}

/** Creates and deletes Posts of a source on behalf of their authors. */
export class PostService {
  readonly #editor: PostEditor;
  readonly #now: () => number;
  readonly #recent: RecentTexts;
  readonly #media: MediaUploads | null;
  readonly #ids = new PostIds();

  /**
   * @param now - epoch ms.
   * @param media - Null if this service takes no media.
   */
  constructor(editor: PostEditor, now: () => number, media: MediaUploads | null = null) {
    this.#editor = editor;
    this.#media = media;
    this.#now = now;
    this.#recent = new RecentTexts(editor);
  }

  /**
   * Creates a Post, now. It is durable when the promise resolves.
   *
   * @param finder - As the author sees the source.
   *
   * Rejects with {@link Fault} 400 if the text is too long, or a quoted Post, media or a tagged user does not exist, 403 if a reply is not
   * possible or the author posted the same in the last 24 hours (body recorded, platform-facts section 3), 503 if the
   * clock shows a time before the first id; {@link StoreError} where the file cannot be written.
   */
  async create(author: Author, request: CreateRequest, finder: PostFinder): Promise<NewPost> {
    refuseEarly(this.#now());
    const parts = await partsOf(author, request, finder, this.#media);
    const { text, attached } = parts;
    const texts = await this.#recent.of(author.id, this.#now());
    for (;;) {
      const now = this.#now();
      refuseEarly(now);
      const post = composePost(author, parts, this.#ids.next(now), now);
      // The same text with other pictures is another Post.
      if (!attached && !texts.take(post.id, text, now)) {
        const detail = 'You are not allowed to create a Tweet with duplicate content.';
        throw plainProblem(403, 'Forbidden', detail);
      }
      try {
        const media: Change[] = attached ? [{ what: 'putObjects', of: [attached.objects] }] : [];
        await this.#editor.write({ what: 'create', of: [post] }, ...media);
        return post;
      } catch (error) {
        texts.drop(post.id, text);
        // An import added a Post with this id; try the next one.
        if (!(error instanceof PostExistsError)) throw error;
      }
    }
  }

  /**
   * Deletes a Post of the author.
   *
   * @param id - 1 to 19 digits, as sent.
   * @throws {@link Fault} 404 if there is no such Post, 403 if it has another author; {@link StoreError} if the file
   *   cannot be written.
   */
  async remove(author: Author, id: string): Promise<void> {
    const wanted = readId(id);
    const row = wanted === null ? null : await this.#editor.find(wanted);
    if (!row) throw notFound(id);
    if (row.authorId !== author.id) {
      const detail =
        'You are not permitted to perform this action: only the author of a Post may delete it.';
      throw plainProblem(403, 'Forbidden', detail);
    }
    const texts = await this.#recent.of(author.id, this.#now());
    const [done] = await this.#editor.write({ what: 'remove', of: [row.id] });
    if (!done) throw notFound(id);
    texts.drop(row.id, row.text);
  }
}
