import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';
import type { Upload, Uploads } from '#server/import/uploads.ts';

const NAME_LENGTH = 200;

/** A file's name for messages: its last path segment, without invisible characters. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim();
  return plain.slice(0, NAME_LENGTH) || 'file';
}

/** Bytes that the sender of a file announces. @throws {@link Fault} 411 if it announces none. */
export function announcedLength(c: Context): number {
  const length = c.req.header('content-length') ?? '';
  if (/^\d{1,15}$/.test(length)) return Number(length);
  throw plainProblem(411, 'Length Required', 'Send the file with a content-length header.');
}

/** Receives the file that is the body of a request. @throws {@link Fault} as {@link Uploads.receive}; 411 without a length. */
export async function receiveFile(c: Context, uploads: Uploads): Promise<Upload> {
  const { body, signal } = c.req.raw;
  return await uploads.receive(body, announcedLength(c), signal);
}
