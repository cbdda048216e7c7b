import { call, type Caller } from '#app/api/endpoint-call.ts';
import { refusalText } from '#app/settings/refusal-text.ts';
import { PagedList } from '#app/settings/streams/paged-list.svelte.ts';
import type { AccountInfo } from '#contract/accounts/accounts.ts';
import type { AppInfo } from '#contract/accounts/apps.ts';
import { MANAGE } from '#contract/accounts/manage.ts';
import { FEEDS, type CatalogsAnswer, type FeedRowsAnswer } from '#contract/catalog/feeds.ts';

/** How often what is visible is loaded again, so that the progress of a run shows. */
const REFRESH_MS = 3000;

export type CatalogInfo = CatalogsAnswer['catalogs'][number];
/** A row of a run with errors or warnings; its id is its number. */
export type RunRow = FeedRowsAnswer['rows'][number] & { readonly id: string };

/** The run whose rules and rows are visible. */
export interface VisibleRun {
  /** Ids of the catalog and of the run. */
  readonly catalog: string;
  readonly run: string;
  readonly rows: PagedList<RunRow>;
}

export interface CatalogSettingsDeps {
  readonly client: Caller;
  /** Whether nobody sees the page. */
  readonly isHidden: () => boolean;
  /** Calls `run` every `ms`, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void;
  /** Confirms what was done. */
  say(text: string): void;
}

/** Who may have product catalogs, and their feeds, loaded again while they are visible. */
export class CatalogSettings {
  readonly #deps: CatalogSettingsDeps;
  /** By age; null until loaded. */
  accounts = $state.raw<readonly AccountInfo[] | null>(null);
  apps = $state.raw<readonly AppInfo[] | null>(null);
  catalogs = $state.raw<readonly CatalogInfo[] | null>(null);
  /** Why the last load failed; empty if it did not. What was loaded before stays visible. */
  fault = $state('');
  visible = $state.raw<VisibleRun | null>(null);
  /** Ids of the accounts, apps and catalogs that are being changed. */
  busy = $state.raw<ReadonlySet<string>>(new Set());
  #loading: Promise<void> | null = null;

  constructor(deps: CatalogSettingsDeps) {
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

  /** Says whether an account accepted the merchant terms. */
  async setTerms({ id, username }: AccountInfo, accepted: boolean): Promise<void> {
    await this.#change(`account ${id}`, async () => {
      const profile = { merchant_terms: accepted };
      await call(this.#deps.client, MANAGE.accounts, {
        body: { action: 'set', username, profile },
      });
      return accepted
        ? `@${username} accepted the merchant terms.`
        : `@${username} no longer accepts the merchant terms.`;
    });
  }

  /** Says whether an app has early access. */
  async setEarlyAccess({ id, name }: AppInfo, has: boolean): Promise<void> {
    await this.#change(`app ${id}`, async () => {
      const settings = { early_access: has };
      await call(this.#deps.client, MANAGE.apps, { body: { action: 'set', name, settings } });
      return has ? `${name} has early access.` : `${name} no longer has early access.`;
    });
  }

  /** Reads the feed of a catalog now. */
  async run({ id, name }: CatalogInfo): Promise<void> {
    await this.#change(id, async () => {
      await call(this.#deps.client, FEEDS.run, { params: { id } });
      return `The feed of ${name} is being read.`;
    });
  }

  /** Ends the run of a catalog's feed. */
  async cancel({ id, name }: CatalogInfo): Promise<void> {
    await this.#change(id, async () => {
      const { cancelled } = await call(this.#deps.client, FEEDS.cancel, { params: { id } });
      return cancelled
        ? `Cancelled the run of ${name}. What was read so far stays.`
        : `The run of ${name} had already ended.`;
    });
  }

  /** Shows the rules and rows of a run, or hides them. */
  toggle(catalog: string, run: string): void {
    const { visible } = this;
    if (visible?.catalog === catalog && visible.run === run) {
      this.visible = null;
      return;
    }
    const rows = new PagedList<RunRow>(async (after) => {
      const answer = await call(this.#deps.client, FEEDS.rows, {
        params: { id: catalog, run },
        query: { after: after ?? undefined },
      });
      return {
        entries: answer.rows.map((row) => ({ id: String(row.row), ...row })),
        next: answer.next === null ? null : String(answer.next),
      };
    });
    this.visible = { catalog, run, rows };
    void rows.restart();
  }

  async #load(): Promise<void> {
    const { client } = this.#deps;
    try {
      const [{ accounts }, { apps }, { catalogs }] = await Promise.all([
        call(client, MANAGE.accounts, { body: { action: 'list' } }),
        call(client, MANAGE.apps, { body: { action: 'list' } }),
        call(client, FEEDS.catalogs),
      ]);
      this.accounts = accounts;
      this.apps = apps;
      this.catalogs = catalogs;
      this.fault = '';
    } catch (error) {
      this.fault = refusalText(error);
    }
  }

  /** Makes one change to something at a time, says what it did, and loads what is visible. */
  async #change(key: string, act: () => Promise<string>): Promise<void> {
    if (this.busy.has(key)) return;
    this.busy = new Set([...this.busy, key]);
    try {
      this.#deps.say(await act());
    } catch (error) {
      this.#deps.say(refusalText(error));
    }
    // A load that began before the change may not show it.
    await this.#loading;
    await this.load();
    this.busy = new Set([...this.busy].filter((one) => one !== key));
  }
}
