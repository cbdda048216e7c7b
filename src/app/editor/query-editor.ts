type Editor = typeof import('./QueryEditor.svelte');

let editor: Editor | null = null;

/**
 * The query editor: a promise at first, later the module itself, so that the first letter typed reaches
 * it.
 */
export function queryEditor(): Editor | Promise<Editor> {
  return editor ?? import('./QueryEditor.svelte').then((fetched) => (editor = fetched));
}
