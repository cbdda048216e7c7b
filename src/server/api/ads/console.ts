import { CONSOLE, type ConsoleEvent } from '#contract/ads/console.ts';
import { plainProblem } from '#contract/fault.ts';
import { Semaphore } from '#core/semaphore.ts';
import { errorMessage } from '#core/thrown.ts';
import type { ServiceContext } from '#server/context.ts';
import { streamWork } from '#server/http/job-stream.ts';
import type { Route } from '#server/http/serve.ts';
import { receiveFile, shownName } from '#server/http/sent-file.ts';

/** Imports the exports of advertisers' consoles that the pages of this service send, one after another. */
export function consoleImports({ http, service, log, uploads, console }: ServiceContext): Route[] {
  const oneFile = new Semaphore(1);
  // Each has a thread of its own, and does not wait for an import.
  const oneSurvey = new Semaphore(1);
  return [
    http.serve(CONSOLE.survey, async ({ c, query }) => {
      const upload = await receiveFile(c, uploads);
      try {
        const found = await oneSurvey.take(() => console.survey(upload.path), c.req.raw.signal);
        if (!('fault' in found)) return found;
        const message = found.fault.replaceAll(upload.path, () => shownName(query.name));
        throw plainProblem(409, 'Conflict', message);
      } finally {
        await upload.remove();
      }
    }),
    http.serve(CONSOLE.import, async ({ c, query }) => {
      const { user: username, account = null, time_zone: zone = null, dates = null } = query;
      const user = service.findAccount(username);
      if (!user) throw plainProblem(404, 'Not Found', `There is no account @${username}.`);
      const upload = await receiveFile(c, uploads);
      const file = upload.path;
      const order = { file, user: { id: user.id, username }, account, zone, dates, map: {} };
      const work = async (signal: AbortSignal, onRows: (rows: number) => void) => {
        try {
          return await oneFile.take(() => console.import(order, signal, onRows), signal);
        } finally {
          await upload.remove();
        }
      };
      return streamWork<ConsoleEvent>(c, async (emit, gone) => {
        const fail = (text: string): void => {
          const message = text.replaceAll(file, () => shownName(query.name));
          emit({ type: 'fault', message });
        };
        try {
          const done = await work(gone, (rows) => emit({ type: 'reading', rows }));
          if ('fault' in done) fail(done.fault);
          else emit({ type: 'imported', ...done });
        } catch (error) {
          if (!gone.aborted) log(errorMessage(error));
          fail(errorMessage(error));
        }
      });
    }),
  ];
}
