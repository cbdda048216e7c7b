import { BoardEvents } from '#app/events/board-events.svelte.ts';
import { KindSwitches } from '#app/events/event-kinds.svelte.ts';
import { Notes } from '#app/events/notes.svelte.ts';

/** The events of a new board, which number their notes `n1`, `n2` and so on. */
export function boardEvents(): BoardEvents {
  let ids = 0;
  return new BoardEvents(new Notes(() => `n${(ids += 1)}`), new KindSwitches(), null);
}
