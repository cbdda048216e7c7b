import { createHash } from 'node:crypto';
import { SUPERSEDED } from '#server/posts/post-table.ts';
import type { PostRow } from '#server/posts/post-table.ts';
import type { RowReader } from './row-binary.ts';

/** What became of a Post; stored. */
export const GONE = 0;
export const COUNTS = 1;
/** It was edited: another Post counts instead. */
export const REPLACED = 2;

/** The newest version of a Post in the cluster. */
export interface StoredVersion {
  readonly id: bigint;
  /** How often the id was deleted before. */
  readonly generation: number;
  readonly state: number;
  /** As of `PostRow`; also that of a Post that is gone. */
  readonly row: PostRow;
  /** Ids of all versions of the Post, oldest first. */
  readonly versions: readonly bigint[];
}

/** The parts of a row that never change, as JSON. */
export function encodeRow(row: PostRow, versions: readonly bigint[]): string {
  const { createdAt, authorId, username, text, lang, flags, rest, facts } = row;
  const parts = [createdAt, authorId, username, text, lang, flags & ~SUPERSEDED, rest, facts];
  return JSON.stringify([...parts, versions.length === 1 ? [] : versions.map(String)]);
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
];

/** Reads id, generation, state, collections and row. */
export function decodeRow(rows: RowReader): StoredVersion {
  const id = rows.i64();
  const generation = rows.u16();
  const state = rows.u8();
  const collections = rows.text();
  const [createdAt, authorId, username, text, lang, bits, rest, facts, versions] = JSON.parse(
    rows.text(),
  ) as Parts;
  const flags = state === REPLACED ? bits | SUPERSEDED : bits;
  const row = { id, createdAt, authorId, username, text, lang, flags, rest, facts };
  return {
    id,
    generation,
    state,
    row: { ...row, collections: collections === '' ? null : collections },
    versions: versions.length === 0 ? [id] : versions.map(BigInt),
  };
}

/** What places an object on a shard. */
export function objectHash(kind: string, key: string): bigint {
  return createHash('sha1').update(`${kind}\0${key}`).digest().readBigUInt64LE();
}
