import { mount } from 'svelte';
import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import type { PageConnection } from '#app/api/connect.ts';
import { sender, sendFile } from '#app/api/sent-file.ts';
import { Formatter } from '#app/format/formatter.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import { actingAccount, pageTheme } from '#app/page-parts.ts';
import type { AppEnvironment } from '#app/app-environment.ts';
import Developers from './Developers.svelte';

/** Shows the page for developers, once the browser is signed in or the service has said that it is not. */
export async function openDevelopers(
  target: Element,
  environment: AppEnvironment,
  connection: (acting: ActingAccount) => PageConnection,
): Promise<void> {
  const { locale, zone, copy } = environment;
  const toasts = new Toasts(environment.later);
  const acting = actingAccount(environment, toasts);
  const { client } = connection(acting);
  pageTheme(environment);
  // Each part says by itself why it could not be loaded.
  await client.signIn(new AbortController().signal).catch(() => undefined);
  mount(Developers, {
    target,
    props: {
      client,
      files: sender(client, sendFile),
      acting,
      format: new Formatter(locale, zone),
      locale,
      toasts,
      copy,
    },
  });
}
