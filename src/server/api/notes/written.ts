import type { NoteField, NoteObject, WrittenRequest } from '#contract/notes/notes.ts';
import { EVALUATORS, weakest } from '#core/notes/evaluation.ts';
import { statusOf } from '#core/notes/status.ts';
import type { ServiceContext } from '#server/context.ts';
import { finish, oneStep } from '#server/index/steps.ts';
import type { LinkChecks } from '#server/notes/link-checks.ts';
import type { StoredNote } from '#server/notes/note-table.ts';
import { readPage, type Listing } from '#server/users/listing.ts';
import { evaluationOf } from './writer.ts';

/** The model of `scoring_status`: this service's own, which does not know viewpoints. */
const MODEL = 'groundswell';

/** The results of all evaluators, and the lowest of them where the platform's documents have one. */
function testResult(evaluation: ReturnType<typeof evaluationOf>): NoteObject['test_result'] {
  const results = EVALUATORS.map((evaluator) => ({
    evaluator_type: evaluator,
    evaluator_score_bucket: evaluation[evaluator],
  }));
  const lowest = results.find((result) => result.evaluator_type === weakest(evaluation));
  return lowest && { ...lowest, evaluation_outcome: results };
}

function noteJson(
  note: StoredNote,
  fields: readonly NoteField[],
  now: number,
  links: StoredNote['links'],
): NoteObject {
  const { id, post, info, ratings, test, createdAt } = note;
  const has = (field: NoteField): boolean => fields.includes(field);
  return {
    id: String(id),
    post_id: String(post),
    note_info: info,
    ...(has('info') && { info }),
    ...(has('status') && { status: statusOf(ratings, now - createdAt) }),
    ...(has('scoring_status') && {
      scoring_status: {
        has_access: true,
        rating_counts_per_model: {
          model_name: MODEL,
          value: {
            neutral_factor_bucket_counts: {
              helpful_count: ratings.helpful,
              somewhat_helpful_count: ratings.somewhat_helpful,
              not_helpful_count: ratings.not_helpful,
            },
          },
        },
      },
    }),
    ...(test && has('test_result') && { test_result: testResult(evaluationOf(note, links)) }),
  };
}

/**
 * A page of a writer's notes, newest first.
 *
 * @throws {@link Fault} 400 for a token of another listing.
 */
export async function notesWritten(
  {
    service: { notes },
    checks,
    pageKey,
    now,
  }: Pick<ServiceContext, 'service' | 'pageKey' | 'now'> & { readonly checks: LinkChecks },
  writer: string,
  request: WrittenRequest,
): Promise<object> {
  const { test_mode: test } = request;
  const fields = (request['note.fields'] ?? []) as readonly NoteField[];
  const listing: Listing<StoredNote, StoredNote> = {
    read: (direction, from, limit) =>
      oneStep(() => notes.page({ writer, test }, direction, from?.id ?? null, limit)),
    show: (found) => found,
    pack: ({ id }) => [String(id)],
    unpack: ([id]) => ({ id: BigInt(id ?? 0) }) as StoredNote,
  };
  const scope = { of: ['notes written', writer, String(test)], key: pageKey };
  const { shown, tokens } = finish(readPage(listing, request, scope));
  const links =
    test && fields.includes('test_result') ? await checks.of(shown) : shown.map(() => null);
  const data = shown.map((note, i) => noteJson(note, fields, now(), links[i] ?? null));
  return {
    ...(data.length > 0 && { data }),
    meta: { result_count: data.length, ...tokens },
  };
}
