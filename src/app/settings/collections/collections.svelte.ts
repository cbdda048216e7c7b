import { call, type Caller } from '#app/api/endpoint-call.ts';
import { faultText } from '#app/format/fault-text.ts';
import {
  COLLECTIONS,
  type CollectionInfo,
  type RemovedCollection,
} from '#contract/posts/collections.ts';

interface CollectionSettingsDeps {
  readonly client: Caller;
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
      const { collections, removed } = await call(this.#deps.client, COLLECTIONS.list);
      [this.all, this.removed] = [collections, removed];
      this.fault = null;
    } catch (error) {
      this.fault = faultText(error);
    }
  }

  /** Changes one collection, then loads all. @returns Whether that succeeded. */
  async #change(id: string, work: () => Promise<unknown>): Promise<boolean> {
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
    const before = this.all?.find(({ id }) => id === renamed?.id);
    if (!renamed || !before) return;
    const name = renamed.name.trim();
    if (name === '' || name === before.name) return this.endRenaming();
    try {
      const input = { params: { id: renamed.id }, body: { name } };
      await call(this.#deps.client, COLLECTIONS.change, input);
      this.endRenaming();
      this.#deps.onchanged();
      await this.load();
    } catch (error) {
      this.nameFault = faultText(error);
    }
  }
}
