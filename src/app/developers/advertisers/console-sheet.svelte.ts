import * as v from 'valibot';
import { brokenAnswer, unreachable } from '#app/api/answer-fault.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import { faultText } from '#app/format/fault-text.ts';
import type { AdvertisersAnswer } from '#contract/ads/advertisers.ts';
import {
  CONSOLE,
  ConsoleEvent,
  type ConsoleResult,
  type ConsoleSurvey,
} from '#contract/ads/console.ts';
import type { DateOrder } from '#core/import/stamp.ts';
import { consoleFaultText, type ConsoleProgress } from './console-text.ts';

interface ConsoleSheetDeps {
  readonly file: File;
  readonly files: FileSender;
  readonly advertisers: AdvertisersAnswer;
  /** IANA name, for a new ad account. */
  readonly zone: string;
  /** Called after an import that stored rows. */
  readonly onimported: (account: string, result: ConsoleResult) => void;
}

/** Reads a line of the answer to an import. @throws {@link Fault} for another line. */
function eventOf(line: string): ConsoleEvent {
  try {
    return v.parse(ConsoleEvent, JSON.parse(line));
  } catch {
    throw brokenAnswer(CONSOLE.import.path, 'expected an event of an import');
  }
}

/** The export of an advertiser console before, during and after its import. */
export class ConsoleSheet {
  readonly #deps: ConsoleSheetDeps;
  readonly #stop = new AbortController();
  readonly name: string;
  readonly usernames: readonly string[];
  /** Null until the file was read, and if it cannot be. */
  survey = $state.raw<ConsoleSurvey | null>(null);
  /** Null unless the file is sent or imported. */
  progress = $state.raw<ConsoleProgress | null>(null);
  result = $state.raw<ConsoleResult | null>(null);
  /** The reason the file cannot be imported, in words; empty if there is none. */
  fault = $state('');
  username = $state('');
  /** Id of the ad account; empty for a new one. */
  account = $state('');
  /** IANA name, for a new ad account. */
  zone = $state('');
  /** Null for the order that the file shows. */
  dates = $state<DateOrder | null>(null);
  /** The ad accounts of the user, the one of imports first. */
  readonly accounts: AdvertisersAnswer['accounts'] = $derived.by(() =>
    this.#deps.advertisers.accounts
      .filter(({ username }) => username === this.username)
      .toSorted((a, b) => Number(b.imported) - Number(a.imported)),
  );
  /** True if an import may create an ad account for the user: one in all. */
  readonly mayCreate: boolean = $derived(!this.accounts.some(({ imported }) => imported));
  readonly needsDates: boolean = $derived.by(
    () => this.survey !== null && this.survey.undecided !== null && this.dates === null,
  );
  readonly isReady: boolean = $derived(
    this.survey !== null && this.survey.rows > 0 && !this.needsDates && this.progress === null,
  );

  constructor(deps: ConsoleSheetDeps) {
    this.#deps = deps;
    this.name = deps.file.name;
    this.usernames = deps.advertisers.usernames;
    this.zone = deps.zone;
    this.chooseUser(
      deps.advertisers.accounts.find(({ imported }) => imported)?.username ??
        this.usernames[0] ??
        '',
    );
  }

  chooseUser(username: string): void {
    this.username = username;
    this.account = this.mayCreate ? '' : (this.accounts[0]?.id ?? '');
  }

  /** Reads the columns of the file. */
  async read(): Promise<void> {
    const { path, answer } = CONSOLE.survey;
    await this.#send((options) =>
      this.#deps.files
        .json(`${path}?${this.#query({})}`, this.#deps.file, answer, options)
        .then((survey) => (this.survey = survey)),
    );
  }

  /** Imports the file. Whatever is imported stays. */
  async import(): Promise<void> {
    const { survey } = this;
    if (!survey || !this.isReady) return;
    const isNew = this.account === '';
    const query = this.#query({
      user: this.username,
      ...(isNew ? { time_zone: this.zone } : { account: this.account }),
      ...(this.dates !== null && { dates: this.dates }),
    });
    await this.#send(async (options) => {
      const last = await this.#deps.files.lines(
        `${CONSOLE.import.path}?${query}`,
        this.#deps.file,
        {
          ...options,
          onAllSent: () => (this.progress = { unit: 'rows', done: 0, total: survey.rows }),
          read: eventOf,
          onEvent: (event) => {
            if (event.type !== 'reading') return;
            this.progress = { unit: 'rows', done: event.rows, total: survey.rows };
          },
        },
      );
      if (last?.type === 'fault') this.fault = consoleFaultText(last.message, this.name);
      else if (last?.type === 'imported') this.result = last;
      else throw unreachable(new Error('The answer ended before the import did.'));
      const { result } = this;
      if (result && result.account !== null) this.#deps.onimported(result.account, result);
    });
  }

  /** Ends what is being sent or imported. */
  close(): void {
    this.#stop.abort();
  }

  #query(order: Readonly<Record<string, string>>): string {
    return String(new URLSearchParams({ name: this.name, ...order }));
  }

  async #send(
    work: (options: {
      readonly signal: AbortSignal;
      onSent(bytes: number): void;
      onAllSent(): void;
    }) => Promise<unknown>,
  ): Promise<void> {
    const { signal } = this.#stop;
    const total = this.#deps.file.size;
    const show = (done: number): void => {
      this.progress = { unit: 'bytes', done, total };
    };
    this.fault = '';
    show(0);
    try {
      await work({ signal, onSent: show, onAllSent: () => show(total) });
    } catch (error) {
      if (!signal.aborted) this.fault = consoleFaultText(faultText(error), this.name);
    } finally {
      this.progress = null;
    }
  }
}
