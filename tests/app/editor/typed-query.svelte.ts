import QueryEditor from '#app/editor/QueryEditor.svelte';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import { parse } from '#core/query/parse.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

/** An editor on a separate page, with the events it reported. */
export class TypedQuery {
  text = $state('');
  limit = $state(1024);
  commits = 0;
  leaves = 0;
  closes = 0;
  pasted: string[][] = [];
  readonly parsed = $derived(parse(this.text));
  readonly target: HTMLElement;
  readonly end: () => Promise<void>;

  constructor(text: string) {
    const read = { text: () => this.text, parsed: () => this.parsed, limit: () => this.limit };
    this.text = text;
    const props = {
      get text() {
        return read.text();
      },
      get parsed() {
        return read.parsed();
      },
      get limit() {
        return read.limit();
      },
      label: 'Query of cats',
      focus: true,
      oninput: (text: string) => (this.text = text),
      oncommit: () => (this.commits += 1),
      onleave: () => (this.leaves += 1),
      onpastelines: (lines: string[]) => this.pasted.push(lines),
      onclose: () => (this.closes += 1),
    };
    ({ target: this.target, end: this.end } = mounted(QueryEditor, props, {
      style: 'width: 260px; padding: 8px',
    }));
  }

  /** The element that receives typing: the plain field, or the editor once it is there. */
  get box(): HTMLElement {
    const found = this.target.querySelector<HTMLElement>('textarea, [contenteditable="true"]');
    if (!found) throw new Error('There is nothing to type into.');
    return found;
  }

  /** The text below the query. */
  get said(): string {
    const id = this.box.getAttribute('aria-describedby') ?? '';
    return (document.getElementById(id)?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
  }

  /** The open list of choices, which is outside the editor so that nothing around it cuts it off. */
  get list(): HTMLElement | null {
    return document.querySelector('.cm-tooltip-autocomplete');
  }

  /** Labels of the choices that are open. */
  get choices(): string[] {
    const found = this.list?.querySelectorAll('.cm-completionLabel') ?? [];
    return [...found].map((label) => label.textContent ?? '');
  }

  all(selector: string): string[] {
    return [...this.target.querySelectorAll(selector)].map((node) => node.textContent ?? '');
  }
}
