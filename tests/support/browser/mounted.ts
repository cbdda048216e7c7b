import { flushSync, mount, unmount, type Component } from 'svelte';
import { onTestFinished } from 'vitest';

/**
 * Mounts a component on an otherwise empty page until the test ends.
 *
 * @param around - The element around it; of a component that has a `main`, that is a `div`.
 * @returns The element around it, and what unmounts it before the test ends.
 */
export function mounted<Props extends Record<string, unknown>>(
  component: Component<Props>,
  props: Props,
  { tag = 'main', style = '' }: { readonly tag?: 'main' | 'div'; readonly style?: string } = {},
) {
  document.documentElement.lang = 'en';
  document.title = 'Groundswell';
  const target = document.body.appendChild(document.createElement(tag));
  target.style.cssText = style;
  const app = mount(component, { target, props });
  flushSync();
  const end = async (): Promise<void> => {
    if (!target.isConnected) return;
    await unmount(app);
    target.remove();
  };
  onTestFinished(end);
  return { target, end };
}

/** The text of a node, in one line. */
export const textOf = (node: Node | null | undefined): string =>
  (node?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
