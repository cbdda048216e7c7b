import type { Context } from 'hono';
import { NOTES } from '#contract/notes/notes.ts';
import { claimOpinion } from '#core/notes/claim-opinion.ts';
import type { ServiceContext } from '#server/context.ts';
import { currentSource } from '#server/http/current-source.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { openLinkChecks } from '#server/notes/link-checks.ts';
import type { FoundPost } from '#server/posts/json/post-json.ts';
import { knownPost, notPermitted, unknownResource } from '#server/users/acting.ts';
import { withAccounts } from '#server/users/people.ts';
import { reader } from '#server/users/reading.ts';
import { randomSnowflake } from '#server/random.ts';
import { eligiblePosts } from './eligible.ts';
import { noteSettings } from './settings.ts';
import { notesWritten } from './written.ts';
import { checkAdmission, checkDailyLimit, secondNote, writerOf } from './writer.ts';

/**
 * Lists Posts that notes were requested for, and evaluates, creates, deletes and lists community notes; with the
 * endpoints of the settings page.
 */
export function notes({ http, webhooks, log, random, ...deps }: ServiceContext): Route[] {
  const { fetcher } = webhooks;
  const { source, service, now } = deps;
  const { notes: table } = service;
  const checks = openLinkChecks({ table, fetcher, log });
  const read = reader(deps);
  /** A Post that everyone may see. */
  const openPost = (c: Context, id: string): FoundPost => {
    const { posts } = currentSource(c, source, 'posts');
    return knownPost(withAccounts(posts, service, null), id, 'post_id');
  };
  return [
    http.serve(NOTES.eligible, ({ c, caller, query }) => {
      const writer = writerOf(service, caller);
      const everyone = { ...caller, user: null };
      return read({ c, caller: everyone }, (reading) =>
        eligiblePosts(reading, service, writer, query),
      );
    }),
    http.serve(NOTES.written, ({ caller, query }) => {
      const writer = writerOf(service, caller);
      return notesWritten({ ...deps, checks }, writer, query);
    }),
    http.serve(NOTES.evaluate, ({ c, caller, body }) => {
      writerOf(service, caller);
      const { row } = openPost(c, body.post_id);
      return { data: { claim_opinion_score: claimOpinion(body.note_text, row.text).score } };
    }),
    http.serve(NOTES.create, async ({ c, caller, body }) => {
      const writer = writerOf(service, caller);
      const { row } = openPost(c, body.post_id);
      if (row.authorId === writer) throw notPermitted('a note must not be about your own Post.');
      const { test_mode: test, info } = body;
      if (!test) await checkAdmission(table, checks, writer);
      const createdAt = now();
      const id = randomSnowflake(createdAt, random);
      const { score } = claimOpinion(info.text, row.text);
      const note = { id, writer, post: row.id, test, info, score, createdAt };
      const added = table.add(note, () => {
        if (!test) checkDailyLimit(table, writer, createdAt);
      });
      if (!added) throw secondNote(body.post_id);
      if (test) void checks.of([{ id, links: null, info }]);
      return { data: { id: String(id) } };
    }),
    http.serve(NOTES.remove, ({ caller, params }) => {
      const writer = writerOf(service, caller);
      const id = readId(params.id);
      if (id !== null && table.remove(id, writer, now())) return { data: { deleted: true } };
      throw unknownResource('note', 'id', params.id);
    }),
    ...noteSettings({ http, service, source, checks, now }),
  ];
}
