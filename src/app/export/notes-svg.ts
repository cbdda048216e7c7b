import type { PlacedNote } from '#app/chart/chart-props.ts';
import { NOTE_ROW_PX } from '#app/chart/notes/dated-notes.ts';
import { cutTo } from '#app/chart/draw/text-width.ts';
import { escaped } from './markup.ts';
import { mixed, type BaseColours } from '#app/chart/draw/option.ts';

const PADDING_PX = 12;
const FONT_PX = 11;
/** Share of the ink in a band, and behind a label. */
const BAND = 0.07;
const LABEL = 0.12;

/**
 * Draws notes as on screen: uprights and bands with their labels.
 *
 * @param top - Top of the plot, and of the first row of labels, px.
 */
export function notesSvg(
  notes: readonly PlacedNote[],
  top: { readonly plot: number; readonly labels: number },
  bottom: number,
  { ink, quiet, ground }: BaseColours,
): string {
  const height = bottom - top.plot;
  const marks = notes.map(({ note, from, to, begins }) => {
    const at = from.toFixed(1);
    const band =
      note.end === null
        ? ''
        : `<rect x="${at}" y="${top.plot}" width="${Math.max(1, to - from).toFixed(1)}" height="${height}" fill="${ink}" fill-opacity="${BAND}"/>`;
    const line = begins
      ? `<line x1="${at}" x2="${at}" y1="${top.plot}" y2="${bottom}" stroke="${quiet}"/>`
      : '';
    return band + line;
  });
  const labels = notes.flatMap(({ note, label }) => {
    if (!label) return [];
    const y = top.labels + label.row * NOTE_ROW_PX;
    const x = label.left.toFixed(1);
    const box = `<rect x="${x}" y="${y}" width="${label.width.toFixed(1)}" height="${NOTE_ROW_PX - 1}" rx="2" fill="${mixed(ink, ground, LABEL)}"/>`;
    return `${box}<text x="${(label.left + PADDING_PX / 2).toFixed(1)}" y="${y + 12}" font-size="${FONT_PX}" fill="${ink}">${escaped(cutTo(note.text, FONT_PX, label.width - PADDING_PX))}</text>`;
  });
  return [...marks, ...labels].join('');
}
