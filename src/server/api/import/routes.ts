import type { Context } from 'hono';
import { WORK_HEADER } from '#contract/control.ts';
import type { ControlEvent, ImportTold } from '#contract/control.ts';
import { plainProblem } from '#contract/fault.ts';
import type { Uploads } from '#server/import/uploads.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { dashboardOnly, UNCACHED } from '#server/http/context.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { Turns } from '#server/http/turns.ts';
import { streamWork, RunningJobs } from '#server/http/job-stream.ts';

/** Takes files of Posts that the dashboard sends. */
export interface Intake {
  readonly uploads: Uploads;
  readonly works: Pick<Jobs, 'import'>;
}

const NAME_LENGTH = 200;

/** What the user calls a file, for words alone: its last part, without characters that cannot be seen. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim();
  return plain.slice(0, NAME_LENGTH) || 'file';
}

/** Tells of a file by the name its owner knows, not by where it lies meanwhile. */
function renamed(event: ControlEvent, path: string, name: string): ControlEvent {
  const named = (text: string): string => text.replaceAll(path, () => name);
  const summary = (told: ImportTold): ImportTold => ({
    ...told,
    reasons: told.reasons.map((row) => ({ ...row, file: named(row.file) })),
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
 * `POST /import?name=…`: the file as body, of an announced length; the answer begins when it is there, a
 * `ControlEvent` per line. `POST /import/stop`: ends the reading that bears the name, which then tells what
 * it did. Files are read one after another.
 */
export function importRoutes(deps: RouteDeps, { uploads, works }: Intake) {
  const underway = new RunningJobs();
  const turns = new Turns(1);

  const file = async (c: Context): Promise<Response> => {
    dashboardOnly(c, deps);
    const length = c.req.header('content-length') ?? '';
    if (!/^\d{1,15}$/.test(length)) {
      throw plainProblem(411, 'Length Required', 'Send the file with its content-length.');
    }
    const name = shownName(c.req.query('name') ?? '');
    const { body, signal } = c.req.raw;
    const upload = await uploads.receive(body, Number(length), signal);
    return streamWork(c, (tell, gone) =>
      underway.run(c.req.header(WORK_HEADER), gone, (stopped) =>
        turns.take(async () => {
          try {
            await works.import(
              { files: [upload.path], map: {} },
              (event) => tell(renamed(event, upload.path, name)),
              stopped,
            );
          } finally {
            await upload.remove();
          }
        }),
      ),
    );
  };

  const stop = (c: Context): Response => {
    dashboardOnly(c, deps);
    if (!underway.stop(c.req.header(WORK_HEADER))) {
      throw plainProblem(404, 'Not Found', 'No such import is under way.');
    }
    return c.body(null, 204, { 'cache-control': UNCACHED });
  };

  return { file, stop };
}
