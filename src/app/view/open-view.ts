import { mount } from 'svelte';
import { Formatter } from '#app/format/formatter.ts';
import { weekStartOf } from '#app/format/week-start.ts';
import { writtenLocale } from '#app/format/written-locale.ts';
import { Theme, THEMES } from '#app/ui/theme.svelte.ts';
import { VIEW_PATH } from '#app/page-paths.ts';
import { LOCKED } from '#contract/links/view-link.ts';
import ViewPage from './ViewPage.svelte';
import { ViewService } from './view-service.ts';

/** Shows the board of a view link. `?theme=dark` is for a site that shows it in a page of its own. */
export function openView(target: Element): void {
  const locale = writtenLocale(navigator.languages);
  const theme = new Theme(window, null, (dark, dashed) => {
    const root = document.documentElement;
    root.dataset['theme'] = dark ? 'dark' : 'light';
    root.toggleAttribute('data-dashed', dashed);
  });
  const wanted = new URLSearchParams(location.search).get('theme');
  theme.choose(THEMES.find((choice) => choice === wanted) ?? 'system');
  const base = VIEW_PATH.exec(location.pathname)?.[0] ?? '';
  mount(ViewPage, {
    target,
    props: {
      service: new ViewService(base, (...of) => fetch(...of)),
      format: new Formatter(locale),
      theme,
      locked: document.documentElement.hasAttribute(LOCKED),
      surroundings: {
        now: () => Date.now(),
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        weekStart: weekStartOf(locale),
        narrow: matchMedia('(max-width: 720px)').matches,
      },
    },
  });
}
