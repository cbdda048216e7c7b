import { shown } from '#core/readers/error.ts';
import { DAY_MS } from '#core/time/span.ts';
import { FIRST_SNOWFLAKE_AT, instantOf, readId } from './id.ts';

/** The address of a Post, with the name of its author; `i` and `i/web` stand for any author. */
const STATUS =
  /^(?:https?:\/\/)?(?:www\.|mobile\.|m\.)?(?:twitter|x)\.com\/(?:#!\/)?(?:i\/web|(\w{1,20}))\/status(?:es)?\/(\d{1,19})(?!\d)/i;

/** A Post as its address names it. */
export interface LinkedPost {
  readonly id: bigint;
  /** Null where the address does not name the author. */
  readonly username: string | null;
}

/** Reads the address of a Post on the platform, on any of its hosts; null for anything else. */
export function readPostUrl(text: string): LinkedPost | null {
  const found = STATUS.exec(text.trim());
  const id = readId(found?.[2] ?? '');
  if (id === null) return null;
  const name = found?.[1] ?? '';
  return { id, username: name === '' || name.toLowerCase() === 'i' ? null : name };
}

/** True for a username, which a display name is not. */
export function isUsername(name: string): boolean {
  return /^\w{1,20}$/.test(name);
}

/** Exports show days in zones of their own, so that a time may be so far from that in its id. */
const NEAR_MS = 2 * DAY_MS;

/**
 * The address of a Post on the platform.
 *
 * @param createdAt - Epoch ms.
 * @returns Null for an id that the platform cannot have given to a Post of that time, as ids of other networks and those
 *   that imports make.
 */
export function postUrl(id: bigint, createdAt: number, username: string | null): string | null {
  const at = instantOf(id);
  const isOfPlatform =
    at === null ? createdAt < FIRST_SNOWFLAKE_AT : Math.abs(at - createdAt) <= NEAR_MS;
  const name = username !== null && isUsername(username) ? username : 'i/web';
  return isOfPlatform ? `https://x.com/${name}/status/${id}` : null;
}

/** `1.23457E+18`: what a spreadsheet makes of an id that it takes for a number. */
const ROUNDED = /^\d[.,]?\d*e\+?\d+$/i;
/** Ids of the Gnip format, which several vendors still export. */
const TAG = /^tag:search\.twitter\.com,2005:(\d+)$/;

/**
 * Reads the id of a Post as exports write it: digits, also after an apostrophe or as `="…"`, which keep spreadsheets from
 * rounding it, as a Gnip tag, or as the address of the Post.
 *
 * @returns The id, or a sentence without its subject that says what is wrong.
 */
export function readExportedId(text: string): bigint | string {
  const plain = readId(text);
  if (plain !== null) return plain;
  const trimmed = text.trim();
  const bare = /^(?:'|=")?(.*?)"?$/.exec(trimmed)?.[1] ?? trimmed;
  const read = readId(TAG.exec(bare)?.[1] ?? bare) ?? readPostUrl(bare)?.id ?? null;
  if (read !== null) return read;
  return ROUNDED.test(bare)
    ? `the id "${shown(trimmed)}" was rounded by a spreadsheet; export the file again with ids as text`
    : `the id "${shown(trimmed)}" is not a number between 1 and 2^63 − 1`;
}
