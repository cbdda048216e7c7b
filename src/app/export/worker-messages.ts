import type { BundleInput, OpenedBundle } from './bundle.ts';
import type { ExportJob } from './csv.ts';
import type { JsonJob } from './json.ts';
import type { CsvReading } from './read-csv.ts';

/** What the export worker is asked: one thing, once. */
export type ExportRequest =
  | {
      readonly kind: 'write';
      readonly job: ExportJob | JsonJob;
      /** IANA name. */
      readonly zone: string;
      /** Written as it is made; null for a Blob. */
      readonly to: FileSystemFileHandle | null;
    }
  | { readonly kind: 'read-csv'; readonly file: Blob }
  | { readonly kind: 'write-bundle'; readonly input: BundleInput }
  | { readonly kind: 'read-bundle'; readonly file: Blob };

/** What it gives in the end. */
export interface ExportResults {
  /** Null where it was written to a file. */
  readonly write: Blob | null;
  readonly 'read-csv': CsvReading;
  readonly 'write-bundle': Blob;
  readonly 'read-bundle': OpenedBundle;
}

/** What it says: how far it is, then the result or why there is none. */
export type ExportAnswer =
  | { readonly kind: 'progress'; readonly rows: number; readonly total: number }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };
