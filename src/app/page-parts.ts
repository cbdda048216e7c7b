import { ActingAccount } from '#app/api/acting-account.svelte.ts';
import { Theme } from '#app/ui/theme.svelte.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { AppEnvironment } from './app-environment.ts';

/** The account that this browser acts as, also after a choice in another tab. */
export function actingAccount(
  { window, local }: Pick<AppEnvironment, 'window' | 'local'>,
  toasts: Toasts,
): ActingAccount {
  const acting = new ActingAccount(
    local,
    () =>
      void import('./format/fault-text.ts').then(({ NO_LONGER_ACTING }) =>
        toasts.show(NO_LONGER_ACTING),
      ),
  );
  window.addEventListener('storage', (event) => acting.follow(event));
  return acting;
}

/** The theme, set on the root of the page. */
export function pageTheme({ window, local }: Pick<AppEnvironment, 'window' | 'local'>): Theme {
  const root = window.document.documentElement;
  return new Theme(window, local, (dark, dashed) => {
    root.dataset['theme'] = dark ? 'dark' : 'light';
    root.toggleAttribute('data-dashed', dashed);
  });
}
