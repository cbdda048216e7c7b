import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openService } from '#server/auth/store.ts';
import type { NewNote } from '#server/notes/note-table.ts';
import { killer, type KillStep } from './kill-step.ts';

/** The actions on community notes, as a request or an order takes them. */
export type NoteAction = 'request' | 'import' | 'withdraw' | 'add' | 'rate' | 'ratings' | 'remove';

/** Start data of {@link file://./notes-child.ts}, as JSON. */
export interface NotesJob {
  readonly file: string;
  /** All of them in order. */
  readonly actions: readonly NoteAction[];
  readonly kill: KillStep | null;
}

const WRITER = '7';
const NOW = 1_790_000_000_000;
const NOTE: NewNote = {
  id: 5n,
  writer: WRITER,
  post: 1n,
  test: false,
  info: {
    text: 'https://example.com',
    classification: 'not_misleading',
    misleading_tags: [],
    trustworthy_sources: true,
    is_media_note: false,
  },
  score: 0,
  createdAt: NOW,
};

const { file, actions, kill } = JSON.parse(process.argv[2]!) as NotesJob;
const { notes, noteRequests, close } = openService(
  file,
  { random: (n) => randomBytes(n) },
  { onStep: killer(kill) },
);
const act: Readonly<Record<NoteAction, () => void>> = {
  request: () => {
    const posts = [1n, 2n].map((post) => ({ post, createdAt: NOW }));
    noteRequests.add(posts, { link: 'https://example.com', text: null }, NOW);
  },
  import: () => {
    const links = [{ url: 'https://example.com', count: 3 }];
    noteRequests.addImported([{ post: 1n, createdAt: NOW, count: 3, links }]);
  },
  withdraw: () => void noteRequests.remove(1n),
  add: () => void notes.add(NOTE, () => {}),
  rate: () => void notes.rate(NOTE.id, 'helpful', 5),
  ratings: () => {
    notes.beginRatings();
    notes.stageRatings([{ note: NOTE.id, rating: 'helpful', count: 4, at: null }]);
    notes.finishRatings(1);
  },
  remove: () => void notes.remove(NOTE.id, WRITER, NOW),
};
for (const action of actions) {
  act[action]();
  writeSync(1, `${action}\n`);
}
close();
