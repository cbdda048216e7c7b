import { expect, it } from 'vitest';
import { sameState, type BoardState } from '#app/board/state/workspace.svelte.ts';
import { readBoard, writeBoard } from '#app/counts/files/board-file.ts';
import { PLANTS } from '#tests/support/data/inventory-laws.ts';

it('is the same board with its campaigns read from a file, and another one with a changed day', async () => {
  const { was: _, ...plants } = PLANTS;
  const { notes } = await readBoard(await writeBoard(plants));
  const state: BoardState = { board: 'plants', view: '', notes, fixed: [] };
  expect(sameState(state, { ...state, notes: PLANTS.notes })).toBe(true);
  const changed = PLANTS.notes.map(({ campaign, ...note }) => ({
    ...note,
    ...(campaign && { campaign: { ...campaign, days: campaign.days.slice(1) } }),
  }));
  expect(sameState(state, { ...state, notes: changed })).toBe(false);
});
