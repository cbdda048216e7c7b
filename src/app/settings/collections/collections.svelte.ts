import { call } from '#app/api/endpoint-call.ts';
import { faultText } from '#app/format/fault-text.ts';
import { Changes, Loaded, type Changing } from '#app/settings/loaded.svelte.ts';
import {
  COLLECTIONS,
  type CollectionInfo,
  type RemovedCollection,
} from '#contract/posts/collections.ts';

interface CollectionSettingsDeps extends Changing {
  /** Called when other Posts count than before. */
  readonly onchanged: () => void;
}

/** The collections as the settings list and change them. */
export class CollectionSettings {
  readonly #deps: CollectionSettingsDeps;
  /** Those that count or can, and those that were removed and can be restored. */
  readonly all = new Loaded(() => call(this.#deps.client, COLLECTIONS.list));
  /** The one that is being renamed, and its new name. */
  renamed = $state<{ readonly id: string; name: string } | null>(null);
  /** The reason the new name is not possible. */
  nameFault = $state<string | null>(null);
  readonly changes = new Changes((text) => (this.all.fault = text));

  constructor(deps: CollectionSettingsDeps) {
    this.#deps = deps;
  }

  /** Changes one collection, then loads all. @returns Whether that succeeded. */
  async #change(id: string, work: () => Promise<unknown>): Promise<boolean> {
    return await this.changes.make(id, async () => {
      await work();
      this.#deps.onchanged();
      await this.all.reload();
    });
  }

  async include({ id }: CollectionInfo, included: boolean): Promise<void> {
    const input = { params: { id }, body: { included } };
    await this.#change(id, () => call(this.#deps.client, COLLECTIONS.change, input));
  }

  async remove({ id, name }: CollectionInfo): Promise<void> {
    const { client, say } = this.#deps;
    const params = { id };
    if (!(await this.#change(id, () => call(client, COLLECTIONS.remove, { params })))) return;
    const undo = (): void =>
      void this.#change(id, () => call(client, COLLECTIONS.restore, { params }));
    say(`“${name}” was removed. It can be restored for 30 minutes.`, undo);
  }

  /** Brings a removed collection back. */
  async restore({ id }: RemovedCollection): Promise<void> {
    await this.#change(id, () => call(this.#deps.client, COLLECTIONS.restore, { params: { id } }));
  }

  /** Opens the field for a new name. */
  beginRenaming({ id, name }: CollectionInfo): void {
    this.renamed = { id, name };
    this.nameFault = null;
  }

  endRenaming(): void {
    this.renamed = null;
    this.nameFault = null;
  }

  /** Gives the typed name, or says why that is not possible. */
  async rename(): Promise<void> {
    const { renamed } = this;
    const before = this.all.value?.collections.find(({ id }) => id === renamed?.id);
    if (!renamed || !before) return;
    const name = renamed.name.trim();
    if (name === '' || name === before.name) return this.endRenaming();
    try {
      const input = { params: { id: renamed.id }, body: { name } };
      await call(this.#deps.client, COLLECTIONS.change, input);
      this.endRenaming();
      this.#deps.onchanged();
      await this.all.reload();
    } catch (error) {
      this.nameFault = faultText(error);
    }
  }
}
