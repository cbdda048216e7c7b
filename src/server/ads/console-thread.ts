import { MOST_CAMPAIGNS } from '#contract/ads/advertisers.ts';
import { MOST_REFUSED, type ConsoleResult, type ConsoleSurvey } from '#contract/ads/console.ts';
import { FeedError } from '#core/readers/error.ts';
import { inThread } from '#server/threads.ts';
import { ConsoleAccountError, importForUser, type ConsoleOrder } from './console-account.ts';
import { readSurvey } from './console-import.ts';
import { campaignCounts } from './put-rows.ts';
import { openAds } from './store.ts';
import type { TaskHost, ThreadDeps } from '#server/thread-task.ts';

/** The reason a file cannot be imported. */
interface ConsoleFault {
  readonly fault: string;
}

/** Makes a {@link ConsoleFault} of a mistake of the user, because errors do not keep their class between threads. */
async function explained<T>(work: () => Promise<T>): Promise<T | ConsoleFault> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FeedError || error instanceof ConsoleAccountError)) throw error;
    return { fault: error.message };
  }
}

/** Reads advertiser consoles' exports in a thread, because a row takes up to half a millisecond. */
type ConsoleWork = ReturnType<typeof CONSOLE_READER.open>;

export const CONSOLE_READER = {
  name: 'console',
  // A batch of rows, and what SQLite needs outside of this.
  limits: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32 },
  ended: 'The thread that imports the file ended unexpectedly.',
  open: (ads: string, { now }: Pick<ThreadDeps, 'now'>) => ({
    survey: (file: string): Promise<ConsoleSurvey | ConsoleFault> =>
      explained(() => readSurvey(file)),
    /**
     * Imports a file.
     *
     * @param signal - Ends the import after a batch of rows.
     * @param onRows - Called with the number of rows so far.
     */
    import: (
      order: ConsoleOrder,
      signal: AbortSignal,
      onRows: (rows: number) => void,
    ): Promise<ConsoleResult | ConsoleFault> =>
      explained(async () => {
        const store = openAds(ads);
        const reasons: ConsoleResult['reasons'] = [];
        const onRefused = (_file: string, line: number, reason: string): void => {
          if (reasons.length < MOST_REFUSED) reasons.push({ line, reason });
        };
        try {
          const hooks = { signal, onRows, onRefused };
          const {
            ignored: _,
            statuses,
            campaigns,
            ...report
          } = await importForUser(store, order, now(), hooks);
          const ids = [...campaigns.keys()].slice(0, MOST_CAMPAIGNS);
          return {
            ...report,
            reasons,
            statuses: [...statuses],
            campaigns: { total: campaigns.size, ...campaignCounts(campaigns), ids },
          };
        } finally {
          store.close();
        }
      }),
  }),
};

/** Work in threads, one for each file. @param ads - File of the advertisers. */
export function consoleInThreads(host: TaskHost, ads: string): ConsoleWork {
  return {
    survey: (file) => inThread(host, CONSOLE_READER, ads, (thread) => thread.survey(file)),
    import: (...work) => inThread(host, CONSOLE_READER, ads, (thread) => thread.import(...work)),
  };
}
