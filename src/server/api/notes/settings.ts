import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import {
  NOTE_SETTINGS,
  NOTES_ON_PAGE,
  type RequestedPostInfo,
  type WrittenNoteInfo,
} from '#contract/notes/note-settings.ts';
import type { RequestedNotes } from '#contract/control/note-orders.ts';
import { statusOf } from '#core/notes/status.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { StoredAccount } from '#server/auth/account-table.ts';
import type { ServiceContext } from '#server/context.ts';
import { currentSource } from '#server/http/current-source.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import type { LinkChecks } from '#server/notes/link-checks.ts';
import type { StoredNote } from '#server/notes/note-table.ts';
import { OrderError, orderNotes } from '#server/notes/orders.ts';
import type { RequestedPost } from '#server/notes/request-table.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { admission, evaluationOf, isNoteWriter, writingLimitOf } from './writer.ts';

type NoteSettingsDeps = Pick<ServiceContext, 'http' | 'service' | 'source' | 'now'> & {
  readonly checks: LinkChecks;
};

/** The facts about Posts that pages show, by id. */
function aboutPosts(finder: PostFinder, ids: readonly bigint[]) {
  const rows = new Map(finder.rows([...new Set(ids)]).map((row) => [row.id, row]));
  return (id: bigint): RequestedPostInfo['post'] => {
    const row = rows.get(id);
    return { id: String(id), text: row?.text ?? null, username: row?.username ?? null };
  };
}

/** One more entry than a page has tells whether there is another page. */
const READ = NOTES_ON_PAGE + 1;

/** The end of a page of requests, which {@link afterOf} reads. */
const endOf = ({ createdAt, post }: RequestedPost): string => `${createdAt}.${post}`;

function afterOf(text: string | undefined): RequestedPost | null {
  const [createdAt, post] = text?.split('.') ?? [];
  return post === undefined ? null : { createdAt: Number(createdAt), post: readId(post) ?? 0n };
}

/** `/notes/requests`: lists requests for notes, adds and removes them, and undoes that. */
function requestRoutes({ http, service, source, now }: NoteSettingsDeps): Route[] {
  const { noteRequests: table } = service;
  const posts = (c: Context): PostFinder => currentSource(c, source, 'posts').posts;
  const ask = (c: Context, body: RequestedNotes): string[] => {
    const finder = posts(c);
    try {
      const deps = { service, posts: finder.rows, now };
      const outcome = orderNotes(deps, { action: 'request', ...body });
      return outcome.action === 'request' ? outcome.posts : [];
    } catch (error) {
      if (error instanceof OrderError) throw plainProblem(404, 'Not Found', error.message);
      throw error;
    }
  };
  return [
    http.serve(NOTE_SETTINGS.requests, ({ c, query: { after } }) => {
      const found = table.page('older', afterOf(after), READ, null);
      const page = found.slice(0, NOTES_ON_PAGE);
      const aboutPost = aboutPosts(
        posts(c),
        page.map(({ post }) => post),
      );
      const last = page.at(-1);
      return {
        count: table.count(),
        requests: page.map(({ post, createdAt }) => ({
          id: String(post),
          post: aboutPost(post),
          created_at: formatInstant(createdAt),
          requests: table.requests(post),
          links: table.links(post),
        })),
        next: found.length > page.length && last ? endOf(last) : null,
      };
    }),
    http.serve(NOTE_SETTINGS.request, ({ c, body }) => ({ requested: ask(c, body) })),
    http.serve(NOTE_SETTINGS.withdraw, ({ params: { id } }) => {
      if (table.remove(readId(id) ?? 0n)) return { deleted: true };
      throw plainProblem(404, 'Not Found', `No note was requested for the Post [${id}].`);
    }),
    http.serve(NOTE_SETTINGS.restore, ({ params: { id } }) => {
      if (table.restore(readId(id) ?? 0n)) return { restored: true };
      throw plainProblem(404, 'Not Found', 'The requests can no longer be restored.');
    }),
  ];
}

function noteInfo(
  note: StoredNote,
  { post, links, now }: { post: WrittenNoteInfo['post']; links: StoredNote['links']; now: number },
): WrittenNoteInfo {
  const { id, info, ratings, createdAt, test } = note;
  return {
    id: String(id),
    post,
    text: info.text,
    created_at: formatInstant(createdAt),
    status: statusOf(ratings, now - createdAt),
    ratings,
    test_result: test ? evaluationOf(note, links) : null,
  };
}

/** `/notes/writers`: what a note writer may write and wrote, and its admission. */
function writerRoutes({ http, service, source, checks, now }: NoteSettingsDeps): Route[] {
  const { notes } = service;
  const known = (id: string): StoredAccount => {
    const account = service.accountOf(id);
    if (account) return account;
    throw plainProblem(404, 'Not Found', `There is no account with the id [${id}].`);
  };
  return [
    http.serve(NOTE_SETTINGS.writers, () => ({
      writers: service
        .accounts()
        .filter(isNoteWriter)
        .map(({ id }) => ({ id, admitted: notes.isAdmitted(id) })),
    })),
    http.serve(NOTE_SETTINGS.writer, async ({ params }) => {
      const { id } = known(params.id);
      const admitted = notes.isAdmitted(id);
      const time = now();
      return {
        admitted,
        missing: admitted ? [] : [...(await admission(notes, checks, id)).missing],
        limit: writingLimitOf(notes, id, time),
        written: notes.countSince(id, time - DAY_MS),
      };
    }),
    http.serve(NOTE_SETTINGS.admit, ({ params }) => {
      const account = known(params.id);
      if (!isNoteWriter(account)) {
        const detail = `@${account.username} must be an AI developer and a note writer.`;
        throw plainProblem(409, 'Conflict', detail);
      }
      notes.admit(account.id, now());
      return { admitted: true };
    }),
    http.serve(NOTE_SETTINGS.written, async ({ c, params, query }) => {
      const { id: writer } = known(params.id);
      const { test } = query;
      const after = query.after === undefined ? null : readId(query.after);
      const found = notes.page({ writer, test }, 'older', after, READ);
      const page = found.slice(0, NOTES_ON_PAGE);
      const finder = currentSource(c, source, 'posts').posts;
      const aboutPost = aboutPosts(
        finder,
        page.map(({ post }) => post),
      );
      const links = test ? await checks.of(page) : [];
      return {
        notes: page.map((note, i) =>
          noteInfo(note, { post: aboutPost(note.post), links: links[i] ?? null, now: now() }),
        ),
        next: found.length > page.length ? String(page.at(-1)?.id) : null,
      };
    }),
  ];
}

/** The endpoints of the settings page about community notes. */
export function noteSettings(deps: NoteSettingsDeps): Route[] {
  return [...requestRoutes(deps), ...writerRoutes(deps)];
}
