import type { BundleInput, OpenedBundle } from './bundle.ts';
import type { ExportJob } from '#core/export/csv.ts';
import type { JsonJob } from '#core/export/json.ts';
import type { CountsKind } from '#app/import/file-kind.ts';
import type { PptxJob } from './pptx.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';
import type { CsvReading } from './csv-problem.ts';

/** The media type of a workbook. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The one request that an export worker receives. */
export type ExportRequest =
  | {
      readonly kind: 'write';
      readonly job: ExportJob | JsonJob | XlsxJob | PptxJob;
      /** IANA name. */
      readonly zone: string;
      /** Destination, written while the file is made; null for a Blob. */
      readonly to: FileSystemFileHandle | null;
    }
  | { readonly kind: 'read-counts'; readonly file: Blob; readonly form: CountsKind }
  | { readonly kind: 'write-bundle'; readonly input: BundleInput }
  | { readonly kind: 'read-bundle'; readonly file: Blob };

/** Results by kind of request. */
export interface ExportResults {
  /** Null if the destination was a file. */
  readonly write: Blob | null;
  readonly 'read-counts': CsvReading;
  readonly 'write-bundle': Blob;
  readonly 'read-bundle': OpenedBundle;
}

/** Messages of the worker: progress, then the result or an error. */
export type ExportAnswer =
  | { readonly kind: 'progress'; readonly rows: number; readonly total: number }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };
