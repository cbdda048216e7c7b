import { termsOf } from '#core/text/terms.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { createWriter } from '#server/posts/editor/writer.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { variedPosts } from '#tests/support/data/varied-posts.ts';

const START = Date.UTC(2020, 1, 29);

/** Fills a file with 401 Posts in two collections, one of them edited, after one was deleted. */
export async function changedPosts(file: string): Promise<void> {
  const random = countingBytes();
  const rows = variedPosts(402).map((post, i): NewPost => {
    const columns = { authorId: null, username: null, text: post.text, lang: null, rest: null };
    const [createdAt, facts] = [START + i * 1500, factsOf(post, columns)];
    return { id: BigInt(i + 1), createdAt, ...columns, facts, terms: termsOf(post) };
  });
  for (const [source, part] of [
    ['first', rows.slice(0, 250)],
    ['second', rows.slice(150, 401)],
  ] as const) {
    const writer = createWriter(openPosts(file, { random }), { source, now: () => START });
    writer.add(part);
    writer.putObjects([{ kind: 'users', key: '12', json: '{"id":"12","username":"Ann"}' }]);
    writer.finish({ read: part.length, kinds: new Set(['csv']), isWhole: true });
    writer.close();
  }
  const db = openPosts(file, { random });
  const { write } = editorOver(db, () => START);
  const edited = { ...rows[401]!, createdAt: START + 1000 * SECOND_MS };
  await write({ what: 'edit', of: [10n, edited] });
  await write({ what: 'remove', of: [20n] });
  db.close();
}
