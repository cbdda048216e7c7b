import type * as v from 'valibot';
import { call, pathWith } from '#app/api/endpoint-call.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import { download } from '#app/export/download.ts';
import { EntryForm } from '#app/settings/entry-form.svelte.ts';
import { Changes, Loaded, type Changing, type Following } from '#app/settings/loaded.svelte.ts';
import { PagedList } from '#app/developers/lists/paged-list.svelte.ts';
import type { AccountInfo } from '#contract/accounts/accounts.ts';
import type { AppInfo } from '#contract/accounts/apps.ts';
import { MANAGE } from '#contract/accounts/manage.ts';
import { FEEDS, type FeedTerms, type ProductPage } from '#contract/catalog/feeds.ts';
import {
  feedValues,
  formatByName,
  readCatalog,
  readFeed,
  type CatalogField,
  type CatalogOrder,
  type FeedField,
  type FileFormat,
} from './catalog-entry.ts';
import type {
  CatalogsAnswer,
  FeedRunInfo,
  FeedRowsAnswer,
} from '#contract/catalog/feed-answers.ts';

/** The interval at which what is visible is loaded again, so that the progress of a run shows. */
const REFRESH_MS = 3000;

export type CatalogInfo = CatalogsAnswer['catalogs'][number];
/** A product; the id of the entry is its key. */
export type CatalogProduct = Omit<ProductPage['products'][number], 'id'> & {
  readonly id: string;
  /** The merchant's id. */
  readonly name: string;
};
const productOf = ({ id, ...rest }: ProductPage['products'][number]): CatalogProduct => ({
  ...rest,
  id: rest.key,
  name: id,
});
export type CatalogSets = v.InferOutput<typeof FEEDS.sets.answer>['sets'];

/** A row of a run with errors or warnings; its id is its number. */
export type FeedRunRow = FeedRowsAnswer['rows'][number] & { readonly id: string };

/** The open form. */
export type CatalogEditing =
  | {
      readonly kind: 'catalog';
      /** The accounts that may have it; at least one. */
      readonly usernames: readonly string[];
      readonly form: EntryForm<CatalogField, CatalogOrder>;
    }
  | {
      readonly kind: 'feed';
      readonly info: CatalogInfo;
      readonly form: EntryForm<FeedField, FeedTerms>;
    }
  | {
      /** A file to read once. */
      readonly kind: 'file';
      readonly info: CatalogInfo;
      readonly file: File;
      readonly form: EntryForm<'format', FileFormat>;
      readonly stop: AbortController;
    };

/** The catalog whose products are visible. */
export interface VisibleProducts {
  readonly catalog: string;
  readonly rows: PagedList<CatalogProduct>;
  readonly sets: Loaded<CatalogSets>;
}

/** The set whose products are visible. */
export interface VisibleSet {
  readonly id: string;
  readonly rows: PagedList<CatalogProduct>;
}

/** The run whose rules and rows are visible. */
export interface VisibleRun {
  /** Ids of the catalog and of the run. */
  readonly catalog: string;
  readonly run: string;
  /** The rule that the rows break; null for all rows. */
  readonly rule: FeedRunInfo['rules'][number] | null;
  readonly rows: PagedList<FeedRunRow>;
}

/** The accounts that may have product catalogs, and their feeds, loaded again while they are visible. */
export class CatalogSettings {
  readonly #deps: Changing & Following & { readonly files: FileSender };
  /** The accounts and apps, by age, and the catalogs. */
  readonly all = new Loaded(async () => {
    const { client } = this.#deps;
    const [{ accounts }, { apps }, { catalogs }] = await Promise.all([
      call(client, MANAGE.accounts, { body: { action: 'list' } }),
      call(client, MANAGE.apps, { body: { action: 'list' } }),
      call(client, FEEDS.catalogs),
    ]);
    return { accounts, apps, catalogs };
  });
  visible = $state.raw<VisibleRun | null>(null);
  products = $state.raw<VisibleProducts | null>(null);
  set = $state.raw<VisibleSet | null>(null);
  /** The number of products of the visible set. */
  setTotal = $state(0);
  /** Bytes of a file that are sent; null while none is. */
  sent = $state<number | null>(null);
  /** The text that visible products have in their id or title. */
  search = $state('');
  /** The number of products of the catalog whose products are visible. */
  total = $state(0);
  editing = $state.raw<CatalogEditing | null>(null);
  readonly dirty: boolean = $derived.by(() => this.editing?.form.dirty ?? false);
  /** The accounts that may have a catalog and have none. */
  readonly usernames: readonly string[] = $derived.by(() => {
    const { accounts = [], catalogs = [] } = this.all.value ?? {};
    const having = new Set(catalogs.map(({ username }) => username));
    return accounts.flatMap(({ username, merchant_terms }) =>
      merchant_terms && !having.has(username) ? [username] : [],
    );
  });
  /** Of accounts, apps and catalogs. */
  readonly changes: Changes;

  constructor(deps: Changing & Following & { readonly files: FileSender }) {
    this.#deps = deps;
    this.changes = new Changes((text) => deps.say(text));
  }

  /** Loads now and every few seconds while the page is visible. @returns Ends that. */
  follow(): () => void {
    return this.all.follow(REFRESH_MS, this.#deps);
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

  /** Opens the form for a new catalog of one of {@link CatalogSettings.usernames}. */
  addCatalog(): void {
    const { usernames } = this;
    const form = new EntryForm<CatalogField, CatalogOrder>({
      initial: () => ({ name: '', username: usernames[0] ?? '' }),
      read: readCatalog,
      send: async (order) => {
        await call(this.#deps.client, FEEDS.add, { body: order });
        this.#deps.say(`Created ${order.name}.`);
        void this.all.reload();
      },
    });
    this.editing = { kind: 'catalog', usernames, form };
  }

  /** Opens the form for the feed of a catalog. @param zone - IANA name, for a new feed. */
  editFeed(info: CatalogInfo, zone: string): void {
    const form = new EntryForm<FeedField, FeedTerms>({
      initial: () => feedValues(info.feed, zone),
      read: readFeed,
      send: async (body) => {
        await call(this.#deps.client, FEEDS.putFeed, { params: { id: info.id }, body });
        this.#deps.say(`${info.feed ? 'Saved' : 'Added'} the feed of ${info.name}.`);
        void this.all.reload();
      },
    });
    this.editing = { kind: 'feed', info, form };
  }

  /** Opens the form for a file that is read once. */
  addFile(info: CatalogInfo, [file, another]: readonly File[]): void {
    if (another) return this.#deps.say('Upload one file at a time.');
    if (!file) return;
    const stop = new AbortController();
    const onSent = (bytes: number | null): void => void (this.sent = bytes);
    const form = new EntryForm<'format', FileFormat>({
      initial: () => ({ format: formatByName(file.name) }),
      read: ({ format }) => ({ order: format as FileFormat, wrong: {} }),
      send: async (format) => {
        const { path, answer } = FEEDS.file;
        const { signal } = stop;
        const to = `${pathWith({ path }, { id: info.id })}?format=${format}`;
        const listeners = { onSent, onAllSent: () => onSent(file.size), signal };
        try {
          await this.#deps.files.json(to, file, answer, listeners);
        } finally {
          onSent(null);
        }
        this.#deps.say(`${file.name} is being read into ${info.name}.`);
        void this.all.reload();
      },
    });
    this.editing = { kind: 'file', info, file, form, stop };
  }

  cancelEditing(): void {
    if (this.editing?.kind === 'file') this.editing.stop.abort();
    this.editing = null;
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
    this.#show(catalog, run, null);
  }

  #show(catalog: string, run: string, rule: VisibleRun['rule']): void {
    const rows = new PagedList<FeedRunRow>(async (after) => {
      const answer = await call(this.#deps.client, FEEDS.rows, {
        params: { id: catalog, run },
        query: { after, kind: rule?.kind, rule: rule?.rule },
      });
      return {
        entries: answer.rows.map((row) => ({ id: String(row.row), ...row })),
        next: answer.next,
      };
    });
    this.visible = { catalog, run, rule, rows };
    void rows.restart();
  }

  /** Only the rows of a run that break a rule; all of them if it is visible already. */
  showRule(rule: FeedRunInfo['rules'][number]): void {
    const { visible } = this;
    if (!visible) return;
    const isShown = visible.rule?.kind === rule.kind && visible.rule.rule === rule.rule;
    this.#show(visible.catalog, visible.run, isShown ? null : rule);
  }

  /** Downloads the report of a run as CSV. */
  async saveReport(catalog: string, run: string): Promise<void> {
    await this.changes.make(catalog, async () => {
      const { csv } = await call(this.#deps.client, FEEDS.csv, { params: { id: catalog, run } });
      download(new Blob([csv], { type: 'text/csv' }), `feed-run-${run}.csv`);
    });
  }

  /** Shows the products of a catalog, or hides them. */
  toggleProducts(catalog: string): void {
    if (this.products?.catalog === catalog) {
      this.products = null;
      return;
    }
    this.search = '';
    const { client } = this.#deps;
    const params = { id: catalog };
    const rows = new PagedList<CatalogProduct>(async (after) => {
      const query = { search: this.search || undefined, after };
      const answer = await call(client, FEEDS.products, { params, query });
      this.total = answer.total;
      return { entries: answer.products.map(productOf), next: answer.next };
    });
    const sets = new Loaded(async () => (await call(client, FEEDS.sets, { params })).sets);
    this.set = null;
    this.products = { catalog, rows, sets };
    void rows.restart();
    void sets.reload();
  }

  /** Shows the products of a set of the visible catalog, or hides them. */
  toggleSet(id: string): void {
    if (this.set?.id === id || !this.products) {
      this.set = null;
      return;
    }
    const params = { id: this.products.catalog, set: id };
    const rows = new PagedList<CatalogProduct>(async (after) => {
      const input = { params, query: { after } };
      const answer = await call(this.#deps.client, FEEDS.setProducts, input);
      this.setTotal = answer.total;
      const entries = answer.products.map((each) => productOf({ ...each, changes: [] }));
      return { entries, next: answer.next };
    });
    this.set = { id, rows };
    void rows.restart();
  }

  /** Makes a change, says what it did, and loads what is visible. */
  async #change(id: string, act: () => Promise<string>): Promise<void> {
    const change = async (): Promise<void> => this.#deps.say(await act());
    await this.changes.make(id, change, () => this.all.reload());
  }
}
