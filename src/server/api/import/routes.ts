import { WORK_HEADER } from '#contract/control.ts';
import type { ControlEvent, ImportTold } from '#contract/control.ts';
import { plainProblem } from '#contract/fault.ts';
import { IMPORT } from '#contract/import.ts';
import { Semaphore } from '#core/semaphore.ts';
import { RunningJobs, streamWork } from '#server/http/job-stream.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Uploads } from '#server/import/uploads.ts';

/** Takes files of Posts that the dashboard sends. */
export interface Intake {
  readonly uploads: Uploads;
  readonly works: Pick<Jobs, 'import'>;
}

const NAME_LENGTH = 200;

/** The name of a file as messages show it: its last part, without invisible characters. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim();
  return plain.slice(0, NAME_LENGTH) || 'file';
}

/** Names a file in an event as the user knows it, not by its temporary path. */
function renamed(event: ControlEvent, path: string, name: string): ControlEvent {
  const named = (text: string): string => text.replaceAll(path, () => name);
  const summary = (done: ImportTold): ImportTold => ({
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

export interface ImportDeps {
  readonly http: Http;
  /** Null where no files are imported. */
  readonly intake: Intake | null;
}

/**
 * `POST /import?name=…` takes the file as body, of an announced length. The answer begins when the whole file
 * has arrived, a `ControlEvent` per line. `POST /import/stop` ends the reading of a file, whose own answer then
 * says what it did. Files are read one after another.
 */
export function importFiles({ http, intake }: ImportDeps): Route[] {
  if (!intake) return [];
  const { uploads, works } = intake;
  const running = new RunningJobs();
  const oneFile = new Semaphore(1);

  return [
    http.serve(IMPORT.file, async ({ c }) => {
      const length = c.req.header('content-length') ?? '';
      if (!/^\d{1,15}$/.test(length)) {
        throw plainProblem(411, 'Length Required', 'Send the file with its content-length.');
      }
      const name = shownName(c.req.query('name') ?? '');
      const { body, signal } = c.req.raw;
      const upload = await uploads.receive(body, Number(length), signal);
      return streamWork(c, (emit, gone) =>
        running.run(c.req.header(WORK_HEADER), gone, (stopped) =>
          // Also a file that was stopped takes its turn: its import then says so.
          oneFile.take(async () => {
            try {
              await works.import(
                { files: [upload.path], map: {} },
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
      throw plainProblem(404, 'Not Found', 'No such import is under way.');
    }),
  ];
}
