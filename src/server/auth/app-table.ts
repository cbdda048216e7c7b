import { NEW_APP, type AppSettings } from '#contract/accounts/apps.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

const { owner: _, ...DEFAULTS } = NEW_APP;

const APP = columns({
  id: column.text,
  name: column.text,
  /** Apart from the owner. */
  settings: column.of<Omit<AppSettings, 'owner'>>(
    (cell) => ({ ...DEFAULTS, ...(JSON.parse(String(cell)) as Partial<AppSettings>) }),
    JSON.stringify,
  ),
  /** Id of the account that owns it. */
  owner: column.textOrNull,
  apiKey: column.text,
  clientId: column.text,
  /** Increases when the secrets are replaced. */
  generation: column.number,
  /** Increases when the app-only token is replaced. */
  bearer: column.number,
  /** Increases when the credits are set. */
  creditsSet: column.number,
  /** Epoch ms. */
  createdAt: column.number,
});

/** An app as stored. Its secrets follow from `id`, `generation` and `bearer`; see `secrets.ts`. */
export type StoredApp = RowOf<typeof APP>;

/** The app that tokens of the command line belong to if no other is named. */
export const DEFAULT_APP = '1';

/** Apps of this service. Names are unique, whatever their case. Changes are durable when a method returns. */
export function appTable(db: Db) {
  const all = APP.select(db, 'app ORDER BY created_at, id');
  const by = (column: string) => APP.select(db, `app WHERE ${column} = ?`);
  const [byId, byName, byKey, byClient] = [by('id'), by('folded'), by('api_key'), by('client_id')];
  const insert = db.prepare(
    `INSERT INTO app (${APP.names}, folded) VALUES (${APP.places}, ?) ON CONFLICT DO NOTHING`,
  );
  const changed = ['settings', 'owner', 'apiKey', 'generation', 'bearer', 'creditsSet'] as const;
  const update = APP.update(db, 'app', changed, 'id = ?');
  const remove = db.prepare('DELETE FROM app WHERE id = ?');
  const removeTokens = db.prepare('DELETE FROM token WHERE app = ?');
  const removeWebhooks = db.prepare('DELETE FROM webhook WHERE app = ?');
  return {
    /** By age. */
    all: (): StoredApp[] => all.all(),
    byId: (id: string): StoredApp | undefined => byId.get([id]),
    byName: (name: string): StoredApp | undefined => byName.get([name.toLowerCase()]),
    byApiKey: (key: string): StoredApp | undefined => byKey.get([key]),
    byClientId: (id: string): StoredApp | undefined => byClient.get([id]),
    /** False, without a change, if there is an app of that id or name. */
    add: (app: StoredApp): boolean =>
      db.write('app', () => insert.run([...APP.values(app), app.name.toLowerCase()]) === 1),
    /** Replaces all of an app but its id and name. */
    put: (app: StoredApp): void => void db.write('app', () => update(app, [app.id])),
    /** Removes an app, its tokens and its webhooks. */
    remove: (id: string): void =>
      db.write('remove-app', () => {
        removeTokens.run([id]);
        removeWebhooks.run([id]);
        remove.run([id]);
      }),
  };
}
