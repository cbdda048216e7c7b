import { expect, it } from 'vitest';
import { stillOf } from '#app/chart/draw/still.ts';
import { textWidth } from '#app/chart/draw/text-width.ts';
import { slide } from '#tests/support/data/slides.ts';

it('has its notes left of the labels of a right axis', () => {
  const { shown } = slide({
    names: ['tea', 'tea per coffee'],
    notes: ['tea '.repeat(40).trim()],
  });
  const series = shown.data.series.map((drawn, i) =>
    i === 1 ? { ...drawn, unit: 'ratio' as const } : drawn,
  );
  const { notes, plot, width } = stillOf({ ...shown, data: { ...shown.data, series } }, 390, 320);
  for (const note of notes) {
    expect(plot.left + textWidth(note, 12)).toBeLessThanOrEqual(width - plot.right);
  }
});
