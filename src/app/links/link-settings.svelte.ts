import { call } from '#app/api/endpoint-call.ts';
import { Changes, Loaded, type Changing } from '#app/settings/loaded.svelte.ts';
import { LINKS, type LinkInfo } from '#contract/links/links.ts';

/** The links to boards as the settings list and end them. */
export class LinkSettings {
  readonly #deps: Changing;
  readonly all = new Loaded(() => call(this.#deps.client, LINKS.list));
  readonly changes = new Changes((text) => (this.all.fault = text));
  readonly list = $derived.by(() => this.all.value?.links ?? []);

  constructor(deps: Changing) {
    this.#deps = deps;
  }

  /** Ends a link, and offers to undo that. */
  async revoke({ id, name }: LinkInfo): Promise<void> {
    const { client, say } = this.#deps;
    const input = { params: { id } };
    const change = (work: () => Promise<unknown>): Promise<boolean> =>
      this.changes.make(id, async () => {
        await work();
        await this.all.reload();
      });
    if (!(await change(() => call(client, LINKS.revoke, input)))) return;
    say(`The link “${name}” no longer works.`, () => {
      void change(() => call(client, LINKS.restore, input));
    });
  }
}
