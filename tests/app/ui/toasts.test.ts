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

test('a message leaves after ten seconds; the next one takes its place, unless it can be acted on', () => {
  const { toasts, pass, texts } = shown();
  toasts.show('Saved');
  toasts.say('Removed', act);
  expect(texts()).toEqual(['Removed']);
  pass(5000);
  toasts.show('Copied');
  toasts.show('Copied');
  expect([toasts.shown?.text, texts()]).toEqual(['Copied', ['Removed', 'Copied']]);
  pass(10_000);
  // It has its whole time again: it could not be seen.
  expect(texts()).toEqual(['Removed']);
  pass(9999);
  expect(texts()).toEqual(['Removed']);
  pass(1);
  expect(texts()).toEqual([]);
});

test('a message stays while the pointer or the focus is in it, and then for its whole time', () => {
  const { toasts, pass, texts } = shown();
  toasts.say('Removed', act);
  pass(9000);
  toasts.pause('pointer');
  pass(60_000);
  toasts.pause('focus');
  toasts.resume('pointer');
  pass(60_000);
  // Nothing takes the button from under the user.
  toasts.show('Saved');
  expect([toasts.shown?.text, texts()]).toEqual(['Removed', ['Saved', 'Removed']]);
  toasts.resume('focus');
  pass(9999);
  expect(toasts.shown?.text).toBe('Removed');
  pass(1);
  expect(texts()).toEqual(['Saved']);
  pass(10_000);
  expect(texts()).toEqual([]);
});

test('a message that stays true stays until it is dismissed, and is not shown twice', () => {
  const { toasts, pass, texts } = shown();
  toasts.hold('Waiting');
  const remove = toasts.hold('Waiting', open);
  for (const text of ['A', 'B', 'C', 'D']) toasts.say(text, act);
  pass(10_000);
  pass(10_000);
  expect(texts()).toEqual(['Waiting']);
  remove();
  expect(texts()).toEqual([]);
});
