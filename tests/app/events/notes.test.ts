import { describe, expect, it } from 'vitest';
import { noteTexts, noteTimes } from '#app/events/note-times.ts';
import { Notes } from '#app/events/notes.svelte.ts';
import { MAX_NOTE } from '#app/counts/cache/saved-board.ts';
import { zoneTable } from '#core/time/zone.ts';

function notesOf(): Notes {
  let ids = 0;
  return new Notes(() => `n${(ids += 1)}`);
}

describe('the notes of a board', () => {
  it('are ordered by start and truncated to the maximum length', () => {
    const notes = notesOf();
    notes.add({ start: 20, text: 'x'.repeat(MAX_NOTE + 5) });
    notes.add({ start: 10, end: 15, text: 'first' });
    expect(notes.list.map(({ start }) => start)).toEqual([10, 20]);
    expect(notes.list[1]?.text).toHaveLength(MAX_NOTE);
  });

  it('are saved only with text, and removed on closing without any', () => {
    const notes = notesOf();
    const { id } = notes.add({ start: 10 });
    expect(notes.editing).toBe(id);
    expect(notes.written).toEqual([]);
    notes.close(id);
    expect(notes.list).toEqual([]);
    expect(notes.editing).toBeNull();
    const note = notes.add({ start: 10 });
    notes.edit(note.id, { text: 'Launch' });
    notes.close(note.id);
    expect(notes.written).toEqual([{ ...note, text: 'Launch' }]);
  });

  it('keep their duration when moved, and reject an end before the start', () => {
    const notes = notesOf();
    const { id } = notes.add({ start: 10, end: 15, text: 'a' });
    notes.move(id, 100);
    expect(notes.list[0]).toMatchObject({ start: 100, end: 105 });
    expect(() => notes.edit(id, { end: 100 })).toThrow(RangeError);
    expect(notes.list[0]).toMatchObject({ start: 100, end: 105 });
  });

  it('return to their place on undo, once', () => {
    const notes = notesOf();
    const a = notes.add({ start: 10, text: 'a' });
    const b = notes.add({ start: 20, text: 'b' });
    const undo = notes.remove(a.id);
    expect(notes.list).toEqual([b]);
    undo();
    undo();
    expect(notes.list).toEqual([a, b]);
  });
});

describe('the times of a note', () => {
  const table = zoneTable('Europe/Berlin', {
    start: Date.UTC(2006, 2, 21),
    end: Date.UTC(2026, 11, 1),
  });

  it.each([
    ['2026-03-29', '', Date.UTC(2026, 2, 28, 23), null],
    ['2026-03-29', '2026-03-29', Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22)],
    ['2026-03-29 14:30', '2026-03-30', Date.UTC(2026, 2, 29, 12, 30), Date.UTC(2026, 2, 30, 22)],
    [
      '2026-03-29 14:30',
      '2026-03-29 15:00',
      Date.UTC(2026, 2, 29, 12, 30),
      Date.UTC(2026, 2, 29, 13),
    ],
  ])('%s to %j are parsed and formatted in the zone', (from, to, start, end) => {
    expect(noteTimes(from, to, table)).toEqual({ ok: true, start, end });
    expect(noteTexts({ start, end }, table)).toEqual({ from, to });
  });

  it.each([
    ['', '', 'from', 'Enter a date like 2026-03-08, or 2026-03-08 14:30.'],
    ['2026-03-08', '2026-03-07', 'to', 'The end must be after the start.'],
    ['2026-03-08', 'soon', 'to', '"soon" is not a date like 2026-03-08 or 2026-03-08 14:30.'],
  ])('%j to %j are rejected with an explanation', (from, to, where, words) => {
    expect(noteTimes(from, to, table)).toMatchObject({ ok: false, [where]: words });
  });
});
