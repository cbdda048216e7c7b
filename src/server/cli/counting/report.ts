import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type {
  GivenBoard,
  ReportBoard,
  ReportCounts,
  ReportForm,
  ReportProgram,
} from '#contract/counts/report.ts';
import type { Channel } from '#contract/channels/channel.ts';
import { localTime, momentText, weekdayText } from '#core/format/date-text.ts';
import { errorCode } from '#core/thrown.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { openChannels, shownAddress, type Channels } from '#server/channels/channels.ts';
import type { ChannelMessage } from '#server/channels/forms.ts';
import { withClosings, type Defer } from '#server/closings.ts';
import { ClusterError } from '#server/cluster/error.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { openCounter, type Counter, type StoredSource } from '#server/counting/counter.ts';
import { countedSource } from '#server/counting/counted-source.ts';
import { WrongQueryError } from '#server/counting/wrong-query.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { openFetcher } from '#server/fetcher/fetcher.ts';
import { ANYWHERE, PUBLIC_PLAIN } from '#server/fetcher/target.ts';
import { reportNames } from '#server/report/file-names.ts';
import { noticeOf, sendNotice } from '#server/report/notice.ts';
import { ReportFolder } from '#server/report/report-folder.ts';
import { follow } from '#server/report/schedule.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { DataFolder } from '#server/data-folder.ts';
import { folderAnalyst, type FolderAnalyst } from '#server/cli/folder-analyst.ts';
import { mailOf } from '#server/cli/mail-server.ts';
import { readingSource } from '#server/cli/readable-source.ts';
import { CommandError } from '#server/command-error.ts';
import { StoreError } from '#server/db/store-error.ts';

/** A report to write, and when. */
export interface ReportOrder {
  /** A file that the dashboard wrote, or the address of a view. */
  readonly board: string;
  readonly form: ReportForm;
  /** Folder of the reports. */
  readonly out: string;
  /** Cron pattern; null for one report now. */
  readonly every: string | null;
  /** IANA name; null for the board's. */
  readonly zone: string | null;
  /** Places that get a notice of each report. */
  readonly channels: readonly Channel[];
  /** True if they may be on this machine and its network. */
  readonly allowPrivate: boolean;
}

/** Largest file of a board, bytes: the counts of a bundle, packed. */
const MOST_BYTES = 256 * 1024 * 1024;

/** True if a board is an address: a file may have a # in its name too. */
const isLink = (board: string): boolean => /^https?:|#/.test(board) && !existsSync(board);

/** Reads the board that the user named. @throws {@link CommandError} if there is no such file. */
function givenBoard(board: string): GivenBoard {
  return isLink(board) ? { link: board } : givenFile(board);
}

/** Reads a file. @throws {@link CommandError} if there is none, or if it is too large. */
export function givenFile(board: string) {
  try {
    const { size } = statSync(board);
    if (size > MOST_BYTES) {
      throw new CommandError(`${board} is too large for a board: it has ${size} bytes.`);
    }
    return { name: basename(board), bytes: new Uint8Array(readFileSync(board)) };
  } catch (error) {
    if (error instanceof CommandError || errorCode(error) === '') throw error;
    const why = errorCode(error) === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new CommandError(`${board} cannot be read: ${why}.`);
  }
}

/** An error of the program of reports, which has classes of its own, or of a query, as one line for the user. */
function reported(error: unknown): unknown {
  if (error instanceof WrongQueryError) {
    return new CommandError(`“${error.query}” cannot be counted: ${error.message}.`);
  }
  if (!(error instanceof Error)) return error;
  if (error.name === 'BoardError') return new CommandError(error.message);
  // Of the file system, such as a disk that is full.
  return errorCode(error) === ''
    ? error
    : new CommandError(`No report was written: ${error.message}.`);
}

/** Reads the board as it is now. @throws {@link CommandError} if it cannot become a report. */
async function openBoard(
  deps: CommandDeps,
  { board }: ReportOrder,
): Promise<ReportBoard & { readonly source: StoredSource | null }> {
  const program = (await import(/* @vite-ignore */ deps.reporter.href)) as ReportProgram;
  const opened = await program.openBoard(givenBoard(board));
  const { source } = opened;
  if (source !== 'platform') return { ...opened, source };
  throw new CommandError(
    'The board counts the platform, whose counts cost money. Reports count Your posts and the sample; save a bundle of the board to report the counts that it has.',
  );
}

/** Counts and causes of a data folder as a report needs them. @param analyst - Null for a cluster. */
export async function boardCounts(
  counter: Counter,
  analyst: FolderAnalyst | null,
  source: StoredSource | null,
  stop: AbortSignal,
): Promise<ReportCounts> {
  return {
    stop,
    sources:
      source === null ? [] : [await countedSource(counter, source)].filter((info) => info !== null),
    ...(source !== null &&
      analyst && {
        causes: async ({ before: compared, ...about }, stop) => {
          const question = { what: 'causes', ...about, compared, limit: 0 } as const;
          const found = await analyst.ask(source, question, stop);
          if (found) return found.result;
          throw stop.reason;
        },
      }),
    count: async (question, stop) => {
      const counted = await counter.count(question, stop);
      if (counted) return counted;
      throw stop.reason;
    },
  };
}

/** The facts from which a report is made, and the place to which it goes. */
interface Run {
  readonly order: ReportOrder;
  readonly data: DataFolder;
  readonly out: ReportFolder;
  readonly channels: Channels | null;
}

/** The time at which a report was written, epoch ms, its file, and the notice of it. */
interface Written {
  readonly at: number;
  readonly file: string;
  readonly notice: ChannelMessage;
}

/**
 * Writes a report of the board as it is now.
 *
 * @param onName - Called before the file gets its name.
 * @returns Null if it was interrupted.
 */
async function writeReport(
  deps: CommandDeps,
  { order, data, out }: Run,
  onName: (name: string, at: number) => void = () => {},
): Promise<Written | null> {
  const board = await openBoard(deps, order);
  const { source } = board;
  const write = async (cluster: ClusterPosts | null): Promise<Written | null> => {
    const counter = openCounter(data, deps, cluster);
    const analyst = cluster ? null : folderAnalyst(deps, data);
    const now = deps.now();
    // As the machine is set, where the page takes what the browser is set to.
    const { locale, timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
    try {
      const counts = await boardCounts(counter, analyst, source, deps.stopping);
      const written = await board.write({ now, zone, locale }, counts, order.form);
      if (deps.stopping.aborted) return null;
      const names = reportNames(written.title, now, order.zone ?? written.zone, order.form);
      const file = out.write(written.bytes, names, (name) => onName(name, now));
      deps.out(`${file}\n`);
      const name = basename(file);
      return { at: now, file: name, notice: noticeOf(written, name, now) };
    } catch (error) {
      if (deps.stopping.aborted) return null;
      throw error;
    } finally {
      counter.close();
      await analyst?.close();
    }
  };
  return source === null ? await write(null) : await readingSource(deps, data, source, write);
}

/**
 * Sends the notice of a report to its channels.
 *
 * @param retried - The time for which it is sent again to one that fails, ms.
 * @throws {@link CommandError} that names those it did not reach, and why.
 */
async function notify(
  deps: CommandDeps,
  { order, channels }: Run,
  { file, notice }: Written,
  retried?: number,
): Promise<void> {
  if (!channels) return;
  const { now, stopping } = deps;
  const at = { now, timer: deps.outgoing.timer, stopping };
  const missed: string[] = [];
  const send = async (channel: Channel): Promise<void> => {
    try {
      await sendNotice(channel, notice, channels, at, retried);
    } catch (error) {
      if (stopping.aborted) return;
      if (!(error instanceof FetchError)) throw error;
      missed.push(`${channel.kind} ${shownAddress(channel)}: ${error.message}`);
    }
  };
  await Promise.all(order.channels.map(send));
  if (missed.length === 0) return;
  throw new CommandError(`The notice of ${file} did not reach ${missed.join(' ')}`);
}

/** Prints an error that does not end a schedule. */
function printError(deps: CommandDeps, error: unknown): void {
  const expected = reported(error);
  if (!(expected instanceof Error)) throw error;
  const known =
    expected instanceof CommandError ||
    expected instanceof StoreError ||
    expected instanceof ClusterError;
  deps.err(`${known ? expected.message : expected.stack}\n`);
}

/** The channels of the order; null if it names none. @throws {@link CommandError} for one that cannot be used. */
async function channelsFor(
  deps: CommandDeps,
  { channels: named, allowPrivate }: ReportOrder,
  defer: Defer,
): Promise<Channels | null> {
  if (named.length === 0) return null;
  const { publicNames, localNames } = deps.outgoing;
  const fetcher = openFetcher({
    ...deps.platform,
    resolve: allowPrivate ? localNames : publicNames,
    rules: allowPrivate ? ANYWHERE : PUBLIC_PLAIN,
  });
  defer(() => fetcher.close());
  const channels = openChannels({ fetcher, mail: await mailOf(deps, defer) });
  try {
    named.forEach(channels.check);
    return channels;
  } catch (error) {
    throw error instanceof FetchError ? new CommandError(`--to: ${error.message}`) : error;
  }
}

/** Opens the folder of the reports. */
function outFolder({ out }: ReportOrder, deps: CommandDeps): ReportFolder {
  try {
    const folder = new ReportFolder(out, deps.random);
    folder.clean(deps.now());
    return folder;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    throw new CommandError(`Reports cannot be written to ${out}: ${(error as Error).message}.`);
  }
}

/** Follows the schedule until the process is interrupted. */
async function schedule(deps: CommandDeps, run: Run, pattern: string): Promise<void> {
  const { order, out } = run;
  // A board that cannot be read is an error now, not at the first run.
  const opened = await openBoard(deps, order);
  const zone = order.zone ?? opened.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const board = isLink(order.board) ? order.board : resolve(order.board);
  const runs = out.runs(JSON.stringify([board, pattern, zone]));
  const nextText = (at: number): string => {
    const local = localTime(at, zone);
    return `${weekdayText(local)}, ${momentText(local, 'day')} (${zone})`;
  };
  const at = { now: deps.now, timer: deps.outgoing.timer, stopping: deps.stopping };
  // A channel that fails for a day keeps no report waiting.
  const sending = new Set<Promise<void>>();
  await follow({ pattern, zone }, runs.begin(deps.now()), at, {
    onWait: (next) => deps.err(`Next report: ${nextText(next)}\n`),
    run: async () => {
      try {
        const written = await writeReport(deps, run, (name, at) => runs.pending(name, at));
        if (!written) return;
        runs.end(written.at);
        const sent = notify(deps, run, written).catch((error: unknown) => printError(deps, error));
        sending.add(sent);
        void sent.finally(() => sending.delete(sent));
      } catch (error) {
        printError(deps, error);
      }
    },
  });
  await Promise.all(sending);
}

/**
 * `groundswell report`: writes a board as a report, now or at every time of a schedule until the process is interrupted. It
 * only reads the data folder, also while a service runs, except for an index of another version, which it rebuilds first
 * unless a service runs.
 *
 * @returns The exit code: 130 if it was interrupted.
 * @throws {@link CommandError} if the board cannot be read or shown, the folder not written to, or a channel not
 *   reached; {@link StoreError} if a file of the data folder cannot be used.
 */
export async function runReport(
  deps: CommandDeps,
  { data: path, report: order }: { readonly data: string; readonly report: ReportOrder },
): Promise<number> {
  try {
    return await withClosings(async (defer) => {
      const channels = await channelsFor(deps, order, defer);
      const run = { order, data: new DataFolder(path), out: outFolder(order, deps), channels };
      if (order.every !== null) await schedule(deps, run, order.every);
      else {
        const written = await writeReport(deps, run);
        if (written) await notify(deps, run, written, MINUTE_MS);
      }
      return deps.stopping.aborted ? 130 : 0;
    });
  } catch (error) {
    throw reported(error);
  }
}
