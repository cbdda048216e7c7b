import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { PostFinder } from '#server/posts/index/source.ts';
import { editorOver, type PostEditor } from '#server/posts/editor/editor.ts';
import { composePost, type Author } from '#server/posts/editor/compose.ts';
import { snowflake } from '#core/import/id.ts';
import { PostService } from '#server/api/posts/create-post.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';
import { StoreError } from '#server/db/store-error.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const alice = { id: '12', username: 'alice' };
const bob = { id: '13', username: 'bob' };
const poster = (user: Author) => ({ user, access: 'enterprise' as const });
const file = temporaryFolder();
/** Finds no Post to refer to. */
const nothing: PostFinder = {
  rows: () => [],
  object: () => null,
  userId: () => null,
  versions: (id) => [id],
  answers: () => ({ replies: 0, quotes: 0 }),
  community: () => null,
  isMember: () => false,
};

const NO_MEDIA = { release: () => {} } as unknown as MediaUploads;

function open(name: string, over: (editor: PostEditor) => Partial<PostEditor> = () => ({})) {
  const db = openPosts(file(name), { random: (n) => randomBytes(n) });
  afterAll(() => db.close());
  const editor = editorOver(db, () => NOW);
  return {
    editor,
    changes: postChanges(db),
    posting: new PostService({ ...editor, ...over(editor) }, () => NOW, NO_MEDIA),
  };
}

const composed = (author: Author, text: string, id: bigint, at: number) =>
  composePost(author, { text, lang: 'und' }, id, at);

describe('a new Post', () => {
  it('never has the id of an existing Post', async () => {
    const { editor, posting } = open('taken');
    for (const number of [0, 1, 2]) {
      await editor.write({
        what: 'create',
        of: [composed(bob, `imported ${number}`, snowflake(NOW, number), NOW)],
      });
    }
    const { id } = await posting.create(poster(alice), { text: 'mine' }, nothing);
    expect(id).toBe(snowflake(NOW, 3));
    expect(await editor.find(id)).toMatchObject({ text: 'mine', authorId: '12' });
    expect((await editor.find(snowflake(NOW, 0)))?.authorId).toBe('13');
  });

  it('may be sent again if it could not be written', async () => {
    let full = true;
    const { posting } = open('full', ({ write }) => ({
      write: (...changes) =>
        full ? Promise.reject(new StoreError('full', 'x')) : write(...changes),
    }));
    await expect(posting.create(poster(alice), { text: 'again' }, nothing)).rejects.toThrow(
      StoreError,
    );
    full = false;
    expect((await posting.create(poster(alice), { text: 'again' }, nothing)).text).toBe('again');
    await expect(posting.create(poster(alice), { text: 'again' }, nothing)).rejects.toMatchObject({
      status: 403,
    });
  });

  it('is compared with the stored Posts once they can be read', async () => {
    let busy = true;
    const { editor, posting } = open('busy', ({ writtenBy }) => ({
      writtenBy: (...asked) =>
        busy ? Promise.reject(new StoreError('busy', 'x')) : writtenBy(...asked),
    }));
    await editor.write({
      what: 'create',
      of: [composed(alice, 'said', snowflake(NOW - 86_399_999, 0), NOW - 86_399_999)],
    });
    await editor.write({
      what: 'create',
      of: [composed(alice, 'long ago', snowflake(NOW - 86_400_000, 0), NOW)],
    });
    await editor.write({
      what: 'create',
      of: [composed(bob, 'by another', snowflake(NOW - 1, 0), NOW)],
    });
    await expect(posting.create(poster(alice), { text: 'said' }, nothing)).rejects.toThrow(
      StoreError,
    );
    busy = false;
    await expect(posting.create(poster(alice), { text: 'said' }, nothing)).rejects.toMatchObject({
      status: 403,
    });
    await posting.create(poster(alice), { text: 'long ago' }, nothing);
    await posting.create(poster(alice), { text: 'by another' }, nothing);
  });

  it('may repeat a text that its author has edited since', async () => {
    const { editor, changes, posting } = open('edited');
    const first = composed(alice, 'before', snowflake(NOW - 2000, 0), NOW - 2000);
    await editor.write({ what: 'create', of: [first] });
    changes.edit(first.id, composed(alice, 'after', snowflake(NOW - 1000, 0), NOW - 1000));
    expect((await posting.create(poster(alice), { text: 'before' }, nothing)).text).toBe('before');
    await expect(posting.create(poster(alice), { text: 'after' }, nothing)).rejects.toMatchObject({
      status: 403,
    });
  });
});

describe('deleting', () => {
  it('an older Post does not allow the text of a newer one again', async () => {
    const { editor, posting } = open('older');
    const older = composed(alice, 'twice', snowflake(NOW - 172_800_000, 0), NOW - 172_800_000);
    await editor.write({ what: 'create', of: [older] });
    await posting.create(poster(alice), { text: 'twice' }, nothing);
    await posting.remove(alice, String(older.id));
    await expect(posting.create(poster(alice), { text: 'twice' }, nothing)).rejects.toMatchObject({
      status: 403,
    });
  });

  it('a Post twice at the same time succeeds once', async () => {
    const { posting } = open('race');
    const { id } = await posting.create(poster(alice), { text: 'contested' }, nothing);
    const both = await Promise.allSettled([0, 1].map(() => posting.remove(alice, String(id))));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
