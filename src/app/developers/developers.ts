import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import type { EndpointClient } from '#app/api/endpoint-call.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import { WHILE_SEEN } from '#app/settings/loaded.svelte.ts';
import { AccessSettings } from './access/access.svelte.ts';
import { AdvertiserSettings } from './advertisers/advertisers.svelte.ts';
import { CatalogSettings } from './catalog/catalog.svelte.ts';
import { NoteSettings } from './notes/notes.svelte.ts';
import { StreamSettings } from './streams/streams.svelte.ts';

interface DevelopersOptions {
  readonly client: EndpointClient;
  readonly files: FileSender;
  readonly acting: ActingAccount;
  /** The locale's decimal separator. */
  readonly decimal: string;
  readonly toasts: Toasts;
}

/** Creates the models that the parts of the page show and change. Nothing is loaded yet. */
export function developerModels({ client, files, acting, decimal, toasts }: DevelopersOptions) {
  const { say } = toasts;
  return {
    access: new AccessSettings({ client, acting, decimal, say }),
    streams: new StreamSettings({ client, ...WHILE_SEEN, say }),
    notes: new NoteSettings({ client, say }),
    catalog: new CatalogSettings({ client, files, ...WHILE_SEEN, say }),
    advertisers: new AdvertiserSettings({ client, files, say }),
  };
}
