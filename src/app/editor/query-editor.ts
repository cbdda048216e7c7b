type Editor = typeof import('./QueryEditor.svelte');

let editor: Editor | null = null;

/** The editor of queries: a promise until it was fetched once, from then on at once, so that no letter meant for it is typed beside it. */
export function queryEditor(): Editor | Promise<Editor> {
  return editor ?? import('./QueryEditor.svelte').then((fetched) => (editor = fetched));
}
