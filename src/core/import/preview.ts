import type { Row } from '#core/readers/row.ts';
import { readArchiveEntry, type ArchiveOwner } from './archive.ts';
import { readColumns } from './columns.ts';
import { checkDraft, type Draft } from './draft.ts';
import { Includes } from './includes.ts';
import { object } from './json.ts';
import type { TablePlan } from './table.ts';
import { readValue } from './values.ts';
import { statedCount } from './post-extras.ts';

/** A Post as an import reads it. */
export interface PreviewPost {
  readonly line: number;
  /** Null where the import makes one from the content. */
  readonly id: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly author: string | null;
  readonly text: string;
  readonly lang: string | null;
  /** Null where the file does not state it, or JSON states zero. */
  readonly likes: number | null;
  readonly reposts: number | null;
  readonly replies: number | null;
}

/** The Posts of a sample. */
export interface Preview {
  /** In the order of the file. */
  readonly posts: readonly PreviewPost[];
  readonly refused: readonly { readonly line: number; readonly reason: string }[];
}

/** The way the rows of a sample are read: by the columns of a table, as entries of an archive, or as other JSON. */
export type RowReading =
  | { readonly kind: 'table'; readonly plan: TablePlan }
  | { readonly kind: 'archive'; readonly owner: ArchiveOwner | null }
  | { readonly kind: 'json' };

function draftsOf(row: Row, reading: RowReading, includes: Includes): (Draft | string)[] {
  if (row.kind === 'bad') return [row.reason];
  if (row.kind === 'columns') {
    return reading.kind === 'table' && row.line > reading.plan.header
      ? [readColumns(reading.plan, row.fields)]
      : [];
  }
  if (row.place.startsWith('includes.')) return [];
  const value = object(row.value);
  if (!value) return ['is not an object'];
  if (reading.kind === 'archive') return [readArchiveEntry(value, reading.owner)];
  return readValue(value, includes, []);
}

/**
 * Reads the first rows of a file as the import will.
 *
 * @param rows - The rows of the sample, of a table with its header.
 * @param now - Epoch ms; later Posts are refused.
 */
export function previewRows(rows: readonly Row[], reading: RowReading, now: number): Preview {
  const includes = new Includes();
  for (const row of rows) includes.addRow(row);
  const posts: PreviewPost[] = [];
  const refused: { line: number; reason: string }[] = [];
  for (const row of rows) {
    const isAbove = reading.kind === 'table' && row.line <= reading.plan.header;
    if (isAbove) continue;
    for (const draft of draftsOf(row, reading, includes)) {
      const checked = typeof draft === 'string' ? draft : checkDraft(draft, now);
      if (typeof draft === 'string' || typeof checked === 'string') {
        refused.push({ line: row.line, reason: typeof checked === 'string' ? checked : '' });
        continue;
      }
      const { username, lang } = draft.post;
      const count = (name: 'likes' | 'reposts' | 'replies'): number | null =>
        row.kind === 'columns' && reading.kind === 'table'
          ? statedCount(reading.plan, row.fields, name)
          : (draft.post[name] ?? null);
      posts.push({
        line: row.line,
        id: draft.id === null ? null : String(draft.id),
        createdAt: checked.createdAt,
        author: username ?? null,
        text: draft.text,
        lang: lang ?? null,
        likes: count('likes'),
        reposts: count('reposts'),
        replies: count('replies'),
      });
    }
  }
  return { posts, refused };
}
