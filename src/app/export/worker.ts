import { zoneTable } from '#core/time/zone.ts';
import { csvBlocks, rowCount } from './csv.ts';
import type { ExportAnswer, ExportRequest } from './file.ts';

function answer(message: ExportAnswer): void {
  postMessage(message);
}

addEventListener('message', (event: MessageEvent<ExportRequest>) => {
  const { job, zone } = event.data;
  const total = rowCount(job);
  const span = { start: job.bounds[0] ?? 0, end: job.bounds.at(-1) ?? 0 };
  const parts: Blob[] = [];
  for (const { bytes, rows } of csvBlocks(job, zoneTable(zone, span))) {
    // A Blob belongs to the browser, which keeps large ones on disk: the file never fills this memory.
    parts.push(new Blob([bytes]));
    answer({ kind: 'progress', rows, total });
  }
  answer({ kind: 'done', file: new Blob(parts, { type: 'text/csv;charset=utf-8' }) });
});
