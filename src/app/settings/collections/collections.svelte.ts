import type { CollectionsApi } from '#app/api/collections-api.ts';
import { faultText } from '#app/format/fault-text.ts';
import type { CollectionInfo, RemovedCollection } from '#contract/posts/collections.ts';

interface CollectionSettingsDeps {
  readonly api: CollectionsApi;
  /** Shows a message, with a button that takes back what was done. */
  readonly say: (text: string, undo?: () => void) => void;
  /** Called when other Posts count than before. */
  readonly onchanged: () => void;
}

/** The collections as the settings list and change them. */
export class CollectionSettings {
  readonly #deps: CollectionSettingsDeps;
  /** Null until they are known. */
  all = $state.raw<readonly CollectionInfo[] | null>(null);
  /** Those that were removed and can be restored. */
  removed = $state.raw<readonly RemovedCollection[]>([]);
  /** Why they could not be loaded or changed. */
  fault = $state<string | null>(null);
  /** The one that is being renamed, and its new name. */
  renamed = $state<{ readonly id: string; name: string } | null>(null);
  /** Why the new name is not possible. */
  nameFault = $state<string | null>(null);
  busy = $state.raw<ReadonlySet<string>>(new Set());

  constructor(deps: CollectionSettingsDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    try {
      const { api } = this.#deps;
      [this.all, this.removed] = await Promise.all([api.list(), api.removed()]);
      this.fault = null;
    } catch (error) {
      this.fault = faultText(error);
    }
  }

  /** Changes one collection, then loads all. @returns Whether that succeeded. */
  async #change(id: string, work: () => Promise<void>): Promise<boolean> {
    if (this.busy.has(id)) return false;
    this.busy = new Set([...this.busy, id]);
    try {
      await work();
      this.#deps.onchanged();
      await this.load();
      return true;
    } catch (error) {
      this.fault = faultText(error);
      return false;
    } finally {
      this.busy = new Set([...this.busy].filter((one) => one !== id));
    }
  }

  async include({ id }: CollectionInfo, included: boolean): Promise<void> {
    await this.#change(id, () => this.#deps.api.include(id, included));
  }

  async remove({ id, name }: CollectionInfo): Promise<void> {
    const { api, say } = this.#deps;
    if (!(await this.#change(id, () => api.remove(id)))) return;
    const undo = (): void => void this.#change(id, () => api.restore(id));
    say(`“${name}” was removed. It can be restored for 30 minutes.`, undo);
  }

  /** Brings a removed collection back. */
  async restore({ id }: RemovedCollection): Promise<void> {
    await this.#change(id, () => this.#deps.api.restore(id));
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
    const before = this.all?.find(({ id }) => id === renamed?.id);
    if (!renamed || !before) return;
    const name = renamed.name.trim();
    if (name === '' || name === before.name) return this.endRenaming();
    try {
      await this.#deps.api.rename(renamed.id, name);
      this.endRenaming();
      this.#deps.onchanged();
      await this.load();
    } catch (error) {
      this.nameFault = faultText(error);
    }
  }
}
