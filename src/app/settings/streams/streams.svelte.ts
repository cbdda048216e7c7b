import type { RulesOf, StreamsApi } from '#app/api/streams-api.ts';
import { faultText } from '#app/format/fault-text.ts';
import { Fault } from '#contract/fault.ts';
import type { ConnectionInfo, RuleApp, RulesAnswer, StreamsAnswer } from '#contract/streams.ts';
import type { DeliveriesAnswer } from '#contract/deliveries.ts';

/** How often what is visible is loaded again. */
const REFRESH_MS = 5000;

/** The visible rules of an app for a stream of a source. */
export interface RuleList {
  /** Null until loaded. */
  readonly rules: RulesAnswer['rules'] | null;
  /** Where the next page begins; null if there is none. */
  readonly next: string | null;
  readonly isLoading: boolean;
  /** Why the last page could not be loaded; empty if it was. */
  readonly fault: string;
  /** How many rules there were when the list was loaded. */
  readonly of: number;
}

export interface StreamSettingsDeps {
  readonly api: StreamsApi;
  /** Whether nobody sees the page. */
  readonly isHidden: () => boolean;
  /** Calls `run` every `ms`, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void;
  /** Confirms what was done. */
  say(text: string): void;
}

const keyOf = ({ app, source, stream }: RulesOf): string => `${stream} ${source} ${app}`;

/** The lists of rules that an app has, with how many each may have and has. */
export function listsOf(app: RuleApp): { of: RulesOf; limit: number; count: number }[] {
  return (['filtered_stream', 'powerstream'] as const).flatMap((stream) =>
    (['posts', 'sample'] as const).map((source) => {
      const { limit, rules } = app[stream];
      return { of: { app: app.id, stream, source }, limit, count: rules[source] };
    }),
  );
}

const EMPTY: RuleList = { rules: null, next: null, isLoading: false, fault: '', of: 0 };

/** The rules, connections and webhooks of the service, loaded again while they are visible. */
export class StreamSettings {
  readonly #deps: StreamSettingsDeps;
  /** Null until loaded. */
  overview = $state.raw<StreamsAnswer | null>(null);
  deliveries = $state.raw<DeliveriesAnswer | null>(null);
  /** Why the last load failed; empty if it did not. What was loaded before stays visible. */
  fault = $state('');
  /** Ids of connections that are being ended. */
  ending = $state.raw<ReadonlySet<string>>(new Set());
  #lists = $state.raw<ReadonlyMap<string, RuleList>>(new Map());
  #loading: Promise<void> | null = null;

  constructor(deps: StreamSettingsDeps) {
    this.#deps = deps;
  }

  /** Loads now and every few seconds while the page is visible. @returns Ends that. */
  follow(): () => void {
    void this.load();
    return this.#deps.every(REFRESH_MS, () => {
      if (!this.#deps.isHidden()) void this.load();
    });
  }

  /** Loads everything that is visible. Calls at the same time share one load. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** The rules that are visible; null if they are not. */
  rulesOf(of: RulesOf): RuleList | null {
    return this.#lists.get(keyOf(of)) ?? null;
  }

  /** Shows the rules of an app, or hides them. */
  toggleRules(of: RulesOf): void {
    if (!this.#lists.has(keyOf(of))) {
      this.#set(of, EMPTY);
      void this.moreRules(of);
      return;
    }
    const rest = new Map(this.#lists);
    rest.delete(keyOf(of));
    this.#lists = rest;
  }

  /** Loads the first or the next page of visible rules. */
  async moreRules(of: RulesOf): Promise<void> {
    const list = this.rulesOf(of);
    if (!list || list.isLoading) return;
    await this.#loadRules(of, list, list.rules ?? []);
  }

  /** Ends a connection and reports what happened. */
  async end({ id, app }: ConnectionInfo): Promise<void> {
    if (this.ending.has(id)) return;
    this.ending = new Set([...this.ending, id]);
    const { api, say } = this.#deps;
    try {
      await api.end(id);
      say(`Ended the connection of ${app}.`);
    } catch (error) {
      const hadEnded = error instanceof Fault && error.status === 404;
      say(hadEnded ? `The connection of ${app} had already ended.` : faultText(error));
    }
    // A load that began before does not show it.
    await this.#loading;
    await this.load();
    this.ending = new Set([...this.ending].filter((other) => other !== id));
  }

  async #load(): Promise<void> {
    const { api } = this.#deps;
    try {
      [this.overview, this.deliveries] = await Promise.all([api.overview(), api.deliveries()]);
      this.fault = '';
    } catch (error) {
      this.fault = faultText(error);
      return;
    }
    await Promise.all(
      this.overview.apps.most.flatMap(listsOf).map(async ({ of, count }) => {
        const list = this.rulesOf(of);
        if (!list || list.isLoading || list.of === count) return;
        await this.#loadRules(of, { ...list, next: null }, []);
      }),
    );
  }

  /** Appends a page to rules that were loaded. */
  async #loadRules(of: RulesOf, list: RuleList, before: RulesAnswer['rules']): Promise<void> {
    const app = this.overview?.apps.most.find(({ id }) => id === of.app);
    const now = app?.[of.stream].rules[of.source] ?? 0;
    this.#set(of, { ...list, isLoading: true, fault: '' });
    try {
      const { rules, next } = await this.#deps.api.rules(of, list.next);
      const all = [...before, ...rules];
      this.#change(of, { rules: all, next, isLoading: false, fault: '', of: now });
    } catch (error) {
      this.#change(of, { ...list, isLoading: false, fault: faultText(error) });
    }
  }

  /** Replaces a list that is still visible. */
  #change(of: RulesOf, list: RuleList): void {
    if (this.#lists.has(keyOf(of))) this.#set(of, list);
  }

  #set(of: RulesOf, list: RuleList): void {
    this.#lists = new Map([...this.#lists, [keyOf(of), list]]);
  }
}
