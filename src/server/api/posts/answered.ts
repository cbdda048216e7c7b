import { invalidRequest, plainProblem } from '#contract/fault.ts';
import type { CreateRequest } from '#contract/posts.ts';
import type { Service } from '#server/auth/store.ts';
import { readId } from '#server/import/id.ts';
import { string } from '#server/import/json.ts';
import type { Answered, Author } from '#server/posts/compose.ts';
import type { PostEditor } from '#server/posts/editor.ts';
import { allFacts } from '#server/posts/facts.ts';
import { foundPost, isSuperseded } from '#server/posts/post-json.ts';
import type { FoundPost } from '#server/posts/post-json.ts';

type Reply = NonNullable<CreateRequest['reply']>;

/** The mentions at the beginning of a text. */
const LEAD = /^(?:@[A-Za-z0-9_]{1,15}\s+)+/;
const MENTION = /@([A-Za-z0-9_]{1,15})/g;

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(MENTION), ([, name = '']) => name);
}

/** Finds the Posts that a new one refers to, and says whether its author may refer to them. */
export class References {
  readonly #editor: PostEditor;
  readonly #service: Service;

  constructor(editor: PostEditor, service: Service) {
    this.#editor = editor;
    this.#service = service;
  }

  /** A Post that a request names; null if there is none, or the author may not see it. */
  async #visible(id: string, author: Author): Promise<FoundPost | null> {
    const wanted = readId(id);
    const row = wanted === null ? null : await this.#editor.find(wanted);
    if (!row || isSuperseded(row)) return null;
    const owner = row.authorId === null ? undefined : this.#service.accountOf(row.authorId);
    const isHidden = owner?.profile.protected === true && owner.id !== author.id;
    return isHidden ? null : foundPost(row);
  }

  /**
   * The id of a Post to quote.
   *
   * @throws {@link Fault} 400 if there is none (recorded, platform-facts-additions, section 3).
   */
  async quoted(id: string, author: Author): Promise<string> {
    const post = await this.#visible(id, author);
    if (post) return String(post.row.id);
    throw invalidRequest('quote_tweet_id', id, 'Your quote tweet ID is invalid.');
  }

  /**
   * The Post to answer, and the mentions that the reply begins with: its author and, if the request asks for them, the
   * accounts that it begins with itself.
   *
   * @returns `lead` is empty or ends with a space.
   * @throws {@link Fault} 403 if there is no such Post, or its author limits who may reply (recorded,
   *   platform-facts-additions, section 3).
   */
  async answered(
    reply: Reply,
    author: Author,
    text: string,
  ): Promise<{ readonly post: Answered; readonly lead: string }> {
    const found = await this.#visible(reply.in_reply_to_tweet_id, author);
    if (!found) {
      const detail = 'You attempted to reply to a Tweet that is deleted or not visible to you.';
      throw plainProblem(403, 'Forbidden', detail);
    }
    const { row, rest } = found;
    this.#checkSettings(found, author);
    const id = String(row.id);
    const conversationId = string(rest.conversation_id) ?? allFacts(row).conversationId ?? id;
    const post = { id, authorId: row.authorId, username: row.username, conversationId };
    return { post, lead: this.#leadOf(found, reply, author, text) };
  }

  /** Requires that the Post's author lets this account reply. */
  #checkSettings({ row, rest }: FoundPost, author: Author): void {
    const setting = rest.reply_settings ?? 'everyone';
    if (setting === 'everyone' || row.authorId === author.id) return;
    const isMentioned = namesIn(row.text).some(
      (name) => name.toLowerCase() === author.username.toLowerCase(),
    );
    const verified = this.#service.accountOf(author.id)?.profile.verified_type ?? 'none';
    if (isMentioned || (setting === 'verified' && verified !== 'none')) return;
    const detail = `The author of this Post limits who may reply: reply_settings is ${String(setting)}.`;
    throw plainProblem(403, 'Forbidden', detail);
  }

  #leadOf({ row }: FoundPost, reply: Reply, author: Author, text: string): string {
    const { exclude_reply_user_ids: excluded = [], auto_populate_reply_metadata: all } = reply;
    const isExcluded = (name: string): boolean => {
      const id = name === row.username ? row.authorId : this.#service.findAccount(name)?.id;
      return id !== undefined && id !== null && excluded.includes(id);
    };
    const others = all === true ? namesIn(LEAD.exec(row.text)?.[0] ?? '') : [];
    const present = namesIn(LEAD.exec(text)?.[0] ?? '').map((name) => name.toLowerCase());
    const taken = new Set([...present, author.username.toLowerCase()]);
    let lead = '';
    for (const name of [...(row.username === null ? [] : [row.username]), ...others]) {
      if (taken.has(name.toLowerCase()) || isExcluded(name)) continue;
      taken.add(name.toLowerCase());
      lead += `@${name} `;
    }
    return lead;
  }
}

/** Code points of the mentions that a reply's text begins with, which do not count toward its length. */
export function leadLength(text: string): number {
  return Array.from(LEAD.exec(text)?.[0] ?? '').length;
}
