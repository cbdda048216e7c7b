import { NEW_APP, type AppSettings } from '#contract/accounts/apps.ts';
import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** An app as stored. Its secrets follow from `id`, `generation` and `bearer`; see `secrets.ts`. */
export interface StoredApp {
  readonly id: string;
  readonly name: string;
  /** Apart from the owner. */
  readonly settings: Omit<AppSettings, 'owner'>;
  /** Id of the account that owns it. */
  readonly owner: string | null;
  readonly apiKey: string;
  readonly clientId: string;
  /** Increases when the secrets are replaced. */
  readonly generation: number;
  /** Increases when the app-only token is replaced. */
  readonly bearer: number;
  /** Increases when the credits are set. */
  readonly creditsSet: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The app that tokens of the command line belong to if no other is named. */
export const DEFAULT_APP = '1';

/** Apps of this service. Names are unique, whatever their case. Changes are durable when a method returns. */
export type AppTable = ReturnType<typeof appTable>;

const COLUMNS =
  'id, name, settings, owner, api_key, client_id, generation, bearer, credits_set, created_at';

function appOf(row: readonly Cell[]): StoredApp {
  const [id, name, settings, owner, apiKey, clientId, generation, bearer, ...more] = row;
  const [creditsSet, createdAt] = more;
  const { owner: _, ...defaults } = NEW_APP;
  return {
    id: String(id),
    name: String(name),
    settings: { ...defaults, ...(JSON.parse(String(settings)) as Partial<AppSettings>) },
    owner: textOrNull(owner),
    apiKey: String(apiKey),
    clientId: String(clientId),
    generation: Number(generation),
    bearer: Number(bearer),
    creditsSet: Number(creditsSet),
    createdAt: Number(createdAt),
  };
}

export function appTable(db: Db) {
  const all = db.prepare(`SELECT ${COLUMNS} FROM app ORDER BY created_at, id`);
  const by = (column: string) => db.prepare(`SELECT ${COLUMNS} FROM app WHERE ${column} = ?`);
  const [byId, byName, byKey, byClient] = [by('id'), by('folded'), by('api_key'), by('client_id')];
  const insert = db.prepare(
    `INSERT INTO app (${COLUMNS}, folded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare(
    'UPDATE app SET settings = ?, owner = ?, api_key = ?, generation = ?, bearer = ?, credits_set = ? WHERE id = ?',
  );
  const remove = db.prepare('DELETE FROM app WHERE id = ?');
  const removeTokens = db.prepare('DELETE FROM token WHERE app = ?');
  const removeWebhooks = db.prepare('DELETE FROM webhook WHERE app = ?');
  const found = (row: readonly Cell[] | undefined): StoredApp | undefined => row && appOf(row);
  return {
    /** By age. */
    all: (): StoredApp[] => all.all().map(appOf),
    byId: (id: string): StoredApp | undefined => found(byId.get([id])),
    byName: (name: string): StoredApp | undefined => found(byName.get([name.toLowerCase()])),
    byApiKey: (key: string): StoredApp | undefined => found(byKey.get([key])),
    byClientId: (id: string): StoredApp | undefined => found(byClient.get([id])),
    /** False, without a change, if there is an app of that id or name. */
    add: (app: StoredApp): boolean =>
      db.write('app', () => {
        const { id, name, settings, owner, apiKey, clientId, generation, bearer } = app;
        const { creditsSet, createdAt } = app;
        const values = [id, name, JSON.stringify(settings), owner, apiKey, clientId];
        return (
          insert.run([...values, generation, bearer, creditsSet, createdAt, name.toLowerCase()]) ===
          1
        );
      }),
    /** Replaces all of an app but its id and name. */
    put: ({ id, settings, owner, apiKey, generation, bearer, creditsSet }: StoredApp): void =>
      void db.write('app', () =>
        update.run([JSON.stringify(settings), owner, apiKey, generation, bearer, creditsSet, id]),
      ),
    /** Removes an app, its tokens and its webhooks. */
    remove: (id: string): void =>
      db.write('remove-app', () => {
        removeTokens.run([id]);
        removeWebhooks.run([id]);
        remove.run([id]);
      }),
  };
}
