import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { CreateRequest } from '#contract/posts.ts';
import { priceOfPost } from '#server/billing/post-price.ts';
import type { Bill } from '#server/billing/billing.ts';
import { checkLength, composePost, PostIds } from '#server/posts/compose.ts';
import type { Author, PostParts } from '#server/posts/compose.ts';
import { leadingMentions } from '#core/text/entities.ts';
import type { PostEditor } from '#server/posts/editor.ts';
import type { PostFinder } from '#server/posts/source.ts';
import { languageOf } from '#server/posts/language.ts';
import { hasSnowflake, readId } from '#server/import/id.ts';
import { PostExistsError } from '#server/posts/writer.ts';
import type { NewPost } from '#server/posts/writer.ts';
import { RecentTexts } from '#server/posts/recent-texts.ts';
import { answeredBy, quotedBy } from './answered.ts';

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
): Promise<PostParts & { readonly price: number }> {
  const { text: own, reply, quote_tweet_id: quote, ...fields } = request;
  const answered = reply && answeredBy(finder, author, reply, own);
  const text = (answered?.lead ?? '') + own;
  // The mentions that a reply begins with do not count (platform-facts, section 3).
  checkLength(text, answered ? Array.from(leadingMentions(text)).length : 0);
  return {
    text,
    lang: await languageOf(own),
    price: priceOfPost(text, answered?.isSummoned === true),
    ...(answered && { answered: answered.post }),
    ...(quote !== undefined && { quoted: quotedBy(finder, quote) }),
    fields,
  };
}

/** Creates and deletes Posts of a source on behalf of their authors. */
export class PostService {
  readonly #editor: PostEditor;
  readonly #now: () => number;
  readonly #recent: RecentTexts;
  readonly #ids = new PostIds();

  /** @param now - epoch ms. */
  constructor(editor: PostEditor, now: () => number) {
    this.#editor = editor;
    this.#now = now;
    this.#recent = new RecentTexts(editor);
  }

  /**
   * Creates a Post, now. It is durable when the promise resolves.
   *
   * @param finder - As the author sees the source.
   * @param charges - Records the price with the Post; nothing by default.
   *
   * Rejects with {@link Fault} 400 if the text is too long or a quoted Post does not exist, 403 if a reply is not
   * possible or the author posted the same in the last 24 hours (body recorded, platform-facts section 3), 503 if the
   * clock shows a time before the first id; {@link StoreError} where the file cannot be written.
   */
  async create(
    author: Author,
    request: CreateRequest,
    finder: PostFinder,
    charges: Bill['charges'] = () => [],
  ): Promise<NewPost> {
    refuseEarly(this.#now());
    const { price, ...parts } = await partsOf(author, request, finder);
    const { text } = parts;
    const texts = await this.#recent.of(author.id, this.#now());
    for (;;) {
      const now = this.#now();
      refuseEarly(now);
      const post = composePost(author, parts, this.#ids.next(now), now);
      if (!texts.take(post.id, text, now)) {
        const detail = 'You are not allowed to create a Tweet with duplicate content.';
        throw plainProblem(403, 'Forbidden', detail);
      }
      try {
        await this.#editor.write({ what: 'create', of: [post] }, ...charges(price));
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
   * @param charges - Records the price with the deletion; nothing by default.
   * @throws {@link Fault} 404 if there is no such Post, 403 if it has another author; {@link StoreError} if the file
   *   cannot be written.
   */
  async remove(author: Author, id: string, charges: Bill['charges'] = () => []): Promise<void> {
    const wanted = readId(id);
    const row = wanted === null ? null : await this.#editor.find(wanted);
    if (!row) throw notFound(id);
    if (row.authorId !== author.id) {
      const detail =
        'You are not permitted to perform this action: only the author of a Post may delete it.';
      throw plainProblem(403, 'Forbidden', detail);
    }
    const texts = await this.#recent.of(author.id, this.#now());
    const [done] = await this.#editor.write({ what: 'remove', of: [row.id] }, ...charges());
    if (!done) throw notFound(id);
    texts.drop(row.id, row.text);
  }
}
