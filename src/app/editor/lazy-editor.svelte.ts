import { untrack } from 'svelte';
import type { CodeEditor, Doing, Start } from './codemirror.ts';

type Code = typeof import('./codemirror.ts');

/** Once loaded, the next query is opened with it at once. */
let code: Code | null = null;

/** Loads the editor while a plain field serves, and puts it in the field's place with what was typed. */
export class LazyEditor {
  editor = $state.raw<CodeEditor | null>(null);
  /** The plain field, while it is there. */
  field = $state.raw<HTMLTextAreaElement | null>(null);
  readonly #start: () => Start;
  readonly #doing: Doing;
  #gone = false;
  #composing = false;
  #waiting: (() => void) | null = null;

  /** @param start - What to begin with; selection and focus are taken from the field where it is there. */
  constructor(start: () => Start, doing: Doing) {
    this.#start = start;
    this.#doing = doing;
  }

  /** Attached to the element that both stand in. */
  readonly arrive = (node: HTMLElement): (() => void) => {
    const enter = (): void => this.#enter(node);
    if (code) untrack(enter);
    else {
      import('./codemirror.ts').then(
        (loaded) => {
          code = loaded;
          if (this.#composing) this.#waiting = enter;
          else enter();
        },
        // Offline before it was ever loaded: the plain field goes on serving.
        () => undefined,
      );
    }
    return () => {
      this.#gone = true;
      untrack(() => this.editor?.destroy());
    };
  };

  /** An input method composes in the field, or is done: until then the field stays. */
  compose(now: boolean): void {
    this.#composing = now;
    if (now || !this.#waiting) return;
    // After the last of the composition has been typed.
    setTimeout(this.#waiting);
    this.#waiting = null;
  }

  /** The field was left: done with typing, unless the editor took its place. */
  blur(): void {
    if (!this.editor) this.#left();
  }

  /** What has the focus also loses it by being removed, amid the update that removes it: then nothing was left. */
  #left(): void {
    queueMicrotask(() => {
      if (!this.#gone) this.#doing.onleave();
    });
  }

  #enter(node: HTMLElement): void {
    if (this.#gone || !code) return;
    const { field } = this;
    const start = this.#start();
    const from = field && {
      anchor: field.selectionStart,
      head: field.selectionEnd,
      focus: document.activeElement === field,
    };
    // Focused when it is known here, so that the field's blur is not taken for the end of typing.
    const doing = { ...this.#doing, onleave: () => this.#left() };
    this.editor = code.openEditor(node, { ...start, ...from, focus: false }, doing);
    if (from?.focus ?? start.focus) this.editor.focus();
  }
}
