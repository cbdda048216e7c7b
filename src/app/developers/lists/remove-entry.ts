import { tick } from 'svelte';

/**
 * Removes an entry of a list by its button. The focus stays in the list: on the button of the entry that follows, or on
 * the last one.
 *
 * @param place - Of the entry in the list, from 0.
 * @param removal - Resolves to whether the entry was removed.
 */
export async function removeEntry(
  button: HTMLElement,
  place: number,
  removal: Promise<boolean>,
): Promise<void> {
  const list = button.closest('ul');
  const hadFocus = document.activeElement === button;
  const isRemoved = await removal;
  await tick();
  const buttons = [...(list?.querySelectorAll<HTMLElement>('button') ?? [])];
  if (isRemoved && hadFocus) (buttons[place] ?? buttons.at(-1))?.focus();
}
