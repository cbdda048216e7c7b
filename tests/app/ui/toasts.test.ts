import { expect, test } from 'vitest';
import { Toasts } from '#app/ui/toasts.svelte.ts';

/** Messages over a clock that the test moves. */
function shown() {
  let now = 0;
  const due: { at: number; act: () => void }[] = [];
  const toasts = new Toasts((act, ms) => due.push({ at: now + ms, act }));
  const pass = (ms: number): void => {
    now += ms;
    for (const each of due.filter(({ at }) => at <= now)) {
      due.splice(due.indexOf(each), 1);
      each.act();
    }
  };
  const texts = (): string[] => toasts.list.map(({ text }) => text);
  return { toasts, pass, texts };
}

const act = (): void => undefined;
const open = { text: 'Show it', act };

test('a message leaves after ten seconds, with or without an action, and does not stand there twice', () => {
  const { toasts, pass, texts } = shown();
  toasts.show('Saved');
  toasts.show('Updated', open);
  toasts.undo('Removed', act);
  toasts.show('Saved');
  expect(texts()).toEqual(['Updated', 'Removed', 'Saved']);
  pass(9999);
  expect(texts()).toEqual(['Updated', 'Removed', 'Saved']);
  pass(1);
  expect(texts()).toEqual([]);
});

test('a message stays while the pointer or the focus is in it, and then for its whole time', () => {
  const { toasts, pass, texts } = shown();
  toasts.undo('Removed', act);
  const [toast] = toasts.list;
  if (!toast) throw new Error('expected a message');
  pass(9000);
  toasts.pause(toast, 'pointer');
  pass(60_000);
  toasts.pause(toast, 'focus');
  toasts.resume(toast, 'pointer');
  pass(60_000);
  expect(texts()).toEqual(['Removed']);
  toasts.resume(toast, 'focus');
  pass(9999);
  expect(texts()).toEqual(['Removed']);
  pass(1);
  expect(texts()).toEqual([]);
});

test('a message without a timeout stays until it is dismissed', () => {
  const { toasts, pass, texts } = shown();
  const remove = toasts.hold('Waiting');
  pass(1e9);
  expect(texts()).toEqual(['Waiting']);
  remove();
  expect(texts()).toEqual([]);
});
