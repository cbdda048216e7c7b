import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import { call } from '#app/api/endpoint-call.ts';
import { Changes, Loaded, type Changing } from '#app/settings/loaded.svelte.ts';
import type { AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import type { AppInfo, AppOrder, AppsAnswer } from '#contract/accounts/apps.ts';
import { BILL_DAYS, USAGE, type AppBill } from '#contract/accounts/usage.ts';
import { MANAGE, type TokenRequest } from '#contract/accounts/manage.ts';
import { accountValues, readAccount, type AccountField } from './account-entry.ts';
import { appValues, readApp, type AppField } from './app-entry.ts';
import { EntryForm } from '#app/settings/entry-form.svelte.ts';
import { readToken, tokenValues, type TokenField } from './token-entry.ts';

/** The open form. `account` and `app` are null for a new one. */
export type Editing =
  | {
      readonly kind: 'account';
      readonly account: AccountInfo | null;
      readonly form: EntryForm<AccountField, UserOrder>;
    }
  | {
      readonly kind: 'app';
      readonly app: AppInfo | null;
      readonly form: EntryForm<AppField, AppOrder>;
    }
  | { readonly kind: 'token'; readonly form: EntryForm<TokenField, TokenRequest> };

/** Values that are shown once, under the names that programs and the command line give them. */
export interface ShownSecrets {
  readonly title: string;
  readonly values: readonly { readonly name: string; readonly value: string }[];
}

/** The bill of an app as the page shows it. */
export interface OpenBill {
  readonly app: AppInfo;
  /** Days that it lists, today included. */
  readonly days: number;
  readonly bill: Loaded<AppBill>;
}

export interface AccessDeps extends Changing {
  readonly acting: ActingAccount;
  /** The locale's decimal separator. */
  readonly decimal: string;
}

function shownValues(values: Readonly<Record<string, string | undefined>>): ShownSecrets['values'] {
  return Object.entries(values).flatMap(([name, value]) => (value ? { name, value } : []));
}

/** The accounts and apps of the service, and the form that is open over them. */
export class AccessSettings {
  readonly #deps: AccessDeps;
  /** The accounts and the apps, by age. */
  readonly all = new Loaded(
    async () => {
      const { client } = this.#deps;
      const [{ accounts }, { apps }] = await Promise.all([
        call(client, MANAGE.accounts, { body: { action: 'list' } }),
        call(client, MANAGE.apps, { body: { action: 'list' } }),
      ]);
      return { accounts, apps };
    },
    ({ accounts }) => {
      const { id } = this.acting;
      if (id !== null && !accounts.some((account) => account.id === id)) this.acting.gone(id);
    },
  );
  editing = $state.raw<Editing | null>(null);
  /** The bill that is open; null if none is. */
  billed = $state.raw<OpenBill | null>(null);
  /** Only in this page's memory, until the panel that shows them closes. */
  secrets = $state.raw<ShownSecrets | null>(null);
  /** The service's refusal of a confirmed order, in words; empty if there is none. */
  refusal = $state('');
  readonly #confirmed = new Changes((text) => (this.refusal = text));

  readonly dirty: boolean = $derived.by(() => this.editing?.form.dirty ?? false);

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  get acting(): ActingAccount {
    return this.#deps.acting;
  }

  get accounts(): AccountInfo[] {
    return this.all.value?.accounts ?? [];
  }

  get apps(): AppInfo[] {
    return this.all.value?.apps ?? [];
  }

  /** True if an order of a confirmation is on its way. */
  get busy(): boolean {
    return this.#confirmed.busy.size > 0;
  }

  editAccount(account: AccountInfo | null): void {
    const form = new EntryForm<AccountField, UserOrder>({
      initial: () => accountValues(account, this.accounts),
      read: (values) => readAccount(account, values, this.accounts),
      send: async (order) => {
        const { accounts } = await call(this.#deps.client, MANAGE.accounts, { body: order });
        const [changed] = accounts;
        this.#close(`${account ? 'Saved' : 'Added'} @${changed?.username ?? ''}.`);
      },
    });
    this.#open({ kind: 'account', account, form });
  }

  editApp(app: AppInfo | null): void {
    const { decimal } = this.#deps;
    const form = new EntryForm<AppField, AppOrder>({
      initial: () => appValues(app, decimal),
      read: (values) => readApp(app, values, decimal),
      send: async (order) => {
        const answer = await call(this.#deps.client, MANAGE.apps, { body: order });
        this.#close(`${app ? 'Saved' : 'Added'} ${answer.apps[0]?.name ?? ''}.`);
        this.#show(answer);
      },
    });
    this.#open({ kind: 'app', app, form });
  }

  newToken(): void {
    const initial = tokenValues(this.accounts, this.apps);
    const form = new EntryForm<TokenField, TokenRequest>({
      initial: () => initial,
      read: readToken,
      send: async (request) => {
        const { username, ...answer } = await call(this.#deps.client, MANAGE.token, {
          body: request,
        });
        const { api_key, api_key_secret, access_token, access_token_secret } = answer;
        this.editing = null;
        this.secrets = {
          title: `Access token of @${username} for ${request.app}`,
          values: shownValues({ api_key, api_key_secret, access_token, access_token_secret }),
        };
      },
    });
    this.#open({ kind: 'token', form });
  }

  /** Opens the bill of an app, of so many days that end today. */
  openBill(app: AppInfo, days = BILL_DAYS): void {
    const bill = new Loaded(async () => {
      const query = { app: app.id, days: String(days) };
      const { data } = await call(this.#deps.client, USAGE.bills, { query });
      return data[0] as AppBill;
    });
    this.billed = { app, days, bill };
    void bill.load();
  }

  closeBill(): void {
    this.billed = null;
  }

  /** Removes an account; its choice in this browser goes with it. */
  async removeAccount({ id, username }: AccountInfo): Promise<void> {
    await this.#confirm(async () => {
      await call(this.#deps.client, MANAGE.accounts, { body: { action: 'remove', username } });
      const accounts = this.accounts.filter((account) => account.id !== id);
      this.all.value = { accounts, apps: this.apps };
      this.#close(`Removed @${username}.`);
      this.#deps.acting.gone(id);
    });
  }

  async removeApp({ id, name }: AppInfo): Promise<void> {
    await this.#confirm(async () => {
      await call(this.#deps.client, MANAGE.apps, { body: { action: 'remove', name } });
      const apps = this.apps.filter((app) => app.id !== id);
      this.all.value = { accounts: this.accounts, apps };
      this.#close(`Removed ${name}.`);
    });
  }

  /** Replaces the secrets of an app, and shows the new ones. */
  async rotate({ name }: AppInfo): Promise<void> {
    await this.#confirm(async () => {
      const answer = await call(this.#deps.client, MANAGE.apps, {
        body: { action: 'rotate', name },
      });
      this.editing = null;
      this.#show(answer);
      void this.all.reload();
    });
  }

  cancel(): void {
    this.editing = null;
  }

  /** Forgets the secrets that are shown. */
  forget(): void {
    this.secrets = null;
  }

  #open(editing: Editing): void {
    this.refusal = '';
    this.editing = editing;
  }

  #close(done: string): void {
    this.editing = null;
    this.#deps.say(done);
    void this.all.reload();
  }

  #show({ apps: [app], secrets }: AppsAnswer): void {
    if (!app || !secrets) return;
    const { name, api_key, client_id } = app;
    const { api_key_secret, bearer_token, client_secret } = secrets;
    const shown = { api_key, api_key_secret, bearer_token, client_id, client_secret };
    this.secrets = {
      title: `Keys and secrets of ${name}`,
      values: shownValues(shown),
    };
  }

  async #confirm(order: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.refusal = '';
    await this.#confirmed.make('', order);
  }
}
