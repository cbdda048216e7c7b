import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import type { Field } from '#core/import/field-names.ts';

/** A Post as an export of a tool has it. */
export interface ExportedPost {
  readonly id: bigint;
  /** Epoch ms. */
  readonly at: number;
  readonly author: string;
  readonly name: string;
  readonly text: string;
}

interface ToolHeader {
  readonly name: string;
  readonly header: readonly string[];
  readonly fields: Readonly<Partial<Record<Field, string>>>;
}

const HEADERS = JSON.parse(
  readFileSync(new URL('../../vectors/import-headers.json', import.meta.url), 'utf8'),
) as readonly ToolHeader[];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const two = (n: number): string => String(n).padStart(2, '0');

/** The way each tool writes a time, in UTC. */
const TIMES: Readonly<Record<string, (at: Date) => string>> = {
  Brandwatch: (at) => `${plain(at)}.0`,
  Meltwater: (at) =>
    `${two(at.getUTCDate())}-${MONTHS[at.getUTCMonth()]}-${at.getUTCFullYear()} ${clock(at, two)}`,
  Talkwalker: plain,
  'Sprout Social': (at) =>
    `${american(at)} ${clock(at, String)
      .replace(/([AP]M)$/, ' $1')
      .toLowerCase()}`,
  'X analytics': (at) =>
    `${DAYS[at.getUTCDay()]}, ${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}`,
  'Twitter analytics': (at) => `${plain(at).slice(0, 16)} +0000`,
  'IRA tweets': (at) => `${american(at)} ${at.getUTCHours()}:${two(at.getUTCMinutes())}`,
  Twint: (at) => `${plain(at)} UTC`,
  TAGS: (at) =>
    `${DAYS[at.getUTCDay()]} ${MONTHS[at.getUTCMonth()]} ${two(at.getUTCDate())} ${plain(at).slice(11)} +0000 ${at.getUTCFullYear()}`,
  snscrape: (at) => `${plain(at)}+00:00`,
};

function plain(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

function american(at: Date): string {
  return `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()}`;
}

/** `9:05AM`. */
function clock(at: Date, hour: (n: number) => string): string {
  const hours = at.getUTCHours();
  return `${hour(hours % 12 || 12)}:${two(at.getUTCMinutes())}${hours < 12 ? 'AM' : 'PM'}`;
}

function valueOf(tool: string, field: Field, post: ExportedPost): string {
  const at = new Date(post.at);
  const values: Partial<Record<Field, string>> = {
    id: String(post.id),
    url: `https://twitter.com/${post.author}/status/${post.id}`,
    created_at: (TIMES[tool] ?? ((time: Date) => time.toISOString()))(at),
    author: post.author,
    author_name: post.name,
    text: post.text,
    lang: 'en',
    likes: '3',
    is_retweet: 'False',
  };
  return values[field] ?? '';
}

/** The tools by the name of their exports. */
export const TOOLS: readonly string[] = HEADERS.map(({ name }) => name);

/** A file of Posts in the columns of a tool, as CSV. */
export function toolFile(tool: string, posts: readonly ExportedPost[]): string {
  const found = HEADERS.find(({ name }) => name === tool);
  if (!found) throw new RangeError(`expected one of ${TOOLS.join(', ')}, got ${tool}`);
  const fieldOf = new Map(
    Object.entries(found.fields).map(([field, column]) => [column, field as Field]),
  );
  const rows = posts.map((post) =>
    found.header.map((column) => {
      const field = fieldOf.get(column);
      return field === undefined ? '' : valueOf(tool, field, post);
    }),
  );
  return `${Papa.unparse([found.header as string[], ...rows])}\n`;
}
