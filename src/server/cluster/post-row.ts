import { createHash } from 'node:crypto';
import { SUPERSEDED, type PostRow } from '#server/posts/store/post-table.ts';
import type { RowReader } from './row-binary.ts';

/** The state of a Post, as stored. */
export const GONE = 0;
export const COUNTED = 1;
/** It was edited: another Post counts instead. */
export const REPLACED = 2;

/** Kind of the object that says whose username its key is, in lower case; its text is the id. */
export const USERNAMES = 'usernames';

/** The state of a Post. */
export interface StoredState {
  readonly id: bigint;
  /** The number of times the id was deleted before. */
  readonly generation: number;
  readonly state: number;
  /** As in `PostRow`. */
  readonly collections: string | null;
}

/** The newest version of a Post in the cluster. */
export interface StoredVersion extends StoredState {
  /** As of `PostRow`; also that of a Post that is gone. */
  readonly row: PostRow;
  /** Ids of all versions of the Post, oldest first. */
  readonly versions: readonly bigint[];
  /** Terms of what it refers to if it was posted here, see `answerTerm`. */
  readonly answers: readonly string[];
}

/** The parts of a row that never change, as JSON. */
export function encodeRow(
  row: PostRow,
  versions: readonly bigint[],
  answers: readonly string[],
): string {
  const { createdAt, authorId, username, text, lang, flags, rest, facts } = row;
  const parts = [createdAt, authorId, username, text, lang, flags & ~SUPERSEDED, rest, facts];
  return JSON.stringify([...parts, versions.length === 1 ? [] : versions.map(String), answers]);
}

type Parts = [
  createdAt: number,
  authorId: string | null,
  username: string | null,
  text: string,
  lang: string | null,
  flags: number,
  rest: string | null,
  facts: string | null,
  versions: string[],
  answers: string[],
];

/** Reads id, generation, state and collections. */
export function decodeState(rows: RowReader): StoredState {
  const [id, generation, state, collections] = [rows.i64(), rows.u16(), rows.u8(), rows.text()];
  return { id, generation, state, collections: collections === '' ? null : collections };
}

/** Reads id, generation, state, collections and row. */
export function decodeRow(rows: RowReader): StoredVersion {
  const stored = decodeState(rows);
  const { id, state, collections } = stored;
  const [createdAt, authorId, username, text, lang, bits, rest, facts, versions, answers] =
    JSON.parse(rows.text()) as Parts;
  const flags = state === REPLACED ? bits | SUPERSEDED : bits;
  const row = { id, createdAt, authorId, username, text, lang, flags, rest, facts };
  return {
    ...stored,
    row: { ...row, collections },
    versions: versions.length === 0 ? [id] : versions.map(BigInt),
    answers,
  };
}

/** The hash that places an object on a shard. */
export function objectHash(kind: string, key: string): bigint {
  return createHash('sha1').update(`${kind}\0${key}`).digest().readBigUInt64LE();
}
