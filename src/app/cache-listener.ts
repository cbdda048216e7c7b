import type { CacheListener } from '#app/counts/cache/opening.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';

/** Sentences that few visits need. */
const words = () => import('./format/fault-text.ts');

/** Reports what other tabs do to the cache under this page. */
export function cacheListener(
  toasts: Toasts,
  reload: { readonly text: string; act(): void },
): CacheListener {
  let isBlocked = false;
  let unblocked = (): void => undefined;
  return {
    onOutdated: () => void toasts.hold('Groundswell was updated in another tab.', reload),
    onBlocked: (blocked) => {
      isBlocked = blocked;
      void words().then(({ BLOCKED_BY_TAB }) => {
        unblocked();
        if (isBlocked) unblocked = toasts.hold(BLOCKED_BY_TAB);
      });
    },
    onDeleted: () =>
      void words().then(({ DELETED_UNDER_PAGE }) => toasts.hold(DELETED_UNDER_PAGE, reload)),
  };
}
