import { WORK_HEADER, type ControlEvent, type ImportReport } from '#contract/control/control.ts';
import { plainProblem } from '#contract/fault.ts';
import { IMPORT, readCovers, readTableOrder } from '#contract/posts/import.ts';
import { Semaphore } from '#core/semaphore.ts';
import type { ServiceContext } from '#server/context.ts';
import { RunningJobs, streamWork } from '#server/http/job-stream.ts';
import type { Route } from '#server/http/serve.ts';
import { cleanName } from '#server/posts/store/collections.ts';
import { announcedLength, shownName } from '#server/http/sent-file.ts';

/** Replaces the temporary path in an event with the name that the user knows. */
function renamed(event: ControlEvent, path: string, name: string): ControlEvent {
  const named = (text: string): string => text.replaceAll(path, () => name);
  const summary = (done: ImportReport): ImportReport => ({
    ...done,
    reasons: done.reasons.map((row) => ({ ...row, file: named(row.file) })),
  });
  if (event.type === 'reading') return { ...event, file: named(event.file) };
  if (event.type === 'imported') return { ...event, summary: summary(event.summary) };
  if (event.type !== 'fault') return event;
  const { message } = event;
  return {
    ...event,
    message: named(message),
    summary: event.summary && summary(event.summary),
  };
}

/**
 * `POST /import?name=…&table=…` takes a file as its body, with a `content-length`; `collection=…` names its collection. The
 * answer, one `ControlEvent` per line,
 * begins when the whole file has arrived. `POST /import/stop` stops an import, whose own answer then reports what it
 * did. Files are imported one after another.
 */
export function fileImports({ http, uploads, control: { jobs } }: ServiceContext): Route[] {
  const running = new RunningJobs();
  const oneFile = new Semaphore(1);

  return [
    http.serve(IMPORT.file, async ({ c }) => {
      const length = announcedLength(c);
      const name = shownName(c.req.query('name') ?? '');
      const chosen = c.req.query('table');
      const table = chosen === undefined ? null : readTableOrder(chosen);
      if (chosen !== undefined && !table) {
        const how = 'The query parameter table must be JSON that says how to read a table.';
        throw plainProblem(400, 'Bad Request', how);
      }
      const said = c.req.query('covers');
      const covers = said === undefined ? null : readCovers(said);
      if (said !== undefined && !covers) {
        const how =
          'The query parameter covers must be two times of ISO 8601 with a slash between them.';
        throw plainProblem(400, 'Bad Request', how);
      }
      const wanted = c.req.query('collection') ?? '';
      const named = wanted === '' ? undefined : cleanName(wanted);
      const { body, signal } = c.req.raw;
      const upload = await uploads.receive(body, length, signal);
      return streamWork(c, (emit, gone) =>
        running.run(c.req.header(WORK_HEADER), gone, (stopped) =>
          // A stopped file still takes its turn, so that its import can report the stop.
          oneFile.take(async () => {
            try {
              await jobs.import(
                {
                  files: [upload.path],
                  map: {},
                  ...(table && { table }),
                  ...(covers && { covers }),
                  source: name,
                  ...(named !== undefined && { name: named }),
                },
                (event) => emit(renamed(event, upload.path, name)),
                stopped,
              );
            } finally {
              await upload.remove();
            }
          }),
        ),
      );
    }),
    http.serve(IMPORT.stop, ({ c }) => {
      if (running.stop(c.req.header(WORK_HEADER))) return null;
      throw plainProblem(404, 'Not Found', 'No such import is running.');
    }),
  ];
}
