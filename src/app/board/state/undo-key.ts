/** Whether keys are typed into what has the focus, which has an undo of its own. */
function typesInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (!(target instanceof HTMLInputElement)) return target instanceof HTMLSelectElement;
  return !['radio', 'checkbox', 'button', 'range', 'file', 'submit'].includes(target.type);
}

/** What a key asks of the history: Ctrl or ⌘ with Z, with shift or Ctrl+Y to do it again. */
export function historyKey(event: KeyboardEvent): 'undo' | 'redo' | null {
  if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey)) return null;
  const key = event.key.toLowerCase();
  if ((key !== 'z' && key !== 'y') || typesInto(event.target)) return null;
  if (key === 'y') return event.ctrlKey && !event.shiftKey ? 'redo' : null;
  return event.shiftKey ? 'redo' : 'undo';
}
