import { Fault, invalidRequest, plainProblem } from '#contract/fault.ts';
import {
  admissionOf,
  ADMISSION_NOTES,
  claimBucket,
  harassmentBucket,
  type Admission,
  type Bucket,
  type Evaluation,
} from '#core/notes/evaluation.ts';
import { statusOf } from '#core/notes/status.ts';
import { verdictOf, writingLimit, type WritingHistory } from '#core/notes/writing-limit.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { StoredAccount } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import type { LinkChecks } from '#server/notes/link-checks.ts';
import type { NoteTable, StoredNote } from '#server/notes/note-table.ts';
import { notPermitted } from '#server/users/acting.ts';
import type { UserCaller } from '#server/auth/caller.ts';

/** Recorded (platform-facts, section 8). */
const NO_WRITER = 'User must be an API Note Writer to access this endpoint.';
const ONE_NOTE = 'User already created a note for this post.';

/** Notes that the limit is computed from. */
const HISTORY = 100;
/** DN_30 is a mean over so many days. */
const DAYS = 30;

/** True if an account is a registered AI developer and an approved note writer. */
export function isNoteWriter({ profile }: Pick<StoredAccount, 'profile'>): boolean {
  return profile.ai_developer === true && profile.note_writer === true;
}

/**
 * Requires that the caller's account is a registered AI developer and an approved note writer.
 *
 * @returns Its id.
 * @throws {@link Fault} 403.
 */
export function writerOf(service: Service, { user }: UserCaller): string {
  const account = service.accountOf(user.id);
  if (account && isNoteWriter(account)) return user.id;
  throw plainProblem(403, 'Forbidden', NO_WRITER);
}

/** The evaluators' results for a note. @param links - Whether its links are valid; null if that is not known. */
export function evaluationOf({ info, score }: StoredNote, links: Bucket | null): Evaluation {
  return {
    UrlValidity: links ?? 'unknown',
    HarassmentAbuse: harassmentBucket(info.text),
    ClaimOpinion: claimBucket(score),
  };
}

/** The notes that a writer has written, without tests. */
export function historyOf(notes: NoteTable, writer: string, now: number): WritingHistory {
  const last = notes.last({ writer, test: false }, HISTORY);
  return {
    verdicts: last.map(({ ratings, createdAt }) => verdictOf(statusOf(ratings, now - createdAt))),
    total: notes.countSince(writer, 0),
    daily: notes.countSince(writer, now - DAYS * DAY_MS) / DAYS,
  };
}

/** True if a writer's last test notes qualify it. */
export async function admission(
  notes: NoteTable,
  checks: LinkChecks,
  writer: string,
): Promise<Admission> {
  const last = notes.last({ writer, test: true }, ADMISSION_NOTES);
  const links = await checks.of(last);
  return admissionOf(last.map((note, i) => evaluationOf(note, links[i] ?? null)));
}

/**
 * Requires that a writer may write notes that are not tests.
 *
 * @throws {@link Fault} 403 that says what the writer's test notes lack.
 */
export async function checkAdmission(
  notes: NoteTable,
  checks: LinkChecks,
  writer: string,
): Promise<void> {
  if (notes.isAdmitted(writer)) return;
  const { missing } = await admission(notes, checks, writer);
  if (missing.length === 0) return;
  throw notPermitted(
    `only test notes can be written until the last ${ADMISSION_NOTES} of them qualify. Needed: ${missing.join('; ')}.`,
  );
}

/** The number of notes that a writer may write in 24 hours. */
export function writingLimitOf(notes: NoteTable, writer: string, now: number): number {
  return writingLimit(historyOf(notes, writer, now));
}

/**
 * Requires that a writer has not written as many notes as it may in 24 hours.
 *
 * @throws {@link Fault} 429.
 */
export function checkDailyLimit(notes: NoteTable, writer: string, now: number): void {
  const limit = writingLimitOf(notes, writer, now);
  if (notes.countSince(writer, now - DAY_MS) < limit) return;
  throw plainProblem(
    429,
    'Too Many Requests',
    `Your daily writing limit is ${limit} notes in 24 hours, by the ratings of your notes.`,
  );
}

/** The fault of a second note on a Post. The message is recorded (platform-facts, section 8). */
export function secondNote(post: string): Fault {
  const { status, body } = invalidRequest('post_id', post, ONE_NOTE);
  return new Fault(status, { ...body, message: ONE_NOTE });
}
