import { untrack } from 'svelte';
import type { CodeEditor, Start } from './codemirror.ts';
import type { EditorCallbacks } from './query-keys.ts';

type Code = typeof import('./codemirror.ts');

/** Once loaded, the next query uses it at once. */
let code: Code | null = null;

/** Loads the editor while a plain field serves, and replaces the field, keeping what was typed. */
export class LazyEditor {
  editor = $state.raw<CodeEditor | null>(null);
  /** The plain field, while it exists. */
  field = $state.raw<HTMLTextAreaElement | null>(null);
  readonly #start: () => Start;
  readonly #callbacks: EditorCallbacks;
  #removed = false;
  #composing = false;
  #waiting: (() => void) | null = null;

  /** @param start - The initial state; selection and focus come from the field if it exists. */
  constructor(start: () => Start, callbacks: EditorCallbacks) {
    this.#start = start;
    this.#callbacks = callbacks;
  }

  /** Attached to the element that contains both. */
  readonly attach = (node: HTMLElement): (() => void) => {
    const enter = (): void => this.#enter(node);
    if (code) untrack(enter);
    else {
      import('./codemirror.ts').then(
        (loaded) => {
          code = loaded;
          if (this.#composing) this.#waiting = enter;
          else enter();
        },
        // Offline before it was ever loaded: the plain field remains.
        () => undefined,
      );
    }
    return () => {
      this.#removed = true;
      untrack(() => this.editor?.destroy());
    };
  };

  /** Called when an input method starts or ends composing in the field, which stays until it ends. */
  compose(now: boolean): void {
    this.#composing = now;
    if (now || !this.#waiting) return;
    // Waits until the end of the composition has been typed.
    setTimeout(this.#waiting);
    this.#waiting = null;
  }

  /** The field lost the focus: editing ends, unless the editor replaced it. */
  blur(): void {
    if (!this.editor) this.#leave();
  }

  /**
   * A focused element also loses the focus when it is removed, during the update that removes it; that
   * does not end editing.
   */
  #leave(): void {
    queueMicrotask(() => {
      if (!this.#removed) this.#callbacks.onleave();
    });
  }

  #enter(node: HTMLElement): void {
    if (this.#removed || !code) return;
    const { field } = this;
    const start = this.#start();
    const from = field && {
      anchor: field.selectionStart,
      head: field.selectionEnd,
      focus: document.activeElement === field,
    };
    // Focused once it is known here, so that the field's blur does not end editing.
    const callbacks = { ...this.#callbacks, onleave: () => this.#leave() };
    this.editor = code.openQueryEditor(node, { ...start, ...from, focus: false }, callbacks);
    if (from?.focus ?? start.focus) this.editor.focus();
  }
}
