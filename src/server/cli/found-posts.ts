import Papa from 'papaparse';
import { grouped } from '#core/format/number-text.ts';
import { objects, object, string, type Json } from '#core/import/json.ts';
import { isoLocal, type ZoneTable } from '#core/time/zone.ts';
import type { OutputForm } from '#server/cli/counting/series-options.ts';

/** A page of found Posts, as search of the platform answers. */
export interface FoundPage {
  readonly data: readonly Json[];
  /** The users that the page includes. */
  readonly users: readonly Json[];
}

/** Letters of a Post that a line of a table shows. */
const MOST_LETTERS = 100;

const COLUMNS = ['id', 'created_at', 'author', 'lang', 'likes', 'reposts', 'replies', 'text'];

/** A spreadsheet would run text with these beginnings as a formula. */
const FORMULAE = /^[=+\-@'\t\r]/;

const authorOf = (post: Json, { users }: FoundPage): Json | undefined =>
  users.find(({ id }) => id === post.author_id);

/** The username of a Post's author, else the id. */
function authorName(post: Json, page: FoundPage): string {
  return string(authorOf(post, page)?.username) ?? string(post.author_id) ?? '';
}

/** A line of the platform's streams: the Post, and its author where the page has it. */
function jsonLine(post: Json, page: FoundPage): string {
  const author = authorOf(post, page);
  return `${JSON.stringify({ data: post, ...(author && { includes: { users: [author] } }) })}\n`;
}

function csvRow(post: Json, page: FoundPage): unknown[] {
  const metrics = object(post.public_metrics);
  const author = authorName(post, page);
  return [
    post.id,
    post.created_at,
    author,
    post.lang,
    metrics?.like_count,
    metrics?.retweet_count,
    metrics?.reply_count,
    post.text,
  ];
}

function tableLine(post: Json, page: FoundPage, table: ZoneTable): string {
  const at = Date.parse(string(post.created_at) ?? '');
  const time = Number.isNaN(at) ? '' : isoLocal(table, at).slice(0, 16).replace('T', ' ');
  const letters = [...(string(post.text) ?? '').replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()];
  const text =
    letters.length > MOST_LETTERS
      ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…`
      : letters.join('');
  return `${time.padEnd(16)}  @${authorName(post, page)}  ${text}\n`;
}

/** Prints pages of Posts one by one. */
export class PostPrinter {
  readonly #out: (text: string) => void;
  readonly #form: OutputForm;
  readonly #table: ZoneTable;
  #printed = 0;

  /** @param table - Offsets of the zone in which a table shows times. */
  constructor(out: (text: string) => void, form: OutputForm, table: ZoneTable) {
    this.#out = out;
    this.#form = form;
    this.#table = table;
    if (form === 'csv') out(`${COLUMNS.join(',')}\n`);
  }

  /** Number of Posts so far. */
  get printed(): number {
    return this.#printed;
  }

  page(page: FoundPage): void {
    const { data } = page;
    this.#printed += data.length;
    if (this.#form === 'json') this.#out(data.map((post) => jsonLine(post, page)).join(''));
    else if (this.#form === 'table') {
      this.#out(data.map((post) => tableLine(post, page, this.#table)).join(''));
    } else if (data.length > 0) {
      const rows = data.map((post) => csvRow(post, page));
      this.#out(`${Papa.unparse(rows, { escapeFormulae: FORMULAE, newline: '\n' })}\n`);
    }
  }

  /** Ends a table with the number of Posts. */
  end(): void {
    if (this.#form === 'table') this.#out(`${grouped(this.#printed)} Posts\n`);
  }
}

/** Reads the parts of an answer that are printed. */
export function foundPage(answer: {
  readonly data?: unknown;
  readonly includes?: unknown;
}): FoundPage {
  return { data: objects(answer.data), users: objects(object(answer.includes)?.users) };
}
