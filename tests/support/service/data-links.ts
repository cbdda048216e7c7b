import { formatView, type View } from '#app/board/state/view.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { writeDashboardBackup } from '#app/counts/files/backup.ts';
import type { NewView } from '#contract/links/links.ts';

/** A request of the dashboard. */
type Send = (path: string, init?: RequestInit) => Promise<Response>;

const JSON_BODY = { 'content-type': 'application/json' };

/** A version of a board, as a browser stores it at a service. */
export async function boardVersion(id: string, view: View, over: Partial<SavedBoard> = {}) {
  const board = { id, at: 1, opened: 1, name: id, view: formatView(view), notes: [], fixed: [] };
  const file = await writeDashboardBackup(nothing(), [{ ...board, ...over, was: [] }]);
  const text = Buffer.from(await file.arrayBuffer()).toString('base64');
  return { removed: false as const, name: board.name, at: 1, file: text };
}

/** Stores a version of a board at a service. @returns The revision. */
export async function storeBoard(
  send: Send,
  id: string,
  view: View,
  over: Partial<SavedBoard> = {},
  after: string | null = null,
): Promise<string> {
  const version = await boardVersion(id, view, over);
  const answer = await send(`/boards/version?${new URLSearchParams({ id })}`, {
    method: 'PUT',
    headers: JSON_BODY,
    body: JSON.stringify({ after, version }),
  });
  const { revision } = (await answer.json()) as { revision: string };
  return revision;
}

async function* nothing(): AsyncGenerator<never> {}

/** Makes a link to a board. */
async function link(send: Send, body: object): Promise<{ id: string; secret: string }> {
  const answer = await send('/links', {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { link, secret } = (await answer.json()) as { link: { id: string }; secret: string };
  return { id: link.id, secret };
}

/** Makes a data link. @returns Its id, and the path of its files. */
export async function dataLink(
  send: Send,
  board: string,
  days = 90,
): Promise<{ id: string; path: string; secret: string }> {
  const made = await link(send, { kind: 'data', board, name: `Link to ${board}`, days });
  return { ...made, path: `/data/${made.secret}` };
}

/** Makes a view link. @returns Its id, and the path of its page. */
export async function viewLink(
  send: Send,
  board: string,
  view: Partial<NewView> = {},
  days = 90,
): Promise<{ id: string; path: string; secret: string }> {
  const usual: NewView = { posts: false, presets: true, sites: [], password: null };
  const body = { kind: 'view', board, name: `View of ${board}`, days, view: { ...usual, ...view } };
  const made = await link(send, body);
  return { ...made, path: `/view/${made.secret}/` };
}
